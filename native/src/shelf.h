// The genes of one model, by id: on the device, where lanes run them; on the host, out of the way; or on disk, where the
// shelf keeps nothing but what they are. Lanes that run one hold it too, so that none is freed or moved in use.
// Thread-safe: a move holds no one up, and until it is over the gene is nowhere.
#pragma once

#include <llama.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "coverage.h"
#include "gene_file.h"
#include "stacks.h"

namespace troupe {

enum class Tier { device, host, disk };

struct ShelvedGene {
  uint64_t id = 0;
  std::string hash;
  int32_t rank = 0;
  int32_t weights = 0;
  size_t bytes = 0;
  // Device and host are the same memory of it: between them no byte moves.
  bool inPlace = false;
  Tier tier = Tier::device;
};

class Shelf {
 public:
  // `model` must outlive the shelf.
  Shelf(llama_model* model, std::string architecture, StackedWeights stacked)
      : model_(model), architecture_(std::move(architecture)), stacked_(stacked) {}
  ~Shelf();

  // `hash` names the content: bytes of a hash that is known are that gene, which comes to the device if it was on disk.
  // Throws as readGene, NativeFailure.
  ShelvedGene load(const GeneBytes& bytes, const std::string& hash);
  // Gives its memory back to the system. Throws GeneAbsent when there is none of that id, GeneInUse while a lane holds it or
  // it moves.
  void unload(uint64_t id);

  // Takes a gene from the device to the host or back: a copy, and the memory that it leaves is ready for the next one. Where
  // the device computes in host memory both are the same bytes, and none is copied. False: it was there. Throws GeneAbsent, GeneInUse, and NativeFailure when there is no memory; it then stays where it was.
  bool move(uint64_t id, Tier to);
  // Gives what is in memory of it back to the system; false: nothing is. Throws GeneAbsent, GeneInUse.
  bool drop(uint64_t id);

  // For a lane to hold. Throws GeneAbsent unless it is on the device.
  std::shared_ptr<const Gene> onDevice(uint64_t id) const;
  std::vector<ShelvedGene> all() const;

  // Made when it is first asked for: that takes as long as a small context.
  std::shared_ptr<const Coverage> coverage();

  // Whether weights may have stacks; known before the coverage is.
  bool stacks() const { return stacked_ != StackedWeights::none; }

  // Genes of all models that are in memory.
  static int64_t live();

 private:
  struct Entry {
    ShelvedGene about;
    // Empty on disk, and while it moves.
    std::shared_ptr<const Gene> gene;
    bool moving = false;
  };

  Entry* ofHash(const std::string& hash);
  Entry& named(uint64_t id);
  Entry& unused(uint64_t id);
  std::shared_ptr<const Gene> settled(std::unique_ptr<Gene> gene);
  void put(uint64_t id, std::shared_ptr<const Gene> gene, Tier tier);

  llama_model* model_;
  std::string architecture_;
  StackedWeights stacked_;
  Stacks stacks_;
  mutable std::mutex mutex_;
  // Held while the coverage is made, which is long.
  std::mutex coverageMutex_;
  std::shared_ptr<const Coverage> coverage_;
  std::map<uint64_t, Entry> genes_;
};

}  // namespace troupe
