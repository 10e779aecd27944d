// The genes of a context: which lane runs which, and how their parts come into the products of a step.
//
// It is the hook that llama.cpp calls while it builds and computes a graph. Who runs what at which scale is data that
// a step reads: no change of it builds or reserves anything. Only the first gene that a context ever runs does, once.
// Not thread-safe: it belongs to its context's thread; the products run on the context's threads.
#pragma once

#include <llama-ext.h>

#include <memory>
#include <vector>

#include "gene_product.h"
#include "row_plan.h"
#include "shelf.h"
#include "stacked_products.h"

namespace troupe {

class Bank final : public llama_product_hook {
 public:
  // `shelf` must outlive the bank.
  Bank(Shelf& shelf, int32_t lanes) : shelf_(shelf), phenotypes_(lanes), from_(lanes, 0), positions_(lanes, 0) {}

  // What the lane's rows run from now on; those of positions before `from` run none. Throws BadArgument,
  // naming `genes[i]`, and GeneAbsent.
  void set(int32_t lane, const std::vector<std::pair<uint64_t, float>>& genes, int32_t from);
  // A step comes: each lane's rows go on from where it ends.
  void expect(const std::vector<int32_t>& lengths) { positions_ = lengths; }
  // It is over, and all of it computed.
  void finish() { stacked_.finish(); }

  uint32_t max_nodes() const override { return shelf_.stacks() ? StackedProducts::kMaxNodes : 1; }
  uint64_t shape() const override { return products_.empty() ? 0 : 1 + stacked_.shape(); }
  void plan(uint32_t tokens, llama_seq_id** lanes, const int8_t* output) override;
  void build() override { stacked_.build(); }
  ggml_tensor* product(ggml_context* context, ggml_tensor* w, ggml_tensor* cur, ggml_tensor* res, int64_t tokens,
                       int64_t outputs) override;
  void experts(ggml_tensor*) override {}
  void set_inputs() override { stacked_.setInputs(step_.tokens, step_.outputs); }

 private:
  void prepare();
  std::vector<std::shared_ptr<StackGroup>> groups(int32_t lane, const Phenotype& phenotype) const;
  const Phenotype& next(int32_t lane);

  Shelf& shelf_;
  std::vector<Phenotype> phenotypes_;
  // The first position of each lane that runs its phenotype.
  std::vector<int32_t> from_;
  // Where each lane's next row of the step under way stands.
  std::vector<int32_t> positions_;
  // One a covered weight; empty until a gene is set.
  std::shared_ptr<const Coverage> coverage_;
  std::vector<GeneProduct> products_;
  StackedProducts stacked_;
  // Whose genes the lanes run.
  std::vector<std::shared_ptr<StackGroup>> groups_;
  GeneStep step_;
  std::vector<const Phenotype*> perRow_;
  std::vector<const Phenotype*> perOutput_;
};

}  // namespace troupe
