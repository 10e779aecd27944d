#include "memory.h"

#include <llama-ext.h>

#include <algorithm>

namespace troupe {

bool onHost(ggml_backend_buffer_type_t type) {
  const ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
  return ggml_backend_buft_is_host(type) ||
         (device != nullptr && ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU);
}

std::vector<BufferBytes> memoryOf(const llama_context* context, int32_t outputs) {
  std::vector<BufferBytes> buffers;
  for (const auto& [type, bytes] : llama_get_memory_breakdown(context)) {
    buffers.push_back({ggml_backend_buft_name(type), onHost(type), bytes.model, bytes.context, bytes.compute, 0});
  }
  // The account's order is that of pointers.
  std::sort(buffers.begin(), buffers.end(), [](const auto& a, const auto& b) { return a.buffer < b.buffer; });
  const llama_vocab* vocabulary = llama_model_get_vocab(llama_get_model(context));
  const uint64_t logits = sizeof(float) * llama_vocab_n_tokens(vocabulary) * static_cast<uint64_t>(outputs);
  const auto host = std::find_if(buffers.begin(), buffers.end(), [](const auto& each) { return each.host; });
  if (host != buffers.end()) {
    host->outputBytes = logits;
  } else {
    buffers.push_back({"CPU", true, 0, 0, 0, logits});
  }
  return buffers;
}

}  // namespace troupe
