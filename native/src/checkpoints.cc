#include "checkpoints.h"

#include <algorithm>
#include <utility>

namespace troupe {

const Checkpoint* Checkpoints::newest(int32_t lane, int32_t position) const {
  const Lane& all = lanes_[lane];
  const auto after = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.position > position; });
  return after == all.begin() ? nullptr : &*(after - 1);
}

uint64_t Checkpoints::held(const Lane& lane) const {
  uint64_t bytes = 0;
  for (const Checkpoint& each : lane) bytes += each.memory.bytes();
  return bytes;
}

bool Checkpoints::admit(uint64_t bytes) {
  bytes = Arena::rounded(bytes);
  if (bytes <= counts_.budget) evictTo(counts_.budget - bytes, 1);
  if (bytes <= counts_.budget && counts_.bytes <= counts_.budget - bytes) return true;
  counts_.skipped++;
  return false;
}

void Checkpoints::add(int32_t lane, Checkpoint checkpoint) {
  counts_.bytes += checkpoint.memory.bytes();
  lanes_[lane].push_back(std::move(checkpoint));
}

void Checkpoints::drop(Lane& lane, Lane::iterator from, Lane::iterator to) {
  for (auto each = from; each != to; ++each) counts_.bytes -= each->memory.bytes();
  lane.erase(from, to);
}

void Checkpoints::dropAfter(int32_t lane, int32_t position) {
  Lane& all = lanes_[lane];
  const auto after = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.position > position; });
  drop(all, after, all.end());
}

// A lane's first is what its beginning, which it shares with later turns, comes back to: it goes last.
void Checkpoints::evictTo(uint64_t bytes, size_t keptOfEach) {
  while (counts_.bytes > bytes) {
    Lane* most = nullptr;
    for (Lane& lane : lanes_) {
      if (lane.size() > keptOfEach && (most == nullptr || held(lane) > held(*most))) most = &lane;
    }
    if (most == nullptr) return;
    const auto oldest = most->begin() + (most->size() > 1 ? 1 : 0);
    evicted_.push_back({static_cast<int32_t>(most - lanes_.data()), oldest->position, oldest->memory.bytes()});
    drop(*most, oldest, oldest + 1);
    counts_.evicted++;
  }
}

void Checkpoints::setBudget(uint64_t bytes) {
  counts_.budget = bytes;
  evictTo(bytes, 1);
  evictTo(bytes, 0);
}

}  // namespace troupe
