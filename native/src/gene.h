// A low-rank adapter in memory, as the CPU's products read it.
// Immutable once made; thread-safe. Its memory is freed with the last holder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "factors.h"

namespace troupe {

class Gene {
 public:
  // `factors[i]` belongs to the i-th covered weight; one of rank 0 leaves the weight as it is. They point into `block`.
  Gene(Block block, std::vector<Factors> factors, int32_t rank, int32_t weights)
      : block_(std::move(block)), factors_(std::move(factors)), rank_(rank), weights_(weights) {}

  // The same in memory of its own. Throws std::bad_alloc.
  std::unique_ptr<const Gene> copy() const;

  const Factors& factors(int32_t weight) const { return factors_[weight]; }
  // The highest of its weights.
  int32_t rank() const { return rank_; }
  // Weights that it changes.
  int32_t weights() const { return weights_; }
  size_t bytes() const { return block_.bytes(); }

 private:
  Block block_;
  std::vector<Factors> factors_;
  int32_t rank_;
  int32_t weights_;
};

}  // namespace troupe
