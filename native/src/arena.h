// Memory for pages, checkpoints and genes: huge pages that stay touched between uses, because a copy into memory that was never
// touched costs several times one into memory that was. What is free beyond a bound goes back to the system.
// Thread-safe. An arena outlives what was taken from it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "ranges.h"

namespace troupe {

class Arena;

// A piece of an arena, given back when it goes. Movable; belongs to whoever holds it.
class Extent {
 public:
  Extent() = default;
  Extent(Arena* arena, uint8_t* data, uint64_t bytes) : arena_(arena), data_(data), bytes_(bytes) {}
  Extent(Extent&& other) noexcept;
  Extent& operator=(Extent&& other) noexcept;
  ~Extent();

  uint8_t* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Arena* arena_ = nullptr;
  uint8_t* data_ = nullptr;
  uint64_t bytes_ = 0;
};

class Arena {
 public:
  // What a piece is rounded up to.
  static constexpr uint64_t kGrain = 4096;
  // What is touched, and given back, at once: a huge page.
  static constexpr uint64_t kHugePage = uint64_t{2} << 20;

  // Keeps at most so much of what is free.
  explicit Arena(uint64_t mostFreeBytes) : mostFreeBytes_(mostFreeBytes), keepFreeBytes_(mostFreeBytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Of the process, for pages and checkpoints, for genes, and for windows, which keeps nothing that is free; never destroyed.
  static Arena& shared();
  static Arena& genes();
  static Arena& windows();

  static uint64_t rounded(uint64_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

  // At least 1 byte. What it holds is not defined. Throws NativeFailure when the system has no memory.
  Extent take(uint64_t bytes);
  uint64_t usedBytes() const;
  // Held, and not used.
  uint64_t freeBytes() const;
  // From the next change on it keeps no more of what is free than this, nor than it keeps anyway.
  void keepFree(uint64_t bytes);
  // Gives back what is free; answers how much.
  uint64_t trim();

 private:
  friend class Extent;

  void giveBack(uint8_t* data, uint64_t bytes);
  std::map<uintptr_t, uint64_t>::iterator fit(uint64_t bytes);
  void grow(uint64_t bytes);
  void release(uintptr_t address, uint64_t bytes);
  uint64_t heldFree() const { return touched_.size() * kHugePage - given_.bytes() - used_; }
  uint64_t shrink(uint64_t keepBytes);
  uint64_t givePages(uint64_t keepBytes);
  uint64_t giveParts(uint64_t keepBytes);
  uint64_t givePart(uintptr_t from, uintptr_t to);

  const uint64_t mostFreeBytes_;
  mutable std::mutex mutex_;
  uint64_t keepFreeBytes_;
  // By address; neighbours are one.
  std::map<uintptr_t, uint64_t> free_;
  // Addresses of the huge pages that hold memory of the system.
  std::set<uintptr_t> touched_;
  // Free parts of these that do not, for the rest of the huge page is used.
  Ranges given_;
  uint64_t used_ = 0;
};

}  // namespace troupe
