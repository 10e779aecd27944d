// What a page of a lane would hold, read piece by piece through one small piece of memory: on its way to a file no more of
// the lane is copied at a time. The pieces lie in the page store, as a page that is filled anew, so that any thread can write
// them to a file.
// On the context's thread. The lane stays as it is while it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoints.h"
#include "memory_parts.h"
#include "page_store.h"
#include "state_layout.h"

namespace troupe {

// What the caller gives to a page.
struct GivenSection {
  uint32_t kind;
  uint64_t bytes;
  // Null where only sizes are asked for.
  const uint8_t* data;
};

class LaneWindow {
 public:
  // What is read; both lists outlive it.
  struct Of {
    const std::vector<MemoryPart>& parts;
    const std::vector<Checkpoint>& checkpoints;
    int32_t lane;
    StateLayout state;
  };

  // `layout` has the state's section, those that are given, one a checkpoint. What the lane's state is but for its tensors,
  // and what is given, lies in the `bytes` too. Throws NativeFailure where these leave no room.
  LaneWindow(Of of, PageLayout layout, const std::vector<GivenSection>& given, uint64_t bytes);
  ~LaneWindow();
  LaneWindow(const LaneWindow&) = delete;
  LaneWindow& operator=(const LaneWindow&) = delete;

  int32_t lane() const { return of_.lane; }
  // What a page would have.
  const PageLayout& layout() const { return layout_; }
  // Its number in the page store; each piece lies at the beginning of its first section.
  uint64_t id() const { return id_; }
  // The most that a piece has.
  uint64_t pieceBytes() const { return page_->layout().sections.front().bytes; }
  // So many bytes of a section are the piece now. Throws BadArgument beyond the section or the piece.
  void fill(int32_t section, uint64_t offset, uint64_t length);

 private:
  const Checkpoint& checkpoint(int32_t section) const;

  const Of of_;
  const PageLayout layout_;
  std::shared_ptr<Page> page_;
  uint64_t id_ = 0;
};

}  // namespace troupe
