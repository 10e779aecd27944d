// Which weights of a model genes can reach: those that its graphs multiply through the hook, and by which rows.
// Immutable once made; thread-safe.
#pragma once

#include <ggml-backend.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

struct llama_model;

namespace troupe {

// How genes add to the product of a weight: by our own node of the graph, for which its operands lie in host memory, or by
// nodes that every backend has, over stacks of genes.
enum class GeneForm { node, stacks };
// Which weights have stacks: none where all lie in host memory, else those that do not, or, as in tests, all.
enum class StackedWeights { none, elsewhere, all };

struct CoveredWeight {
  std::string name;
  int64_t in = 0;
  int64_t out = 0;
  GeneForm form = GeneForm::node;
  // Where stacks for it lie.
  ggml_backend_buffer_type_t memory = nullptr;
  // Why genes cannot reach it although a graph multiplies it; empty if they can.
  std::string refusal;
};

class Coverage {
 public:
  // Builds the graphs of a small context of the model and looks at every product. Throws NativeFailure.
  static Coverage of(llama_model* model, StackedWeights stacked);

  // In the order in which a graph multiplies them.
  const std::vector<CoveredWeight>& weights() const { return weights_; }
  // Index of a weight by its name or its tensor; -1 if no graph multiplies it.
  int32_t find(const std::string& name) const;
  int32_t find(const ggml_tensor* weight) const;

 private:
  friend class CoverageRecorder;

  std::vector<CoveredWeight> weights_;
  std::unordered_map<std::string, int32_t> byName_;
  std::unordered_map<const ggml_tensor*, int32_t> byTensor_;
};

}  // namespace troupe
