// The part of Lanes that moves lanes in and out of pages.
#include "failure.h"
#include "lanes.h"

namespace troupe {

void Lanes::checkHolds(int32_t lane) const {
  checkLane(lane);
  if (lengths_[lane] == 0) throw Failure("EmptyLane", {{"name", "lane " + std::to_string(lane)}});
}

uint64_t Lanes::pageBytes(int32_t lane, const std::vector<GivenSection>& given) const {
  checkHolds(lane);
  return paging_.pageBytes(lane, lengths_[lane], given);
}

uint64_t Lanes::pageOut(int32_t lane, const std::vector<GivenSection>& given) {
  checkHolds(lane);
  const uint64_t id = PageStore::shared().add(paging_.pageOut(lane, lengths_[lane], given));
  clear(lane);
  return id;
}

const LaneWindow& Lanes::openWindow(int32_t lane, const std::vector<GivenSection>& given, uint64_t bytes) {
  checkHolds(lane);
  // Never two of them.
  window_.reset();
  window_ = paging_.window(lane, lengths_[lane], given, bytes);
  return *window_;
}

void Lanes::fillWindow(int32_t section, uint64_t offset, uint64_t length) {
  if (!window_) throw badArgument("window", std::string("none"), "a window that was opened, of a lane that has stayed as it was");
  window_->fill(section, offset, length);
}

void Lanes::pageIn(int32_t lane, uint64_t id) {
  checkLane(lane);
  if (lengths_[lane] != 0) throw badArgument("lane", static_cast<double>(lane), "an empty lane");
  const auto page = PageStore::shared().get(id);
  if (!page->sealed()) throw badArgument("page", static_cast<double>(id), "a sealed page");
  lengths_[lane] = paging_.pageIn(lane, *page);
}

const Checkpoint* Lanes::checkpoint(int32_t lane) {
  checkLane(lane);
  return lengths_[lane] == 0 ? nullptr : paging_.checkpoint(lane, lengths_[lane]);
}

std::optional<int32_t> Lanes::restoreCheckpoint(int32_t lane, int32_t position) {
  checkLane(lane);
  if (position < 0 || position > lengths_[lane]) {
    throw badArgument("position", static_cast<double>(position), "0 to " + std::to_string(lengths_[lane]));
  }
  changes(lane);
  try {
    const auto restored = paging_.restore(lane, position);
    if (restored) lengths_[lane] = *restored;
    return restored;
  } catch (...) {
    lengths_[lane] = 0;
    throw;
  }
}

const std::vector<Checkpoint>& Lanes::checkpoints(int32_t lane) const {
  checkLane(lane);
  return paging_.checkpoints(lane);
}

}  // namespace troupe
