// What genes add to the product of one weight on the CPU: one node of the graph, which changes the base's result in
// place and costs nothing where no row runs a gene.
// `apply` runs on all threads of a context at once; the rest belongs to the context's thread.
#pragma once

#include <ggml.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "low_rank.h"
#include "row_plan.h"

namespace troupe {

// What a step's products share.
struct GeneStep {
  // A product of a layer has a row for every token; from the last layer's end on only those with an output are left.
  RowPlan tokens;
  RowPlan outputs;
  // Where A x is kept between the two halves.
  std::vector<float> values;
  // Threads that have come to the point between the halves, and how often all have.
  std::atomic<int32_t> arrived{0};
  std::atomic<uint32_t> round{0};
};

class GeneProduct {
 public:
  GeneProduct(int32_t weight, GeneStep& step) : weight_(weight), step_(&step) {}

  // The node that takes the place of `res`, the product of the weight and `cur`.
  ggml_tensor* node(ggml_context* context, ggml_tensor* cur, ggml_tensor* res);

 private:
  static void apply(ggml_tensor* result, int thread, int threads, void* self);
  void run(ggml_tensor* result, int thread, int threads) const;

  int32_t weight_;
  GeneStep* step_;
};

}  // namespace troupe
