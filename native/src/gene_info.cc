#include "gene_info.h"

#include <string>

#include "arguments.h"

namespace troupe {
namespace {

// Far above any use; low enough that no product of a gene overflows.
constexpr double kMaxScale = 1e6;

}  // namespace

Napi::Object geneInfo(Napi::Env env, const ShelvedGene& gene) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("id", static_cast<double>(gene.id));
  info.Set("hash", gene.hash);
  info.Set("rank", gene.gene->rank());
  info.Set("weights", gene.gene->weights());
  info.Set("bytes", static_cast<double>(gene.gene->bytes()));
  return info;
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
