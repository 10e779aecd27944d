// How a context's lanes become pages and come back, and how lanes that cannot be cut back are taken back to checkpoints.
// Belongs to the context's thread; the pages do not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cell_places.h"
#include "checkpoints.h"
#include "fingerprint.h"
#include "lane_window.h"
#include "memory_parts.h"
#include "page_store.h"

namespace troupe {

class Paging {
 public:
  // `memory` lives as long as this. `path` is of the model, for errors.
  Paging(llama_memory_i* memory, int32_t lanes, const PageFields& fields, std::string path);

  const std::string& fingerprint() const { return fingerprint_; }

  // Of a lane that holds so many tokens, at least one. Throws ModelUnsupported.
  uint64_t pageBytes(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given) const;
  // The lane stays as it is. Throws ModelUnsupported, OverCeiling, NativeFailure.
  std::shared_ptr<Page> pageOut(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given) const;
  // The same, to be read piece by piece while the lane stays as it is: `bytes` for all that this takes at a time. Throws as
  // pageOut, but for the ceiling.
  std::unique_ptr<LaneWindow> window(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given, uint64_t bytes) const;
  // Into an empty lane; answers how many tokens it then holds. When it throws the lane is empty. Throws PageMismatch,
  // PageCorrupt, ModelUnsupported, NativeFailure.
  int32_t pageIn(int32_t lane, const Page& page);

  const Checkpoint* checkpoint(int32_t lane, int32_t tokens);
  // Answers the position that the lane was taken back to. When it throws the lane is empty.
  std::optional<int32_t> restore(int32_t lane, int32_t position);
  // Forgets the checkpoints of what the lane no longer holds.
  void keepUpTo(int32_t lane, int32_t tokens) { checkpoints_.dropAfter(lane, tokens); }
  const std::vector<Checkpoint>& checkpoints(int32_t lane) const { return checkpoints_.of(lane); }
  void setCheckpointBudget(uint64_t bytes);
  CheckpointCounts checkpointCounts() const { return checkpoints_.counts(); }
  // Those that the last `pageIn`, `checkpoint` or `setCheckpointBudget` dropped to stay in the budget.
  const std::vector<EvictedCheckpoint>& evictedCheckpoints() const { return checkpoints_.evicted(); }

 private:
  const std::vector<MemoryPart>& parts() const;
  PageLayout layoutOf(int32_t lane, uint64_t stateBytes, int32_t tokens, const std::vector<GivenSection>& given) const;
  void takeCheckpoints(int32_t lane, const Page& page);
  void empty(int32_t lane);

  llama_memory_i* memory_;
  std::string fingerprint_;
  std::string path_;
  Placement placement_;
  std::optional<std::vector<MemoryPart>> parts_;
  // Those that do not roll back.
  std::vector<MemoryPart> held_;
  Checkpoints checkpoints_;
};

}  // namespace troupe
