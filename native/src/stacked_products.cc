#include "stacked_products.h"

#include <algorithm>

namespace troupe {

// A group in the graph that has gone since cannot be computed with, though no row may want it.
bool StackedProducts::hold() {
  for (const auto& each : known_) {
    std::shared_ptr<StackGroup> group = each.lock();
    if (!group) return false;
    held_.push_back(std::move(group));
  }
  return true;
}

void StackedProducts::plan(const RowPlan& tokens, const RowPlan& outputs,
                           const std::vector<std::shared_ptr<StackGroup>>& running) {
  const bool known = std::all_of(running.begin(), running.end(), [&](const auto& group) {
    return std::find(groups_.begin(), groups_.end(), group.get()) != groups_.end();
  });
  if (hold() && known && tokens_.fits(tokens, groups_) && outputs_.fits(outputs, groups_)) return;
  if (running.empty() && groups_.empty()) return;
  known_.assign(running.begin(), running.end());
  held_.insert(held_.end(), running.begin(), running.end());
  groups_.clear();
  for (const auto& each : running) groups_.push_back(each.get());
  tokens_.makeRoom(tokens, groups_);
  outputs_.makeRoom(outputs, groups_);
  shape_++;
}

void StackedProducts::build() {
  tokens_.forget();
  outputs_.forget();
}

ggml_tensor* StackedProducts::nodes(ggml_context* context, int32_t weight, ggml_tensor* cur, ggml_tensor* res, bool outputs) {
  const int64_t rows = ggml_nrows(cur);
  GroupSet set = 0;
  for (size_t i = 0; i < groups_.size(); i++) {
    if (groups_[i]->a(weight)) set |= GroupSet{1} << i;
  }
  if (set == 0 || rows == 0) return res;
  StackInputs& inputs = outputs ? outputs_ : tokens_;

  cur = ggml_is_contiguous(cur) ? ggml_reshape_2d(context, cur, cur->ne[0], rows) : ggml_cont_2d(context, cur, cur->ne[0], rows);
  ggml_tensor* places = nullptr;
  const auto behind = [&](ggml_tensor* more) { places = places ? ggml_concat(context, places, more, 1) : more; };
  ggml_tensor* zeros = nullptr;
  for (size_t i = 0; i < groups_.size(); i++) {
    if (!(set >> i & 1)) continue;
    const StackPicks& picks = inputs.picks(context, i);
    ggml_tensor* x = ggml_get_rows(context, cur, picks.rows);
    x = ggml_reshape_3d(context, x, x->ne[0], 1, x->ne[1]);
    ggml_tensor* h = ggml_mul(context, ggml_mul_mat_id(context, groups_[i]->a(weight), x, picks.slots), picks.scales);
    ggml_tensor* y = ggml_mul_mat_id(context, groups_[i]->b(weight), h, picks.slots);
    behind(ggml_reshape_2d(context, y, y->ne[0], y->ne[2]));
    zeros = groups_[i]->zeros(weight);
  }
  behind(ggml_reshape_2d(context, zeros, zeros->ne[0], 1));
  ggml_tensor* sum = ggml_reshape_3d(context, res, res->ne[0], 1, rows);
  for (ggml_tensor* part : inputs.parts(context, set, rows)) sum = ggml_add_id(context, sum, places, part);
  return ggml_reshape_4d(context, sum, res->ne[0], res->ne[1], res->ne[2], res->ne[3]);
}

void StackedProducts::setInputs(const RowPlan& tokens, const RowPlan& outputs) const {
  tokens_.fill(tokens, groups_);
  outputs_.fill(outputs, groups_);
}

}  // namespace troupe
