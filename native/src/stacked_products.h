// What genes in stacks add to the products of a context's graphs: nodes that every backend has. A row and a gene that it
// runs is a place; the places' rows are gathered, multiplied by A and B of their genes, and added to the rows they came
// from, gene by gene in order of ids. A row without a gene has no place.
// Not thread-safe: it belongs to its context's thread.
#pragma once

#include <ggml.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "row_plan.h"
#include "stack_inputs.h"
#include "stacks.h"

namespace troupe {

class StackedProducts {
 public:
  // Groups whose genes the lanes of a context run at the same time, and genes of one lane.
  static constexpr size_t kMaxGroups = 16;
  static constexpr size_t kMaxGenes = 64;
  // Nodes of one product at most: seven a group, one a gene, and those around them.
  static constexpr uint32_t kMaxNodes = 7 * kMaxGroups + kMaxGenes + 6;

  // A step comes, with lanes that run genes of these groups: chooses the form of its graph, and holds what it touches.
  void plan(const RowPlan& tokens, const RowPlan& outputs, const std::vector<std::shared_ptr<StackGroup>>& running);
  // Another number for every other form.
  uint64_t shape() const { return shape_; }
  void build();
  // What takes the place of `res`, the product of the weight and `cur`, which have a row for each token, or for each output.
  ggml_tensor* nodes(ggml_context* context, int32_t weight, ggml_tensor* cur, ggml_tensor* res, bool outputs);
  void setInputs(const RowPlan& tokens, const RowPlan& outputs) const;
  // The step is over: nothing of it is held any longer.
  void finish() { held_.clear(); }

 private:
  bool hold();

  uint64_t shape_ = 0;
  std::vector<std::weak_ptr<StackGroup>> known_;
  // The same, of the graph; alive while they are held.
  StackGroups groups_;
  std::vector<std::shared_ptr<StackGroup>> held_;
  StackInputs tokens_;
  StackInputs outputs_;
};

}  // namespace troupe
