// The factors of genes for weights that do not lie in host memory: on the weight's own backend, one upon another, so that
// `mul_mat_id` picks them by number.
//
// Memory comes in groups of slots, one gene a slot, and a group goes when its last gene does. Genes share a group when they
// change the same weights at ranks of about the same size: nobody pays for the rank of others.
// Thread-safe: groups are made and freed, and slots written, on any thread.
#pragma once

#include <ggml-backend.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "coverage.h"

namespace troupe {

// What the genes of one group have in common.
struct StackShape {
  // 16-bit floats, else 32-bit ones.
  bool half = false;
  // By covered weight, rounded up to a power of two of at least eight; 0: it is left as it is, or its form is another.
  std::vector<int32_t> ranks;

  bool empty() const;
  bool operator==(const StackShape& other) const { return half == other.half && ranks == other.ranks; }
};

// A rank as stacks have it.
int32_t stackedRank(int32_t rank);

class StackGroup {
 public:
  // Throws std::bad_alloc.
  StackGroup(const Coverage& coverage, StackShape shape, int32_t slots);

  const StackShape& shape() const { return shape_; }
  int32_t slots() const { return static_cast<int32_t>(taken_.size()); }
  // [in, rank, slots] and [rank, out, slots]; null for a weight that its genes leave as it is.
  ggml_tensor* a(int32_t weight) const { return pairs_[weight].a; }
  ggml_tensor* b(int32_t weight) const { return pairs_[weight].b; }
  // [out]: zeros beside the weight's factors.
  ggml_tensor* zeros(int32_t weight) const { return pairs_[weight].zeros; }

 private:
  friend class Stacks;
  friend class StackSlot;
  struct FreeContext {
    void operator()(ggml_context* context) const { ggml_free(context); }
  };
  struct FreeBuffer {
    void operator()(ggml_backend_buffer* buffer) const { ggml_backend_buffer_free(buffer); }
  };
  struct Pair {
    ggml_tensor* a = nullptr;
    ggml_tensor* b = nullptr;
    ggml_tensor* zeros = nullptr;
  };

  StackShape shape_;
  std::vector<Pair> pairs_;
  std::vector<bool> taken_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ggml_context, FreeContext>> contexts_;
  std::vector<std::unique_ptr<ggml_backend_buffer, FreeBuffer>> buffers_;
};

// One gene's place in a group. It holds the group, and gives the place back when it goes.
class StackSlot {
 public:
  StackSlot(std::shared_ptr<StackGroup> group, int32_t index) : group_(std::move(group)), index_(index) {}
  ~StackSlot();
  StackSlot(const StackSlot&) = delete;
  StackSlot& operator=(const StackSlot&) = delete;

  const std::shared_ptr<StackGroup>& group() const { return group_; }
  int32_t index() const { return index_; }
  // All factors of the gene, weight by weight, A before B.
  void write(const std::byte* from);
  void read(std::byte* to) const;

 private:
  template <class Move>
  void each(Move&& move) const;

  std::shared_ptr<StackGroup> group_;
  int32_t index_;
};

// Bytes of all factors of one gene.
size_t stackedBytes(const Coverage& coverage, const StackShape& shape);

// The groups of one model.
class Stacks {
 public:
  // The lowest free place in the oldest group of that shape; a group is made when there is none. Throws std::bad_alloc.
  std::unique_ptr<StackSlot> take(const Coverage& coverage, const StackShape& shape);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<StackGroup>> groups_;
};

}  // namespace troupe
