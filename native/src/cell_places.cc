#include "cell_places.h"

#include <algorithm>

namespace troupe {

std::vector<uint32_t> cellPlaces(const llama_kv_cells& cells, const std::vector<uint32_t>& were, Placement placement) {
  const auto isFree = [&](uint32_t cell) { return cell < cells.size() && cells.is_empty(cell); };
  if (placement == Placement::same && std::all_of(were.begin(), were.end(), isFree)) return were;
  std::vector<uint32_t> lowest;
  for (uint32_t cell = 0; cell < cells.size() && lowest.size() < were.size(); cell++) {
    if (isFree(cell)) lowest.push_back(cell);
  }
  if (lowest.size() < were.size()) lowest.clear();
  return lowest;
}

}  // namespace troupe
