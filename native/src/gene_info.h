// Genes as JS says and sees them: GeneInfo, Tier and AppliedGene of src/native/addon.ts.
// On the environment's thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shelf.h"

namespace troupe {

Napi::Object geneInfo(Napi::Env env, const ShelvedGene& gene);
// Both throw BadArgument.
Tier tier(const Napi::Value& value, const std::string& name);
std::vector<std::pair<uint64_t, float>> appliedGenes(const Napi::Value& value);

}  // namespace troupe
