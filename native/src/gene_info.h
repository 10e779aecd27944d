// Genes as JS says and sees them: GeneInfo and AppliedGene of src/native/addon.ts.
// On the environment's thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "shelf.h"

namespace troupe {

Napi::Object geneInfo(Napi::Env env, const ShelvedGene& gene);
// Throws BadArgument.
std::vector<std::pair<uint64_t, float>> appliedGenes(const Napi::Value& value);

}  // namespace troupe
