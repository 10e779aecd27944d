#include "lane_window.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "failure.h"
#include "lane_state.h"

namespace troupe {
namespace {

// Sections of the window itself.
constexpr size_t kPiece = 0;
constexpr size_t kKept = 1;

// The piece, and what is kept of the lane beside it.
PageLayout windowLayout(uint64_t bytes, uint64_t kept) {
  const uint64_t keptRounded = Arena::rounded(kept);
  if (bytes < keptRounded + Arena::kGrain) {
    throw nativeFailure("openWindow", "a window of " + std::to_string(bytes) + " bytes is too small for a lane of which " +
                                          std::to_string(kept) + " are kept");
  }
  PageLayout layout;
  layout.add(kKvSection, (bytes - keptRounded) / Arena::kGrain * Arena::kGrain);
  layout.add(kMetaSection, kept);
  return layout;
}

}  // namespace

LaneWindow::LaneWindow(Of of, PageLayout layout, const std::vector<GivenSection>& given, uint64_t bytes)
    : of_(std::move(of)), layout_(std::move(layout)) {
  uint64_t kept = headsBytes(of_.state);
  for (const GivenSection& each : given) kept += each.bytes;
  page_ = PageStore::shared().makeWindow(windowLayout(bytes, kept));
  uint8_t* target = page_->data(page_->layout().sections[kKept]);
  gatherHeads(of_.parts, of_.lane, of_.state, target);
  target += headsBytes(of_.state);
  for (const GivenSection& each : given) {
    if (each.bytes > 0) std::memcpy(target, each.data, each.bytes);
    target += each.bytes;
  }
  id_ = PageStore::shared().add(page_);
}

// Who writes the piece to a file holds it until that is done.
LaneWindow::~LaneWindow() {
  try {
    PageStore::shared().releaseOwn(id_);
  } catch (const Failure&) {
    // Somebody has let go of all that is in the store.
  }
}

void LaneWindow::fill(int32_t section, uint64_t offset, uint64_t length) {
  if (section < 0 || section >= static_cast<int32_t>(layout_.sections.size())) {
    throw badArgument("section", static_cast<double>(section), "0 to " + std::to_string(layout_.sections.size() - 1));
  }
  const PageSection& from = layout_.sections[section];
  if (offset > from.bytes) throw badArgument("offset", static_cast<double>(offset), "0 to " + std::to_string(from.bytes));
  const uint64_t most = std::min(from.bytes - offset, pieceBytes());
  if (length > most) throw badArgument("length", static_cast<double>(length), "0 to " + std::to_string(most));
  uint8_t* piece = page_->data(page_->layout().sections[kPiece]);
  if (section == 0) {
    const uint8_t* heads = page_->data(page_->layout().sections[kKept]);
    return gatherWindow(of_.parts, of_.lane, of_.state, heads, offset, offset + length, piece);
  }
  if (from.kind == kCheckpointSection) {
    std::memcpy(piece, checkpoint(section).memory.data() + offset, length);
    return;
  }
  const uint8_t* given = page_->data(page_->layout().sections[kKept]) + headsBytes(of_.state);
  for (int32_t i = 1; i < section; i++) given += layout_.sections[i].bytes;
  std::memcpy(piece, given + offset, length);
}

// A lane's checkpoints are the last sections. One that was dropped meanwhile, for those of other lanes, has left another number.
const Checkpoint& LaneWindow::checkpoint(int32_t section) const {
  const auto& sections = layout_.sections;
  const auto isCheckpoint = [](const PageSection& each) { return each.kind == kCheckpointSection; };
  const auto first = std::find_if(sections.begin(), sections.end(), isCheckpoint) - sections.begin();
  if (sections.size() - first != of_.checkpoints.size()) throw nativeFailure("fillWindow", "the lane has other checkpoints by now");
  return of_.checkpoints[section - first];
}

}  // namespace troupe
