// Lays a gene out in memory as the products read it, from the matrices of a file that has been checked.
// Pure: fit for any thread.
#pragma once

#include <ggml.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "coverage.h"
#include "failure.h"
#include "gene.h"

namespace troupe {

struct GeneBytes {
  // What errors call it.
  std::string path;
  const std::byte* data;
  size_t bytes;
};

struct GeneMatrix {
  const ggml_tensor* tensor = nullptr;
  const std::byte* data = nullptr;
};

// A is [rank, in], B is [out, rank].
struct GenePair {
  GeneMatrix a;
  GeneMatrix b;
};

Failure unfit(const GeneBytes& file, const std::string& tensor, const std::string& reason);

// `pairs` by covered weight; `alpha` as files have it, 0 for none. Throws GeneUnfit for a value that is no finite number,
// std::bad_alloc.
std::unique_ptr<Gene> layOut(const GeneBytes& file, const std::map<int32_t, GenePair>& pairs, float alpha,
                             const Coverage& coverage);

}  // namespace troupe
