#include "shelf.h"

#include <atomic>
#include <new>

#include "arena.h"
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

std::string nameOf(uint64_t id) { return "gene " + std::to_string(id); }

Failure absent(uint64_t id, const char* why) { return {"GeneAbsent", {{"reason", nameOf(id) + " " + why}}}; }

}  // namespace

int64_t Shelf::live() { return liveGenes; }

Shelf::~Shelf() {
  genes_.clear();
  Arena::genes().trim();
}

std::shared_ptr<const Coverage> Shelf::coverage() {
  std::lock_guard lock(coverageMutex_);
  if (!coverage_) coverage_ = std::make_shared<const Coverage>(Coverage::of(model_, stacked_));
  return coverage_;
}

ShelvedGene Shelf::load(const GeneBytes& bytes, const std::string& hash) {
  {
    std::lock_guard lock(mutex_);
    const Entry* known = ofHash(hash);
    if (known && (known->gene || known->moving)) return known->about;
  }
  auto gene = settled(readGene(bytes, architecture_, *coverage()));
  std::lock_guard lock(mutex_);
  // Another thread may have loaded the same meanwhile.
  Entry* known = ofHash(hash);
  if (known && (known->gene || known->moving)) return known->about;
  if (!known) {
    const uint64_t id = ++lastId;
    known = &genes_[id];
    known->about = {id, hash, gene->rank(), gene->weights(), gene->bytes(), gene->stacked().bytes == 0, Tier::device};
  }
  known->gene = std::move(gene);
  known->about.tier = Tier::device;
  return known->about;
}

void Shelf::unload(uint64_t id) {
  {
    // Freed when the lock is no longer held.
    std::shared_ptr<const Gene> gene;
    std::lock_guard lock(mutex_);
    gene.swap(unused(id).gene);
    genes_.erase(id);
  }
  Arena::genes().trim();
}

bool Shelf::move(uint64_t id, Tier to) {
  std::shared_ptr<const Gene> gene;
  Tier from;
  {
    std::lock_guard lock(mutex_);
    Entry& entry = named(id);
    from = entry.about.tier;
    if (from == to && !entry.moving) return false;
    if (!unused(id).gene) throw absent(id, "is on disk");
    if (entry.about.inPlace) {
      entry.about.tier = to;
      return true;
    }
    gene.swap(entry.gene);
    entry.moving = true;
  }
  // What it leaves is freed last, when the lock is no longer held.
  try {
    put(id, to == Tier::device ? settled(gene->copy()) : counted(gene->copy()), to);
  } catch (const std::bad_alloc&) {
    const size_t bytes = gene->bytes();
    put(id, std::move(gene), from);
    throw nativeFailure("genes", "there is no memory for another " + std::to_string(bytes) + " bytes");
  } catch (...) {
    put(id, std::move(gene), from);
    throw;
  }
  return true;
}

bool Shelf::drop(uint64_t id) {
  bool held;
  {
    std::shared_ptr<const Gene> gene;
    std::lock_guard lock(mutex_);
    Entry& entry = unused(id);
    gene.swap(entry.gene);
    entry.about.tier = Tier::disk;
    held = gene != nullptr;
  }
  if (held) Arena::genes().trim();
  return held;
}

std::shared_ptr<const Gene> Shelf::onDevice(uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = genes_.find(id);
  if (found == genes_.end()) throw absent(id, "is not loaded");
  if (!found->second.gene || found->second.about.tier != Tier::device) throw absent(id, "is not on the device");
  return found->second.gene;
}

std::vector<ShelvedGene> Shelf::all() const {
  std::lock_guard lock(mutex_);
  std::vector<ShelvedGene> all;
  for (const auto& [id, entry] : genes_) all.push_back(entry.about);
  return all;
}

Shelf::Entry* Shelf::ofHash(const std::string& hash) {
  for (auto& [id, entry] : genes_) {
    if (entry.about.hash == hash) return &entry;
  }
  return nullptr;
}

Shelf::Entry& Shelf::named(uint64_t id) {
  const auto found = genes_.find(id);
  if (found == genes_.end()) throw absent(id, "is not loaded");
  return found->second;
}

Shelf::Entry& Shelf::unused(uint64_t id) {
  Entry& entry = named(id);
  if (entry.moving) throw Failure("GeneInUse", {{"gene", nameOf(id)}, {"by", std::string("a move")}});
  const auto holders = entry.gene ? entry.gene.use_count() - 1 : 0;
  if (holders > 0) throw Failure("GeneInUse", {{"gene", nameOf(id)}, {"by", std::to_string(holders) + " lanes"}});
  return entry;
}

std::shared_ptr<const Gene> Shelf::settled(std::unique_ptr<Gene> gene) {
  gene->settle(stacks_, *coverage());
  return counted(std::move(gene));
}

void Shelf::put(uint64_t id, std::shared_ptr<const Gene> gene, Tier tier) {
  std::lock_guard lock(mutex_);
  Entry& entry = genes_.at(id);
  entry.gene = std::move(gene);
  entry.about.tier = tier;
  entry.moving = false;
}

}  // namespace troupe
