#include "context_options.h"

#include <limits>

#include "arguments.h"
#include "failure.h"

namespace troupe {
namespace {

constexpr int32_t kMaxLanes = 256;       // llama.cpp's LLAMA_MAX_SEQ
constexpr int32_t kMaxCells = 1 << 26;   // far above any machine, low enough for 32-bit sums
constexpr int32_t kMaxThreads = 512;     // GGML_MAX_N_THREADS
constexpr double kUnbounded = std::numeric_limits<double>::max();

const volatile int32_t* abortFlag(const Napi::Value& value, Napi::Object& flag) {
  if (value.IsUndefined()) return nullptr;
  const Napi::Int32Array array = int32Array(value, "options.abortFlag");
  const Napi::Value shared = value.Env().Global().Get("SharedArrayBuffer");
  const bool isShared = shared.IsFunction() && array.Get("buffer").As<Napi::Object>().InstanceOf(shared.As<Napi::Function>());
  if (!isShared || array.ElementLength() != 1) {
    throw badArgument("options.abortFlag", std::string("an Int32Array"), "an Int32Array of length 1 in shared memory");
  }
  flag = array;
  return array.Data();
}

}  // namespace

LanesOptions lanesOptions(const Napi::Object& options, Napi::Object& flag) {
  LanesOptions result;
  result.lanes = int32(options.Get("lanes"), "options.lanes", 1, kMaxLanes);
  result.cells = int32(options.Get("cells"), "options.cells", 1, kMaxCells);
  result.rows = int32(options.Get("rows"), "options.rows", 1, kMaxCells);
  if (result.rows < result.lanes || result.rows > result.cells) {
    throw badArgument("options.rows", static_cast<double>(result.rows),
                      "at least lanes (" + std::to_string(result.lanes) + ") and at most cells (" +
                          std::to_string(result.cells) + ")");
  }
  result.threads = int32(options.Get("threads"), "options.threads", 1, kMaxThreads);
  result.promptThreads = int32(options.Get("promptThreads"), "options.promptThreads", 1, kMaxThreads);
  result.flashAttention = boolean(options.Get("flashAttention"), "options.flashAttention");
  result.abortFlag = abortFlag(options.Get("abortFlag"), flag);
  return result;
}

SamplerOptions samplerOptions(const Napi::Object& options) {
  SamplerOptions result;
  result.seed = static_cast<uint64_t>(integer(options.Get("seed"), "options.seed", 0, kMaxSafeInteger));
  result.temperature = number(options.Get("temperature"), "options.temperature", 0, kUnbounded);
  result.topK = int32(options.Get("topK"), "options.topK", 0, INT32_MAX);
  result.topP = number(options.Get("topP"), "options.topP", 0, 1);
  result.minP = number(options.Get("minP"), "options.minP", 0, 1);
  constexpr double kLeastPenalty = 1e-6;
  constexpr double kMostPenalty = 1e6;
  result.repeatPenalty = number(options.Get("repeatPenalty"), "options.repeatPenalty", kLeastPenalty, kMostPenalty);
  result.repeatLast = int32(options.Get("repeatLast"), "options.repeatLast", -1, INT32_MAX);
  return result;
}

}  // namespace troupe
