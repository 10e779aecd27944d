// Which rows of a step run which genes, gene by gene: made once a step, read by every product of it.
// Not thread-safe while it is made; read by any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gene.h"

namespace troupe {

struct AppliedGene {
  uint64_t id;
  std::shared_ptr<const Gene> gene;
  float scale;
};
// In order of ids, which is the order in which their parts are added.
using Phenotype = std::vector<AppliedGene>;

// One gene and its rows: `count` places from `first` on in the plan's rows.
struct GeneUse {
  const Gene* gene;
  size_t first;
  size_t count;
};

class RowPlan {
 public:
  // `phenotypes[i]`: what row i runs.
  void make(const std::vector<const Phenotype*>& phenotypes);
  void clear();

  int64_t rows() const { return rows_; }
  // In order of ids; each gene once.
  const std::vector<GeneUse>& uses() const { return uses_; }
  int32_t row(size_t place) const { return places_[place].row; }
  float scale(size_t place) const { return places_[place].scale; }
  // Where a place's intermediate values begin, and how many there are in all.
  size_t offset(size_t place) const { return places_[place].offset; }
  size_t values() const { return values_; }

 private:
  struct Place {
    uint64_t id;
    const Gene* gene;
    int32_t row;
    float scale;
    size_t offset;
  };

  int64_t rows_ = 0;
  size_t values_ = 0;
  std::vector<Place> places_;
  std::vector<GeneUse> uses_;
};

}  // namespace troupe
