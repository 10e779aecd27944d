#include "gene_info.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "arguments.h"
#include "failure.h"

namespace troupe {
namespace {

// Far above any use; low enough that no product of a gene overflows.
constexpr double kMaxScale = 1e6;
// In the order of Tier.
const char* const kTiers[] = {"device", "host", "disk"};

}  // namespace

Napi::Object geneInfo(Napi::Env env, const ShelvedGene& gene) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("id", static_cast<double>(gene.id));
  info.Set("hash", gene.hash);
  info.Set("rank", gene.rank);
  info.Set("weights", gene.weights);
  info.Set("bytes", static_cast<double>(gene.bytes));
  info.Set("inPlace", gene.inPlace);
  info.Set("tier", kTiers[static_cast<size_t>(gene.tier)]);
  return info;
}

Tier tier(const Napi::Value& value, const std::string& name) {
  const std::string given = text(value, name);
  const auto found = std::find(std::begin(kTiers), std::end(kTiers), given);
  if (found == std::end(kTiers)) throw badArgument(name, given, "device, host or disk");
  return static_cast<Tier>(found - std::begin(kTiers));
}

std::vector<std::pair<uint64_t, float>> appliedGenes(const Napi::Value& value) {
  const Napi::Array list = array(value, "genes");
  std::vector<std::pair<uint64_t, float>> genes;
  for (uint32_t i = 0; i < list.Length(); i++) {
    const std::string name = "genes[" + std::to_string(i) + "]";
    const Napi::Object each = object(list.Get(i), name);
    const double id = integer(each.Get("gene"), name + ".gene", 0, kMaxSafeInteger);
    const double scale = number(each.Get("scale"), name + ".scale", -kMaxScale, kMaxScale);
    genes.emplace_back(static_cast<uint64_t>(id), static_cast<float>(scale));
  }
  return genes;
}

}  // namespace troupe
