#include "new_context.h"

#include <string>

#include "failure.h"
#include "log_tail.h"

namespace troupe {
namespace {

constexpr int32_t kCellBlock = 256;

bool abortAsked(void* data) {
  const auto* flag = static_cast<const volatile int32_t*>(data);
  return flag != nullptr && *flag != 0;
}

llama_context_params contextParams(const Model& model, const LanesOptions& options) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = roundedCells(options.cells);
  params.n_batch = options.rows;
  params.n_ubatch = options.rows;
  params.n_seq_max = options.lanes;
  params.n_outputs_max = options.lanes;
  params.n_threads = options.threads;
  params.n_threads_batch = options.promptThreads;
  params.flash_attn_type = options.flashAttention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.type_k = GGML_TYPE_F16;
  params.type_v = GGML_TYPE_F16;
  params.abort_callback = abortAsked;
  params.abort_callback_data = const_cast<int32_t*>(options.abortFlag);
  params.offload_kqv = model.offloads();
  params.op_offload = model.offloads();
  params.no_perf = true;
  params.kv_unified = true;
  // Cells that a window has passed are kept while there is room, so that a lane of such a model can be cut back too.
  params.swa_full = true;
  return params;
}

Failure unsupported(const Model& model, const std::string& reason) {
  return {"ModelUnsupported", {{"path", model.path()}, {"reason", reason}}};
}

}  // namespace

int32_t roundedCells(int32_t cells) { return (cells + kCellBlock - 1) / kCellBlock * kCellBlock; }

PageFields pageFields(const Model& model, const LanesOptions& options) {
  const llama_context_params params = contextParams(model, options);
  return {model.content(), ggml_type_name(params.type_k), ggml_type_name(params.type_v), options.flashAttention};
}

ThreadPool newThreadPool(int32_t threads) {
  ggml_threadpool_params params = ggml_threadpool_params_default(threads);
  // Between steps the pool's threads sleep: on a small machine their spinning would be taken from everyone else.
  params.poll = 0;
  ThreadPool pool(ggml_threadpool_new(&params));
  if (!pool) throw nativeFailure("context", "no pool of " + std::to_string(threads) + " threads can be made");
  return pool;
}

Context newContext(const Model& model, const LanesOptions& options, llama_product_hook& hook) {
  if (!llama_model_has_decoder(model.get()) || llama_model_has_encoder(model.get())) {
    throw unsupported(model, "it is not a decoder-only model");
  }
  clearLogTail();
  llama_context_params params = contextParams(model, options);
  params.product_hook = &hook;
  Context context(llama_init_from_model(model.get(), params));
  if (!context) throw nativeFailure("context", logTail("llama.cpp made no context"));
  if (llama_get_memory(context.get()) == nullptr) throw unsupported(model, "it keeps no state between steps");
  return context;
}

}  // namespace troupe
