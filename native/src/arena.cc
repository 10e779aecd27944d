#include "arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "failure.h"

namespace troupe {
namespace {

// Address space that is asked for at once. It holds no memory until it is touched, and is never unmapped.
constexpr uint64_t kGrowBytes = uint64_t{64} << 20;
// A few pages of a small model, one of a large one's short talks: enough that paging back and forth touches nothing new.
constexpr uint64_t kKeepFreeBytes = uint64_t{256} << 20;
// What a gene leaves when it moves, even one of a large model, for the next one that does.
constexpr uint64_t kKeepFreeGeneBytes = uint64_t{128} << 20;

uint64_t roundedDown(uint64_t value, uint64_t unit) { return value / unit * unit; }
uint64_t roundedUp(uint64_t value, uint64_t unit) { return roundedDown(value + unit - 1, unit); }

}  // namespace

Extent::Extent(Extent&& other) noexcept { *this = std::move(other); }

Extent& Extent::operator=(Extent&& other) noexcept {
  std::swap(arena_, other.arena_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Extent::~Extent() {
  if (arena_ != nullptr) arena_->giveBack(data_, bytes_);
}

Arena& Arena::shared() {
  static Arena& arena = *std::make_unique<Arena>(kKeepFreeBytes).release();
  return arena;
}

Arena& Arena::windows() {
  static Arena& arena = *std::make_unique<Arena>(0).release();
  return arena;
}
Arena& Arena::genes() {
  static Arena& arena = *std::make_unique<Arena>(kKeepFreeGeneBytes).release();
  return arena;
}

Extent Arena::take(uint64_t bytes) {
  bytes = rounded(bytes);
  std::lock_guard lock(mutex_);
  auto found = fit(bytes);
  if (found == free_.end()) {
    grow(bytes);
    found = fit(bytes);
  }
  const auto [address, size] = *found;
  free_.erase(found);
  if (size > bytes) free_[address + bytes] = size - bytes;
  for (uintptr_t page = roundedDown(address, kHugePage); page < address + bytes; page += kHugePage) touched_.insert(page);
  given_.remove(address, address + bytes);
  used_ += bytes;
  shrink(keepFreeBytes_);
  return {this, reinterpret_cast<uint8_t*>(address), bytes};
}

// The lowest that is large enough: what is in use stays together, and what is above it can be given back.
std::map<uintptr_t, uint64_t>::iterator Arena::fit(uint64_t bytes) {
  return std::find_if(free_.begin(), free_.end(), [&](const auto& each) { return each.second >= bytes; });
}

void Arena::grow(uint64_t bytes) {
  const uint64_t block = std::max(roundedUp(bytes, kHugePage), kGrowBytes);
  // One huge page more, so that the block can begin at one.
  void* mapped = mmap(nullptr, block + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw nativeFailure("memory", "the system has no " + std::to_string(bytes) + " bytes: " + std::strerror(errno));
  }
  const uintptr_t address = roundedUp(reinterpret_cast<uintptr_t>(mapped), kHugePage);
  // Refused where there are no huge pages: then the block is of small ones.
  madvise(reinterpret_cast<void*>(address), block, MADV_HUGEPAGE);
  release(address, block);
}

void Arena::release(uintptr_t address, uint64_t bytes) {
  auto at = free_.emplace(address, bytes).first;
  const auto next = std::next(at);
  if (next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at == free_.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second != at->first) return;
  before->second += at->second;
  free_.erase(at);
}

void Arena::giveBack(uint8_t* data, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  release(reinterpret_cast<uintptr_t>(data), bytes);
  used_ -= bytes;
  shrink(keepFreeBytes_);
}

uint64_t Arena::shrink(uint64_t keepBytes) {
  const uint64_t given = givePages(keepBytes);
  return given + giveParts(keepBytes);
}

// From above, huge pages that nothing uses any part of.
uint64_t Arena::givePages(uint64_t keepBytes) {
  uint64_t given = 0;
  for (auto page = touched_.end(); heldFree() > keepBytes && page != touched_.begin();) {
    --page;
    const auto above = free_.upper_bound(*page);
    if (above == free_.begin()) continue;
    const auto [address, size] = *std::prev(above);
    if (*page + kHugePage > address + size) continue;
    if (madvise(reinterpret_cast<void*>(*page), kHugePage, MADV_DONTNEED) != 0) continue;
    given += kHugePage - given_.remove(*page, *page + kHugePage);
    page = touched_.erase(page);
  }
  return given;
}

// From above, what is free at the edges of huge pages that are used beyond them: they fall apart into small ones.
uint64_t Arena::giveParts(uint64_t keepBytes) {
  uint64_t given = 0;
  for (auto each = free_.rbegin(); each != free_.rend() && heldFree() > keepBytes; ++each) {
    const auto [from, bytes] = *each;
    const uintptr_t to = from + bytes;
    given += givePart(from, std::min<uintptr_t>(to, roundedUp(from, kHugePage)));
    given += givePart(std::max<uintptr_t>(from, roundedDown(to, kHugePage)), to);
  }
  return given;
}

uint64_t Arena::givePart(uintptr_t from, uintptr_t to) {
  if (from >= to || touched_.count(roundedDown(from, kHugePage)) == 0) return 0;
  const uint64_t held = to - from - given_.within(from, to);
  if (held == 0 || madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED) != 0) return 0;
  given_.remove(from, to);
  given_.add(from, to);
  return held;
}

uint64_t Arena::usedBytes() const {
  std::lock_guard lock(mutex_);
  return used_;
}

uint64_t Arena::freeBytes() const {
  std::lock_guard lock(mutex_);
  return heldFree();
}

void Arena::keepFree(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  keepFreeBytes_ = std::min(bytes, mostFreeBytes_);
}

uint64_t Arena::trim() {
  std::lock_guard lock(mutex_);
  return shrink(0);
}

}  // namespace troupe
