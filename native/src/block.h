// Memory for one gene: zeroed, in huge pages where the system gives them, and back with the system once freed.
// A block may move between threads; it is not thread-safe.
#pragma once

#include <cstddef>
#include <memory>

namespace troupe {

class Block {
 public:
  // Throws std::bad_alloc.
  explicit Block(size_t bytes);

  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return data_.get_deleter().bytes; }

 private:
  struct Free {
    size_t bytes;
    explicit Free(size_t bytes) : bytes(bytes) {}
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace troupe
