#include "block.h"

#include <cstdint>
#include <cstring>
#include <new>

#ifndef _WIN32
#include <sys/mman.h>
#endif

namespace troupe {
namespace {

// The heap keeps what is freed; a mapping of its own does not.
constexpr size_t kPage = 4096;
constexpr size_t kHugePage = 2 << 20;

size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

#ifdef _WIN32

Block::Block(size_t bytes)
    : data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kHugePage})), Free(bytes)) {
  std::memset(data_.get(), 0, bytes);
}

void Block::Free::operator()(std::byte* data) const { ::operator delete(data, std::align_val_t{kHugePage}); }

#else

namespace {

std::byte* map(size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(data);
}

// A huge page begins at a multiple of its size: more is mapped, and what is too much given back.
std::byte* mapAligned(size_t bytes) {
  std::byte* wide = map(bytes + kHugePage);
  const auto address = reinterpret_cast<uintptr_t>(wide);
  const size_t before = rounded(address, kHugePage) - address;
  if (before > 0) munmap(wide, before);
  if (before < kHugePage) munmap(wide + before + bytes, kHugePage - before);
  return wide + before;
}

std::byte* mapped(size_t bytes) {
  if (bytes < kHugePage) return map(bytes);
  std::byte* data = mapAligned(bytes);
#ifdef MADV_HUGEPAGE
  madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

}  // namespace

Block::Block(size_t bytes)
    : data_(bytes == 0 ? nullptr : mapped(rounded(bytes, kPage)), Free(rounded(bytes, kPage))) {}

void Block::Free::operator()(std::byte* data) const { munmap(data, bytes); }

#endif

}  // namespace troupe
