// How llama.cpp's own writing and reading of a sequence's state is turned into copies straight between its tensors and a
// page. What it calls with plain bytes (positions, types, sizes) goes into one stream, the tensors' bytes into another.
// One object belongs to one thread.
#pragma once

#include <llama-io.h>

#include <cstddef>
#include <cstdint>

namespace troupe {

// Bytes of one part of a state.
struct StateBytes {
  uint64_t meta = 0;
  uint64_t data = 0;
};

// A tensor's bytes, where the processor can reach them.
class TensorBytes {
 public:
  // Null: they lie on a device.
  uint8_t* of(ggml_tensor* tensor);

 private:
  ggml_tensor* last_ = nullptr;
  uint8_t* bytes_ = nullptr;
};

// Counts, and copies nothing.
class StateMeasure final : public llama_io_write_i {
 public:
  void write(const void*, size_t size) override { bytes_.meta += size; }
  void write_tensor(ggml_tensor*, size_t, size_t size) override { bytes_.data += size; }
  size_t n_bytes() override { return bytes_.meta + bytes_.data; }
  StateBytes bytes() const { return bytes_; }

 private:
  StateBytes bytes_;
};

// Fills a part whose size was measured before; without `data` what comes of tensors is only counted. Throws when more comes.
class StateGather final : public llama_io_write_i {
 public:
  StateGather(uint8_t* meta, uint8_t* data, StateBytes room) : meta_(meta), data_(data), left_(room), room_(room) {}

  void write(const void* source, size_t size) override;
  void write_tensor(ggml_tensor* tensor, size_t offset, size_t size) override;
  size_t n_bytes() override { return room_.meta - left_.meta + room_.data - left_.data; }
  bool full() const { return left_.meta == 0 && left_.data == 0; }

 private:
  uint8_t* meta_;
  uint8_t* data_;
  StateBytes left_;
  StateBytes room_;
  TensorBytes tensors_;
  size_t lastOffset_ = 0;
};

// Copies of what a part's tensors hold, one after the other, the bytes from `from` up to `to`, and passes over the rest.
class StateWindow final : public llama_io_write_i {
 public:
  StateWindow(uint8_t* window, uint64_t from, uint64_t to) : window_(window), from_(from), to_(to) {}

  void write(const void*, size_t) override {}
  void write_tensor(ggml_tensor* tensor, size_t offset, size_t size) override;
  // Of tensors, of all that came.
  size_t n_bytes() override { return at_; }

 private:
  uint8_t* window_;
  uint64_t from_;
  uint64_t to_;
  uint64_t at_ = 0;
  TensorBytes tensors_;
};

// Puts a part back. Throws when more is wanted than there is.
class StateScatter final : public llama_io_read_i {
 public:
  StateScatter(const uint8_t* meta, const uint8_t* data, StateBytes bytes)
      : meta_(meta), data_(data), left_(bytes), all_(bytes) {}

  void read(void* target, size_t size) override;
  void read_tensor(ggml_tensor* tensor, size_t offset, size_t size) override;
  size_t n_bytes() override { return all_.meta - left_.meta + all_.data - left_.data; }
  bool used() const { return left_.meta == 0 && left_.data == 0; }

 private:
  const uint8_t* meta_;
  const uint8_t* data_;
  StateBytes left_;
  StateBytes all_;
  TensorBytes tensors_;
};

}  // namespace troupe
