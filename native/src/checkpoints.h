// States that lanes can be taken back to, in one budget over all lanes of a context.
// Belongs to the context's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "arena.h"

namespace troupe {

struct Checkpoint {
  // Tokens that the lane held.
  int32_t position;
  // A section as state_layout.h has it.
  uint64_t bytes;
  Extent memory;
};

// One that was dropped to stay in the budget.
struct EvictedCheckpoint {
  int32_t lane;
  int32_t position;
  uint64_t bytes;
};

struct CheckpointCounts {
  uint64_t bytes = 0;
  uint64_t budget = 0;
  uint64_t evicted = 0;
  uint64_t skipped = 0;
};

class Checkpoints {
 public:
  explicit Checkpoints(int32_t lanes) : lanes_(lanes) {}

  // In order of positions.
  const std::vector<Checkpoint>& of(int32_t lane) const { return lanes_[lane]; }
  // The one at that position, or else the newest before it; null: there is none.
  const Checkpoint* newest(int32_t lane, int32_t position) const;
  // Makes room for so many bytes: as long as they do not fit, the lane that holds most drops its oldest after its first.
  // False: they do not fit, and are counted as skipped.
  bool admit(uint64_t bytes);
  // After `admit`; beyond all positions that the lane has.
  void add(int32_t lane, Checkpoint checkpoint);
  void dropAfter(int32_t lane, int32_t position);
  void setBudget(uint64_t bytes);
  CheckpointCounts counts() const { return counts_; }
  // In order, since they were last forgotten.
  const std::vector<EvictedCheckpoint>& evicted() const { return evicted_; }
  void forgetEvicted() { evicted_.clear(); }

 private:
  using Lane = std::vector<Checkpoint>;

  uint64_t held(const Lane& lane) const;
  void evictTo(uint64_t bytes, size_t keptOfEach);
  void drop(Lane& lane, Lane::iterator from, Lane::iterator to);

  std::vector<Lane> lanes_;
  CheckpointCounts counts_;
  std::vector<EvictedCheckpoint> evicted_;
};

}  // namespace troupe
