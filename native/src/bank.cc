#include "bank.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "failure.h"

namespace troupe {

void Bank::prepare() {
  coverage_ = shelf_.coverage();
  for (size_t i = 0; i < coverage_->weights().size(); i++) products_.emplace_back(static_cast<int32_t>(i), step_);
}

void Bank::set(int32_t lane, const std::vector<std::pair<uint64_t, float>>& genes, int32_t from) {
  Phenotype phenotype;
  for (size_t i = 0; i < genes.size(); i++) {
    const auto& [id, scale] = genes[i];
    const std::string name = "genes[" + std::to_string(i) + "].gene";
    if (std::any_of(phenotype.begin(), phenotype.end(), [&, id = id](const auto& each) { return each.id == id; })) {
      throw badArgument(name, static_cast<double>(id), "each gene once");
    }
    phenotype.push_back({id, shelf_.onDevice(id), scale});
  }
  std::sort(phenotype.begin(), phenotype.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  groups_ = groups(lane, phenotype);
  if (!phenotype.empty() && products_.empty()) prepare();
  phenotypes_[lane] = std::move(phenotype);
  from_[lane] = from;
}

// All that lanes run when this one runs that.
std::vector<std::shared_ptr<StackGroup>> Bank::groups(int32_t lane, const Phenotype& phenotype) const {
  std::vector<std::shared_ptr<StackGroup>> groups;
  for (size_t i = 0; i < phenotypes_.size(); i++) {
    size_t stacked = 0;
    for (const AppliedGene& each : static_cast<int32_t>(i) == lane ? phenotype : phenotypes_[i]) {
      const StackSlot* slot = each.gene->stacked().slot.get();
      if (!slot) continue;
      stacked++;
      if (std::find(groups.begin(), groups.end(), slot->group()) == groups.end()) groups.push_back(slot->group());
    }
    if (stacked > StackedProducts::kMaxGenes) {
      throw badArgument("genes.length", static_cast<double>(stacked), "at most " + std::to_string(StackedProducts::kMaxGenes));
    }
  }
  if (groups.size() > StackedProducts::kMaxGroups) {
    throw nativeFailure("genes", "the lanes would run genes of " + std::to_string(groups.size()) +
                                     " groups of like ranks at once, of at most " + std::to_string(StackedProducts::kMaxGroups));
  }
  return groups;
}

// What the lane's next row runs. A lane's rows come in order of their positions, however a step is taken apart.
const Phenotype& Bank::next(int32_t lane) {
  static const Phenotype none;
  return positions_[lane]++ < from_[lane] ? none : phenotypes_[lane];
}

ggml_tensor* Bank::product(ggml_context* context, ggml_tensor* w, ggml_tensor* cur, ggml_tensor* res, int64_t tokens,
                           int64_t outputs) {
  if (products_.empty()) return res;
  const int32_t index = coverage_->find(w);
  if (index < 0 || !coverage_->weights()[index].refusal.empty()) return res;
  const int64_t rows = ggml_nrows(cur);
  if (rows != tokens && rows != outputs) {
    throw std::runtime_error(std::string(w->name) + " is multiplied by " + std::to_string(rows) + " rows in a step of " +
                             std::to_string(tokens) + " with " + std::to_string(outputs) + " outputs");
  }
  if (coverage_->weights()[index].form == GeneForm::stacks) {
    return stacked_.nodes(context, index, cur, res, rows != tokens);
  }
  return products_[index].node(context, cur, res);
}

void Bank::plan(uint32_t tokens, llama_seq_id** lanes, const int8_t* output) {
  if (products_.empty()) return;
  perRow_.clear();
  perOutput_.clear();
  for (uint32_t i = 0; i < tokens; i++) {
    perRow_.push_back(&next(lanes[i][0]));
    if (output[i]) perOutput_.push_back(perRow_.back());
  }
  step_.tokens.make(perRow_);
  step_.outputs.make(perOutput_);
  step_.values.resize(std::max(step_.tokens.values(), step_.outputs.values()));
  stacked_.plan(step_.tokens, step_.outputs, groups_);
}

}  // namespace troupe
