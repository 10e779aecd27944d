#include "stack_inputs.h"

#include <ggml-backend.h>

#include <algorithm>

namespace troupe {
namespace {

// Calls with each place of the plan that runs a gene in stacks, in order of ids: its group's index, and what it is.
template <class Take>
void eachPlace(const RowPlan& plan, const StackGroups& groups, Take&& take) {
  for (const GeneUse& use : plan.uses()) {
    const StackSlot* slot = use.gene->stacked().slot.get();
    if (!slot) continue;
    const auto group = static_cast<size_t>(std::find(groups.begin(), groups.end(), slot->group().get()) - groups.begin());
    for (size_t place = use.first; place < use.first + use.count; place++) {
      take(group, plan.row(place), slot->index(), plan.scale(place) * use.gene->stacked().scale);
    }
  }
}

struct Need {
  std::vector<int64_t> places;
  int32_t depth = 0;
};

Need needOf(const RowPlan& plan, const StackGroups& groups) {
  Need need{std::vector<int64_t>(groups.size(), 0)};
  std::vector<int32_t> depths(plan.rows(), 0);
  eachPlace(plan, groups, [&](size_t group, int32_t row, int32_t, float) {
    need.places[group]++;
    need.depth = std::max(need.depth, ++depths[row]);
  });
  return need;
}

// Places that nothing runs cost what others do; a new graph for each number of them would cost more.
int64_t roundedPlaces(int64_t places, int64_t rows) {
  const int64_t step = std::max<int64_t>(1, rows / 4);
  return std::max<int64_t>(1, (places + step - 1) / step * step);
}

ggml_tensor* input(ggml_tensor* tensor) {
  ggml_set_input(tensor);
  return tensor;
}

template <class Value>
void set(ggml_tensor* tensor, const std::vector<Value>& values) {
  ggml_backend_tensor_set(tensor, values.data(), 0, values.size() * sizeof(Value));
}

}  // namespace

bool StackInputs::fits(const RowPlan& plan, const StackGroups& groups) const {
  if (plan.rows() != rows_) return false;
  const Need need = needOf(plan, groups);
  if (need.depth > depth_) return false;
  for (size_t i = 0; i < groups.size(); i++) {
    const auto found = places_.find(groups[i]);
    if (found == places_.end() || found->second < need.places[i]) return false;
  }
  return true;
}

void StackInputs::makeRoom(const RowPlan& plan, const StackGroups& groups) {
  if (plan.rows() != rows_) {
    depth_ = 1;
    places_.clear();
  }
  rows_ = plan.rows();
  const Need need = needOf(plan, groups);
  depth_ = std::max(depth_, need.depth);
  std::map<const StackGroup*, int64_t> places;
  for (size_t i = 0; i < groups.size(); i++) {
    places[groups[i]] = std::max(places_[groups[i]], roundedPlaces(need.places[i], rows_));
  }
  places_ = std::move(places);
  groups_ = groups;
}

void StackInputs::forget() {
  picks_.clear();
  parts_.clear();
}

const StackPicks& StackInputs::picks(ggml_context* context, size_t group) {
  const auto [found, added] = picks_.try_emplace(group);
  if (added) {
    const int64_t places = places_.at(groups_[group]);
    found->second = {input(ggml_new_tensor_1d(context, GGML_TYPE_I32, places)),
                     input(ggml_new_tensor_2d(context, GGML_TYPE_I32, 1, places)),
                     input(ggml_new_tensor_3d(context, GGML_TYPE_F32, 1, 1, places))};
  }
  return found->second;
}

const std::vector<ggml_tensor*>& StackInputs::parts(ggml_context* context, GroupSet set, int64_t rows) {
  const auto [found, added] = parts_.try_emplace(set);
  for (int32_t i = 0; added && i < depth_; i++) {
    found->second.push_back(input(ggml_new_tensor_2d(context, GGML_TYPE_I32, 1, rows)));
  }
  return found->second;
}

void StackInputs::fill(const RowPlan& plan, const StackGroups& groups) const {
  for (const auto& [index, picks] : picks_) {
    const auto places = static_cast<size_t>(picks.rows->ne[0]);
    std::vector<int32_t> rows;
    std::vector<int32_t> slots;
    std::vector<float> scales;
    eachPlace(plan, groups, [&, index = index](size_t group, int32_t row, int32_t slot, float scale) {
      if (group != index) return;
      rows.push_back(row);
      slots.push_back(slot);
      scales.push_back(scale);
    });
    rows.resize(places, 0);
    slots.resize(places, 0);
    scales.resize(places, 0);
    set(picks.rows, rows);
    set(picks.slots, slots);
    set(picks.scales, scales);
  }
  for (const auto& [members, tensors] : parts_) {
    std::vector<int64_t> next(groups.size(), 0);
    int64_t all = 0;
    for (size_t i = 0; i < groups.size(); i++) {
      if (!(members >> i & 1)) continue;
      next[i] = all;
      all += places_.at(groups[i]);
    }
    std::vector<std::vector<int32_t>> found(tensors.size(), std::vector<int32_t>(rows_, static_cast<int32_t>(all)));
    std::vector<size_t> depths(rows_, 0);
    eachPlace(plan, groups, [&, members = members](size_t group, int32_t row, int32_t, float) {
      if (members >> group & 1) found[depths[row]++][row] = static_cast<int32_t>(next[group]++);
    });
    for (size_t i = 0; i < tensors.size(); i++) set(tensors[i], found[i]);
  }
}

}  // namespace troupe
