// What a context and its model hold in each kind of buffer.
// Call it on the context's thread.
#pragma once

#include <ggml-backend.h>
#include <llama.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

struct BufferBytes {
  std::string buffer;
  bool host = false;
  uint64_t modelBytes = 0;
  uint64_t contextBytes = 0;
  uint64_t computeBytes = 0;
  uint64_t outputBytes = 0;
};

// Whether what lies in such buffers is computed by the CPU.
bool onHost(ggml_backend_buffer_type_t type);

// `outputs`: rows that the logits buffer holds, which llama.cpp's own account leaves out.
std::vector<BufferBytes> memoryOf(const llama_context* context, int32_t outputs);

}  // namespace troupe
