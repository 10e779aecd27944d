// `Addon.files` of src/native/addon.ts: what page files need of the system beyond node:fs.
#pragma once

#include <napi.h>

namespace troupe {

Napi::Object filesObject(Napi::Env env);

}  // namespace troupe
