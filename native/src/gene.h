// A low-rank adapter in memory, as the products read it: for weights in host memory a block of its own, for others a place
// in a group of stacks, or the same bytes on the host while the gene is out of the way there.
// Thread-safe once it is settled, and immutable then. Its memory is freed with the last holder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "factors.h"
#include "stacks.h"

namespace troupe {

// Of a gene whose weights are all in host memory it is empty.
struct StackedPart {
  StackShape shape;
  // What it is multiplied by at scale 1.
  float scale = 1;
  size_t bytes = 0;
  // One of both, or none.
  Block onHost = Block(0);
  std::unique_ptr<StackSlot> slot;
};

class Gene {
 public:
  // `factors[i]` belongs to the i-th covered weight; one of rank 0 leaves the weight as it is, or is in the stacked part.
  // They point into `block`.
  Gene(Block block, std::vector<Factors> factors, StackedPart stacked, int32_t rank, int32_t weights)
      : block_(std::move(block)), factors_(std::move(factors)), stacked_(std::move(stacked)), rank_(rank), weights_(weights) {}

  // The same in memory of its own, its stacked part on the host. Throws std::bad_alloc.
  std::unique_ptr<Gene> copy() const;
  // Brings the stacked part from the host to its weights. Throws std::bad_alloc.
  void settle(Stacks& stacks, const Coverage& coverage);

  const Factors& factors(int32_t weight) const { return factors_[weight]; }
  const StackedPart& stacked() const { return stacked_; }
  // The highest of its weights.
  int32_t rank() const { return rank_; }
  // Weights that it changes.
  int32_t weights() const { return weights_; }
  size_t bytes() const { return block_.bytes() + stacked_.bytes; }

 private:
  Block block_;
  std::vector<Factors> factors_;
  StackedPart stacked_;
  int32_t rank_;
  int32_t weights_;
};

}  // namespace troupe
