// Ranges of addresses that do not overlap, and how many bytes they are together.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>

namespace troupe {

class Ranges {
 public:
  // Nothing of it is in any range yet.
  void add(uintptr_t from, uintptr_t to);
  // Answers how many bytes of it were in any range.
  uint64_t remove(uintptr_t from, uintptr_t to);
  // How many bytes of it are in any range.
  uint64_t within(uintptr_t from, uintptr_t to) const;
  uint64_t bytes() const { return bytes_; }

 private:
  // By their beginnings, the ends.
  std::map<uintptr_t, uintptr_t> ends_;
  uint64_t bytes_ = 0;
};

}  // namespace troupe
