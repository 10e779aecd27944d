// ContextOptions and SamplerOptions of src/native/addon.ts, read and checked.
// On the environment's thread.
#pragma once

#include <napi.h>

#include "lanes.h"
#include "sampler.h"

namespace troupe {

// `flag` becomes the abort flag's array, or stays empty. Throws BadArgument.
LanesOptions lanesOptions(const Napi::Object& options, Napi::Object& flag);
SamplerOptions samplerOptions(const Napi::Object& options);

}  // namespace troupe
