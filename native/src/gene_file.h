// Reads an adapter's GGUF from memory, checks all of it against the model, and makes a gene of it.
// Pure: fit for any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "coverage.h"
#include "gene.h"

namespace troupe {

struct GeneBytes {
  // What errors call it.
  std::string path;
  const std::byte* data;
  size_t bytes;
};

// Throws NotAGene, GeneTruncated, GeneUnfit.
std::unique_ptr<const Gene> readGene(const GeneBytes& file, const std::string& architecture, const Coverage& coverage);

}  // namespace troupe
