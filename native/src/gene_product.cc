#include "gene_product.h"

#include <algorithm>
#include <thread>

namespace troupe {
namespace {

// Rows that a thread takes of a gene's at once in the first half.
constexpr int64_t kBlockRows = 12;
// Looks at the counter before a thread lets others run: on a busy machine the one it waits for may need this core.
constexpr int kSpins = 4096;

const float* rowOf(const ggml_tensor* tensor, int64_t row) {
  const int64_t i1 = row % tensor->ne[1];
  const int64_t i2 = row / tensor->ne[1] % tensor->ne[2];
  const int64_t i3 = row / tensor->ne[1] / tensor->ne[2];
  return reinterpret_cast<const float*>(static_cast<const char*>(tensor->data) + i1 * tensor->nb[1] +
                                        i2 * tensor->nb[2] + i3 * tensor->nb[3]);
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void waitForAll(GeneStep& step, int threads) {
  if (threads == 1) return;
  const uint32_t round = step.round.load(std::memory_order_relaxed);
  if (step.arrived.fetch_add(1, std::memory_order_acq_rel) == threads - 1) {
    step.arrived.store(0, std::memory_order_relaxed);
    step.round.store(round + 1, std::memory_order_release);
    return;
  }
  for (int looks = 0; step.round.load(std::memory_order_acquire) == round; looks++) {
    if (looks < kSpins) pause();
    else std::this_thread::yield();
  }
}

}  // namespace

ggml_tensor* GeneProduct::node(ggml_context* context, ggml_tensor* cur, ggml_tensor* res) {
  ggml_tensor* arguments[] = {cur};
  return ggml_custom_inplace(context, res, arguments, 1, apply, GGML_N_TASKS_MAX, this);
}

void GeneProduct::apply(ggml_tensor* result, int thread, int threads, void* self) {
  static_cast<const GeneProduct*>(self)->run(result, thread, threads);
}

void GeneProduct::run(ggml_tensor* result, int thread, int threads) const {
  const RowPlan& plan = ggml_nrows(result) == step_->tokens.rows() ? step_->tokens : step_->outputs;
  const auto touches = [&](const GeneUse& use) { return use.gene->factors(weight_).rank > 0; };
  if (std::none_of(plan.uses().begin(), plan.uses().end(), touches)) return;

  LowRankRow rows[kBlockRows];
  const auto take = [&](const GeneUse& use, int64_t from) {
    const int64_t count = std::min<int64_t>(kBlockRows, use.count - from);
    for (int64_t i = 0; i < count; i++) {
      const size_t place = use.first + from + i;
      rows[i] = {rowOf(result->src[1], plan.row(place)), step_->values.data() + plan.offset(place),
                 const_cast<float*>(rowOf(result, plan.row(place))),
                 plan.scale(place) * use.gene->factors(weight_).scale};
    }
    return count;
  };

  int64_t task = 0;
  for (const GeneUse& use : plan.uses()) {
    const Factors& factors = use.gene->factors(weight_);
    for (int64_t from = 0; factors.rank > 0 && from < static_cast<int64_t>(use.count); from += kBlockRows) {
      for (int32_t group = 0; group < paddedRank(factors.rank) / kGroup; group++) {
        if (task++ % threads == thread) shrink(factors, group, rows, take(use, from));
      }
    }
  }
  waitForAll(*step_, threads);
  for (const GeneUse& use : plan.uses()) {
    const Factors& factors = use.gene->factors(weight_);
    const int64_t all = factors.rank > 0 ? tiles(factors) : 0;
    const int64_t first = all * thread / threads;
    const int64_t end = all * (thread + 1) / threads;
    for (int64_t from = 0; first < end && from < static_cast<int64_t>(use.count); from += kBlockRows) {
      expand(factors, first, end, rows, take(use, from));
    }
  }
}

}  // namespace troupe
