// Memory for one gene, of the arena of genes: what it holds at first is not defined.
// A block may move between threads; it is not thread-safe.
#pragma once

#include <cstddef>

#include "arena.h"

namespace troupe {

class Block {
 public:
  // Throws NativeFailure when the system has no memory.
  explicit Block(size_t bytes) : memory_(bytes == 0 ? Extent() : Arena::genes().take(bytes)) {}

  std::byte* data() const { return reinterpret_cast<std::byte*>(memory_.data()); }
  // 0, or at least as many as it was made for.
  size_t bytes() const { return memory_.bytes(); }

 private:
  Extent memory_;
};

}  // namespace troupe
