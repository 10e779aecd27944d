#include "stacks.h"

#include <algorithm>
#include <map>
#include <new>

namespace troupe {
namespace {

constexpr int32_t kLeastRank = 8;
// A group is as large as those of its shape together, between these: more genes than that want few groups, for each of
// them costs nodes in a graph, and a single gene should not take the memory of many.
constexpr int32_t kFirstSlots = 4;
constexpr int32_t kMostSlots = 64;

ggml_type typeOf(const StackShape& shape) { return shape.half ? GGML_TYPE_F16 : GGML_TYPE_F32; }

}  // namespace

bool StackShape::empty() const {
  return std::all_of(ranks.begin(), ranks.end(), [](int32_t rank) { return rank == 0; });
}

int32_t stackedRank(int32_t rank) {
  int32_t rounded = kLeastRank;
  while (rounded < rank) rounded *= 2;
  return rounded;
}

size_t stackedBytes(const Coverage& coverage, const StackShape& shape) {
  size_t values = 0;
  for (size_t i = 0; i < shape.ranks.size(); i++) {
    const CoveredWeight& weight = coverage.weights()[i];
    values += static_cast<size_t>(shape.ranks[i]) * (weight.in + weight.out);
  }
  return values * ggml_type_size(typeOf(shape));
}

StackGroup::StackGroup(const Coverage& coverage, StackShape shape, int32_t slots)
    : shape_(std::move(shape)), pairs_(shape_.ranks.size()), taken_(slots, false) {
  std::map<ggml_backend_buffer_type_t, ggml_context*> byMemory;
  for (size_t i = 0; i < shape_.ranks.size(); i++) {
    const int32_t rank = shape_.ranks[i];
    if (rank == 0) continue;
    const CoveredWeight& weight = coverage.weights()[i];
    ggml_context*& context = byMemory[weight.memory];
    if (!context) {
      contexts_.emplace_back(ggml_init({3 * shape_.ranks.size() * ggml_tensor_overhead(), nullptr, true}));
      if (!(context = contexts_.back().get())) throw std::bad_alloc();
    }
    pairs_[i] = {ggml_new_tensor_3d(context, typeOf(shape_), weight.in, rank, slots),
                 ggml_new_tensor_3d(context, typeOf(shape_), rank, weight.out, slots),
                 ggml_new_tensor_1d(context, GGML_TYPE_F32, weight.out)};
  }
  for (const auto& [memory, context] : byMemory) {
    buffers_.emplace_back(ggml_backend_alloc_ctx_tensors_from_buft(context, memory));
    if (!buffers_.back()) throw std::bad_alloc();
    ggml_backend_buffer_set_usage(buffers_.back().get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    // A step multiplies by zero what it has no use for, and zero times anything must be zero.
    ggml_backend_buffer_clear(buffers_.back().get(), 0);
  }
}

StackSlot::~StackSlot() {
  std::lock_guard lock(group_->mutex_);
  group_->taken_[index_] = false;
}

template <class Move>
void StackSlot::each(Move&& move) const {
  size_t offset = 0;
  for (const auto& pair : group_->pairs_) {
    for (ggml_tensor* tensor : {pair.a, pair.b}) {
      if (!tensor) continue;
      move(tensor, offset, index_ * tensor->nb[2], tensor->nb[2]);
      offset += tensor->nb[2];
    }
  }
}

void StackSlot::write(const std::byte* from) {
  each([&](ggml_tensor* tensor, size_t offset, size_t at, size_t bytes) {
    ggml_backend_tensor_set(tensor, from + offset, at, bytes);
  });
}

void StackSlot::read(std::byte* to) const {
  each([&](ggml_tensor* tensor, size_t offset, size_t at, size_t bytes) {
    ggml_backend_tensor_get(tensor, to + offset, at, bytes);
  });
}

std::unique_ptr<StackSlot> Stacks::take(const Coverage& coverage, const StackShape& shape) {
  std::lock_guard lock(mutex_);
  int32_t slots = 0;
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), [](const auto& each) { return each.expired(); }), groups_.end());
  for (const auto& each : groups_) {
    const std::shared_ptr<StackGroup> group = each.lock();
    if (!group || !(group->shape() == shape)) continue;
    std::lock_guard groupLock(group->mutex_);
    const auto free = std::find(group->taken_.begin(), group->taken_.end(), false);
    slots += group->slots();
    if (free == group->taken_.end()) continue;
    *free = true;
    return std::make_unique<StackSlot>(group, static_cast<int32_t>(free - group->taken_.begin()));
  }
  const auto group = std::make_shared<StackGroup>(coverage, shape, std::clamp(slots, kFirstSlots, kMostSlots));
  groups_.push_back(group);
  group->taken_[0] = true;
  return std::make_unique<StackSlot>(group, 0);
}

}  // namespace troupe
