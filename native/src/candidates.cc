#include "candidates.h"

#include <algorithm>
#include <limits>

namespace troupe {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr int32_t kBlock = 32;

// Most blocks of a vocabulary hold no candidate: one comparison, made in vector code, passes over each.
bool anyAbove(const float* logits, float floor) {
  bool any = false;
  for (int32_t j = 0; j < kBlock; j++) any |= logits[j] >= floor;
  return any;
}

template <class Take>
void forEachAbove(const float* logits, int32_t vocabulary, const float& floor, Take take) {
  int32_t i = 0;
  for (; i + kBlock <= vocabulary; i += kBlock) {
    if (!anyAbove(logits + i, floor)) continue;
    for (int32_t j = i; j < i + kBlock; j++) {
      if (logits[j] >= floor && logits[j] > kLowest) take(Candidate{logits[j], j});
    }
  }
  for (; i < vocabulary; i++) {
    if (logits[i] >= floor && logits[i] > kLowest) take(Candidate{logits[i], i});
  }
}

}  // namespace

void takeTop(const float* logits, int32_t vocabulary, size_t k, std::vector<Candidate>& candidates) {
  candidates.clear();
  float floor = kLowest;
  // Twice as many as wanted, then the lower half goes and the floor rises: few of the later ones enter at all.
  const size_t bound = 2 * k + kBlock;
  const auto keepTop = [&] {
    if (candidates.size() <= k) return;
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(k);
    std::nth_element(candidates.begin(), end - 1, candidates.end(), before);
    candidates.erase(end, candidates.end());
    floor = candidates.back().logit;
  };
  forEachAbove(logits, vocabulary, floor, [&](Candidate candidate) {
    candidates.push_back(candidate);
    if (candidates.size() >= bound) keepTop();
  });
  keepTop();
  std::sort(candidates.begin(), candidates.end(), before);
}

void takeAbove(const float* logits, int32_t vocabulary, float floor, std::vector<Candidate>& candidates) {
  candidates.clear();
  forEachAbove(logits, vocabulary, floor, [&](Candidate candidate) { candidates.push_back(candidate); });
  std::sort(candidates.begin(), candidates.end(), before);
}

}  // namespace troupe
