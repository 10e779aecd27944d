// How a llama.cpp context and its threads are made for lanes.
// May be called on any thread; what they return belongs to the caller's.
#pragma once

#include <ggml-cpu.h>
#include <llama.h>

#include <cstdint>
#include <memory>

#include "fingerprint.h"
#include "model.h"

namespace troupe {

struct LanesOptions {
  int32_t lanes = 1;
  int32_t cells = 0;
  int32_t rows = 0;
  int32_t threads = 1;
  int32_t promptThreads = 1;
  bool flashAttention = true;
  // Must outlive the lanes; may be null.
  const volatile int32_t* abortFlag = nullptr;
};

struct FreeContext {
  void operator()(llama_context* context) const { llama_free(context); }
};
struct FreeThreadPool {
  void operator()(ggml_threadpool* pool) const { ggml_threadpool_free(pool); }
};
using Context = std::unique_ptr<llama_context, FreeContext>;
using ThreadPool = std::unique_ptr<ggml_threadpool, FreeThreadPool>;

// What llama.cpp makes of a number of cells.
int32_t roundedCells(int32_t cells);

// What pages of such a context depend on.
PageFields pageFields(const Model& model, const LanesOptions& options);

// Throws NativeFailure.
ThreadPool newThreadPool(int32_t threads);
// `hook` must outlive the context. Throws ModelUnsupported, NativeFailure.
Context newContext(const Model& model, const LanesOptions& options, llama_product_hook& hook);

}  // namespace troupe
