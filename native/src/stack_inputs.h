// What tells a graph which of its rows run which genes of which groups of stacks: input tensors, made while the graph is
// built and filled before it is computed. One for the products that have a row for every token, one for those with a row
// for every output.
// Not thread-safe: it belongs to its context's thread.
#pragma once

#include <ggml.h>

#include <cstdint>
#include <map>
#include <vector>

#include "row_plan.h"
#include "stacks.h"

namespace troupe {

// What a group's genes are picked by, a place for every row and gene: of [places], [1, places] and [1, 1, places].
struct StackPicks {
  ggml_tensor* rows = nullptr;
  ggml_tensor* slots = nullptr;
  ggml_tensor* scales = nullptr;
};

// The groups of a graph; a set of them is bits.
using StackGroups = std::vector<const StackGroup*>;
using GroupSet = uint32_t;

class StackInputs {
 public:
  // Whether a graph with the places there are now can do that.
  bool fits(const RowPlan& plan, const StackGroups& groups) const;
  // Makes places for that, and as many as there were if there are as many rows as before.
  void makeRoom(const RowPlan& plan, const StackGroups& groups);

  // A graph is about to be built.
  void forget();
  const StackPicks& picks(ggml_context* context, size_t group);
  // Of [1, rows] each, as many as one row runs genes at most, in the order in which they are added: where a row finds a
  // gene's part among the places of all groups of the set, one after the other, behind which there is one with zeros.
  const std::vector<ggml_tensor*>& parts(ggml_context* context, GroupSet set, int64_t rows);

  // Fills what was made since `forget`.
  void fill(const RowPlan& plan, const StackGroups& groups) const;

 private:
  int64_t rows_ = 0;
  // Genes of one row, at most.
  int32_t depth_ = 0;
  // By group.
  std::map<const StackGroup*, int64_t> places_;
  StackGroups groups_;
  std::map<size_t, StackPicks> picks_;
  std::map<GroupSet, std::vector<ggml_tensor*>> parts_;
};

}  // namespace troupe
