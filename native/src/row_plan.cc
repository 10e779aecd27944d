#include "row_plan.h"

#include <algorithm>

namespace troupe {
namespace {

// Intermediate values of two rows share no cache line: different threads write them.
constexpr size_t kLineFloats = kAlignment / sizeof(float);

size_t roundedToLines(size_t values) { return (values + kLineFloats - 1) / kLineFloats * kLineFloats; }

}  // namespace

void RowPlan::clear() {
  rows_ = 0;
  values_ = 0;
  places_.clear();
  uses_.clear();
}

void RowPlan::make(const std::vector<const Phenotype*>& phenotypes) {
  clear();
  rows_ = static_cast<int64_t>(phenotypes.size());
  for (size_t row = 0; row < phenotypes.size(); row++) {
    for (const AppliedGene& each : *phenotypes[row]) {
      if (each.scale != 0) places_.push_back({each.id, each.gene.get(), static_cast<int32_t>(row), each.scale, 0});
    }
  }
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return a.id != b.id ? a.id < b.id : a.row < b.row;
  });
  for (size_t place = 0; place < places_.size(); place++) {
    if (place == 0 || places_[place].id != places_[place - 1].id) uses_.push_back({places_[place].gene, place, 0});
    uses_.back().count++;
    places_[place].offset = values_;
    values_ += roundedToLines(paddedRank(places_[place].gene->rank()));
  }
}

}  // namespace troupe
