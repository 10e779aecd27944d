#include "shelf.h"

#include <atomic>

#include "failure.h"

namespace troupe {
namespace {

// Ids are never reused, in no model of the process.
std::atomic<uint64_t> lastId{0};
std::atomic<int64_t> liveGenes{0};

struct Counted {
  Counted(std::unique_ptr<const Gene> gene) : gene(std::move(gene)) { liveGenes++; }
  ~Counted() { liveGenes--; }
  std::unique_ptr<const Gene> gene;
};

std::shared_ptr<const Gene> counted(std::unique_ptr<const Gene> gene) {
  auto holder = std::make_shared<const Counted>(std::move(gene));
  return {holder, holder->gene.get()};
}

}  // namespace

int64_t Shelf::live() { return liveGenes; }

std::shared_ptr<const Coverage> Shelf::coverage() {
  std::lock_guard lock(coverageMutex_);
  if (!coverage_) coverage_ = std::make_shared<const Coverage>(Coverage::of(model_));
  return coverage_;
}

ShelvedGene Shelf::load(const GeneBytes& bytes, const std::string& hash) {
  if (const auto loaded = ofHash(hash)) return *loaded;
  auto gene = counted(readGene(bytes, architecture_, *coverage()));
  std::lock_guard lock(mutex_);
  // Another thread may have loaded the same meanwhile.
  for (const auto& [id, each] : genes_) {
    if (each.hash == hash) return each;
  }
  const uint64_t id = ++lastId;
  return genes_[id] = {id, hash, std::move(gene)};
}

void Shelf::unload(uint64_t id) {
  std::lock_guard lock(mutex_);
  const auto found = genes_.find(id);
  if (found == genes_.end()) throw badArgument("id", static_cast<double>(id), "the id of a loaded gene");
  const auto holders = found->second.gene.use_count() - 1;
  if (holders > 0) throw Failure("GeneInUse", {{"gene", "gene " + std::to_string(id)}, {"by", std::to_string(holders) + " lanes"}});
  genes_.erase(found);
}

std::optional<ShelvedGene> Shelf::find(uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = genes_.find(id);
  if (found == genes_.end()) return {};
  return found->second;
}

std::optional<ShelvedGene> Shelf::ofHash(const std::string& hash) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, each] : genes_) {
    if (each.hash == hash) return each;
  }
  return {};
}

std::vector<ShelvedGene> Shelf::all() const {
  std::lock_guard lock(mutex_);
  std::vector<ShelvedGene> all;
  for (const auto& [id, each] : genes_) all.push_back(each);
  return all;
}

}  // namespace troupe
