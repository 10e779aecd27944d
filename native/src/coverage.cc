#include "coverage.h"

#include <ggml-cpu.h>
#include <ggml.h>
#include <llama-ext.h>
#include <llama.h>

#include <memory>

#include "failure.h"
#include "log_tail.h"
#include "memory.h"

namespace troupe {
namespace {

// Lanes and rows of the small context: the number of rows tells those of all tokens from those with an output.
constexpr int32_t kLanes = 2;
constexpr int32_t kRows = 16;
constexpr int32_t kCells = 256;

struct FreeContext {
  void operator()(llama_context* context) const { llama_free(context); }
};

// What the weight's backend computes with: a weight may lie in memory of a kind that only weights have.
ggml_backend_buffer_type_t computedIn(ggml_backend_buffer_type_t weights) {
  if (onHost(weights)) return ggml_backend_cpu_buffer_type();
  return ggml_backend_dev_buffer_type(ggml_backend_buft_get_device(weights));
}

}  // namespace

class CoverageRecorder : public llama_product_hook {
 public:
  CoverageRecorder(Coverage& coverage, StackedWeights stacked) : coverage_(coverage), stacked_(stacked) {}

  uint32_t max_nodes() const override { return 0; }
  uint64_t shape() const override { return 0; }
  void plan(uint32_t, llama_seq_id**, const int8_t*) override {}
  void build() override {}
  void set_inputs() override {}

  ggml_tensor* product(ggml_context*, ggml_tensor* w, ggml_tensor* cur, ggml_tensor* res, int64_t tokens,
                       int64_t outputs) override {
    CoveredWeight& weight = record(w);
    const int64_t rows = ggml_nrows(cur);
    const ggml_backend_buffer_type_t memory = ggml_backend_buffer_get_type(w->buffer);
    if (stacked_ == StackedWeights::all || (stacked_ == StackedWeights::elsewhere && !onHost(memory))) weight.form = GeneForm::stacks;
    weight.memory = computedIn(memory);
    if (w->ne[2] != 1 || w->ne[3] != 1) weight.refusal = "it is no matrix";
    if (rows != tokens && rows != outputs) weight.refusal = "it is not multiplied once for each row of a step";
    if (cur->type != GGML_TYPE_F32 || res->type != GGML_TYPE_F32) weight.refusal = "it is not multiplied in 32-bit floats";
    return res;
  }

  void experts(ggml_tensor* w) override { record(w).refusal = "it is a weight of experts"; }

 private:
  CoveredWeight& record(const ggml_tensor* w) {
    const auto index = static_cast<int32_t>(coverage_.weights_.size());
    const auto [at, added] = coverage_.byName_.emplace(w->name, index);
    if (added) {
      CoveredWeight weight;
      weight.name = w->name;
      weight.in = w->ne[0];
      weight.out = w->ne[1];
      coverage_.weights_.push_back(std::move(weight));
    }
    coverage_.byTensor_.emplace(w, at->second);
    CoveredWeight& weight = coverage_.weights_[at->second];
    if (weight.in != w->ne[0] || weight.out != w->ne[1]) weight.refusal = "the model has two weights of this name";
    return weight;
  }

  Coverage& coverage_;
  StackedWeights stacked_;
};

Coverage Coverage::of(llama_model* model, StackedWeights stacked) {
  Coverage coverage;
  CoverageRecorder recorder(coverage, stacked);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = kCells;
  params.n_batch = kRows;
  params.n_ubatch = kRows;
  params.n_seq_max = kLanes;
  params.n_outputs_max = kLanes;
  params.kv_unified = true;
  params.product_hook = &recorder;
  clearLogTail();
  const std::unique_ptr<llama_context, FreeContext> context(llama_init_from_model(model, params));
  if (!context) throw nativeFailure("genes", logTail("llama.cpp made no context to look at the model's graphs"));
  return coverage;
}

int32_t Coverage::find(const std::string& name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? -1 : found->second;
}

int32_t Coverage::find(const ggml_tensor* weight) const {
  const auto found = byTensor_.find(weight);
  return found == byTensor_.end() ? -1 : found->second;
}

}  // namespace troupe
