#include "huge_pages.h"

#include <ggml-backend.h>

#include <cstdint>
#include <set>
#include <string>

#include "memory.h"

#ifdef __linux__
#include <llama-model.h>
#include <sys/mman.h>
#endif

namespace troupe {

#ifdef __linux__

namespace {

constexpr uintptr_t kHugePage = 2 << 20;
// Of Linux 6.1; older headers do not have it.
constexpr int kCollapse = 25;

bool ownMemory(ggml_backend_buffer_t buffer) {
  const std::string name = ggml_backend_buffer_name(buffer);
  return onHost(ggml_backend_buffer_get_type(buffer)) && name.find("Mapped") == std::string::npos;
}

}  // namespace

void intoHugePages(const llama_model* model) {
  std::set<ggml_backend_buffer_t> buffers;
  for (const auto& [name, tensor] : llama_internal_get_tensor_map(model)) buffers.insert(tensor->buffer);
  for (const ggml_backend_buffer_t buffer : buffers) {
    if (!buffer || !ownMemory(buffer)) continue;
    const auto begin = reinterpret_cast<uintptr_t>(ggml_backend_buffer_get_base(buffer));
    const uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
    const uintptr_t end = (begin + ggml_backend_buffer_get_size(buffer)) / kHugePage * kHugePage;
    if (first >= end) continue;
    madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    madvise(reinterpret_cast<void*>(first), end - first, kCollapse);
  }
}

#else

void intoHugePages(const llama_model*) {}

#endif

}  // namespace troupe
