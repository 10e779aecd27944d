// What JS is told of a model: ModelInfo and ModelHeader of src/native/addon.ts.
// On the environment's thread.
#pragma once

#include <napi.h>

#include "header.h"
#include "model.h"

namespace troupe {

Napi::Object modelInfo(Napi::Env env, const Model& model);
Napi::Object headerInfo(Napi::Env env, const Header& header);

}  // namespace troupe
