// Which cells a lane's tokens take when they are put back. Sums over a lane's tokens run in the order of their cells, and
// where attention is a plain product their grouping depends on the cells themselves.
#pragma once

#include <llama-kv-cells.h>

#include <cstdint>
#include <vector>

namespace troupe {

enum class Placement {
  // The lowest free cells: whatever the lane's next tokens take comes after them, and attention looks at no more cells than it
  // must.
  lowest,
  // The cells that they were in, if all of these are free; else the lowest.
  same,
};

// As many free cells as there `were`, ascending. Empty: too few are free.
std::vector<uint32_t> cellPlaces(const llama_kv_cells& cells, const std::vector<uint32_t>& were, Placement placement);

}  // namespace troupe
