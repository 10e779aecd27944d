// PageStore of src/native/pages.ts.
// On the environment's thread; what it speaks of belongs to the process.
#pragma once

#include <napi.h>

namespace troupe {

Napi::Object pagesObject(Napi::Env env);

}  // namespace troupe
