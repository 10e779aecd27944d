// The genes of one model that are loaded, by id. Lanes that run one hold it too, so that none is freed in use.
// Thread-safe.
#pragma once

#include <llama.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "coverage.h"
#include "gene_file.h"

namespace troupe {

struct ShelvedGene {
  uint64_t id;
  std::string hash;
  std::shared_ptr<const Gene> gene;
};

class Shelf {
 public:
  // `model` must outlive the shelf.
  Shelf(llama_model* model, std::string architecture) : model_(model), architecture_(std::move(architecture)) {}

  // `hash` names the content: bytes of a hash that is loaded are that gene. Throws as readGene, NativeFailure.
  ShelvedGene load(const GeneBytes& bytes, const std::string& hash);
  // Throws BadArgument when there is none of that id, GeneInUse while a lane holds it.
  void unload(uint64_t id);
  std::optional<ShelvedGene> find(uint64_t id) const;
  std::vector<ShelvedGene> all() const;

  // Made when it is first asked for: that takes as long as a small context.
  std::shared_ptr<const Coverage> coverage();

  // Genes of all models.
  static int64_t live();

 private:
  std::optional<ShelvedGene> ofHash(const std::string& hash) const;

  llama_model* model_;
  std::string architecture_;
  mutable std::mutex mutex_;
  // Held while the coverage is made, which is long.
  std::mutex coverageMutex_;
  std::shared_ptr<const Coverage> coverage_;
  std::map<uint64_t, ShelvedGene> genes_;
};

}  // namespace troupe
