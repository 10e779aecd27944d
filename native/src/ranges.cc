#include "ranges.h"

#include <algorithm>

namespace troupe {

void Ranges::add(uintptr_t from, uintptr_t to) {
  ends_[from] = to;
  bytes_ += to - from;
}

uint64_t Ranges::remove(uintptr_t from, uintptr_t to) {
  uint64_t removed = 0;
  auto each = ends_.upper_bound(from);
  if (each != ends_.begin()) --each;
  while (each != ends_.end() && each->first < to) {
    const auto [begin, end] = *each;
    if (end <= from) {
      ++each;
      continue;
    }
    each = ends_.erase(each);
    removed += std::min(end, to) - std::max(begin, from);
    if (begin < from) ends_[begin] = from;
    if (end > to) ends_[to] = end;
  }
  bytes_ -= removed;
  return removed;
}

uint64_t Ranges::within(uintptr_t from, uintptr_t to) const {
  uint64_t bytes = 0;
  auto each = ends_.upper_bound(from);
  if (each != ends_.begin()) --each;
  for (; each != ends_.end() && each->first < to; ++each) {
    const auto [begin, end] = *each;
    if (end > from) bytes += std::min(end, to) - std::max(begin, from);
  }
  return bytes;
}

}  // namespace troupe
