#include "state_io.h"

#include <ggml-backend.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "row_copy.h"

namespace troupe {
namespace {

void take(uint64_t& left, size_t size, const char* what) {
  if (size > left) throw std::runtime_error(what);
  left -= size;
}

// The rows of lanes whose cells interleave are single numbers where values lie transposed.
constexpr size_t kNumber = sizeof(uint16_t);
// Cells of a lane lie at like distances more often than not: so many of the distance of the last two from here there is one.
constexpr size_t kRowsAhead = 8;

}  // namespace

uint8_t* TensorBytes::of(ggml_tensor* tensor) {
  if (tensor != last_) {
    last_ = tensor;
    const ggml_backend_buffer_t buffer = tensor->view_src != nullptr ? tensor->view_src->buffer : tensor->buffer;
    bytes_ = ggml_backend_buffer_is_host(buffer) ? static_cast<uint8_t*>(tensor->data) : nullptr;
  }
  return bytes_;
}

void StateGather::write(const void* source, size_t size) {
  take(left_.meta, size, "a state has more bytes than were measured");
  std::memcpy(meta_, source, size);
  meta_ += size;
}

void StateGather::write_tensor(ggml_tensor* tensor, size_t offset, size_t size) {
  take(left_.data, size, "a state has more bytes than were measured");
  if (data_ == nullptr) return;
  if (const uint8_t* bytes = tensors_.of(tensor)) {
    const size_t ahead = offset > lastOffset_ ? kRowsAhead * (offset - lastOffset_) : 0;
    lastOffset_ = offset;
    if (size == kNumber) {
      std::memcpy(data_, bytes + offset, kNumber);
    } else {
      copyRowOut(data_, bytes + offset, size, ahead);
    }
  } else {
    ggml_backend_tensor_get(tensor, data_, offset, size);
  }
  data_ += size;
}

void StateWindow::write_tensor(ggml_tensor* tensor, size_t offset, size_t size) {
  const uint64_t begin = at_;
  at_ += size;
  const uint64_t from = std::max(begin, from_);
  const uint64_t to = std::min(at_, to_);
  if (from >= to) return;
  uint8_t* target = window_ + (from - from_);
  const size_t source = offset + (from - begin);
  if (const uint8_t* bytes = tensors_.of(tensor)) {
    std::memcpy(target, bytes + source, to - from);
  } else {
    ggml_backend_tensor_get(tensor, target, source, to - from);
  }
}

void StateScatter::read(void* target, size_t size) {
  take(left_.meta, size, "the state has fewer bytes than it tells");
  std::memcpy(target, meta_, size);
  meta_ += size;
}

void StateScatter::read_tensor(ggml_tensor* tensor, size_t offset, size_t size) {
  take(left_.data, size, "the state has fewer bytes than it tells");
  if (uint8_t* bytes = tensors_.of(tensor)) {
    if (size == kNumber) {
      std::memcpy(bytes + offset, data_, kNumber);
    } else {
      copyRowIn(bytes + offset, data_, size);
    }
  } else {
    ggml_backend_tensor_set(tensor, data_, offset, size);
  }
  data_ += size;
}

}  // namespace troupe
