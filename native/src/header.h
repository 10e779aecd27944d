// Reads and checks the header of a GGUF file before llama.cpp sees the file.
// Thread-safe: no state is shared.
#pragma once

#include <cstdint>
#include <string>

namespace troupe {

struct Header {
  std::string architecture;
  uint64_t fileBytes = 0;
  uint64_t weightBytes = 0;
  uint64_t contextTrain = 0;
  uint64_t layers = 0;
  // Keys and values of one cell in F16 over all layers; 0 when the header does not tell.
  uint64_t cellBytes = 0;
};

// Throws ModelNotFound, NotAModel, ModelTruncated, ModelUnsupported.
Header readHeader(const std::string& path);

}  // namespace troupe
