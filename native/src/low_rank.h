// The two halves of a low-rank product on the CPU, for rows that run the same gene.
// A row's numbers do not depend on which rows are beside it: each row goes through the same operations in the same
// order however many are done at once.
// Pure functions over the caller's memory; fit for any thread.
#pragma once

#include <cstdint>

#include "factors.h"

namespace troupe {

// One row's part in a product: `x` of length in, `h` of at least the padded rank, `y` of length out.
struct LowRankRow {
  const float* x;
  float* h;
  float* y;
  // What A x is multiplied by.
  float scale;
};

// h = scale A x, for the eight rows of A of one group.
void shrink(const Factors& factors, int32_t group, const LowRankRow* rows, int64_t count);

// Tiles of outputs that `expand` counts.
int64_t tiles(const Factors& factors);

// y += B h, for the outputs of tiles `first` to `end`, the last excluded.
void expand(const Factors& factors, int64_t first, int64_t end, const LowRankRow* rows, int64_t count);

}  // namespace troupe
