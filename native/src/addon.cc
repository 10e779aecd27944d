// The addon: `Addon` of src/native/addon.ts, made anew for each environment that loads it.
#include <llama.h>
#include <napi.h>

#include <memory>
#include <mutex>

#include "arguments.h"
#include "border.h"
#include "context_object.h"
#include "files_object.h"
#include "header.h"
#include "log_tail.h"
#include "model_info.h"
#include "model_object.h"
#include "pages_object.h"

namespace troupe {
namespace {

Napi::Value readHeaderOf(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "readHeader",
                 [&]() -> Napi::Value { return headerInfo(info.Env(), readHeader(path(info[0], "path"))); });
}

// A caller's error inside its progress callback cancels the load and is thrown again after it.
std::string geneForm(const Napi::Value& value) {
  const std::string form = value.IsUndefined() ? "place" : text(value, "options.geneForm");
  if (form != "place" && form != "stacks") throw badArgument("options.geneForm", form, "place or stacks");
  return form;
}

Napi::Value loadModel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "loadModel", [&]() -> Napi::Value {
    const Napi::Env env = info.Env();
    const Napi::Object options = object(info[0], "options");
    LoadOptions load;
    load.path = path(options.Get("path"), "options.path");
    load.mmap = boolean(options.Get("mmap"), "options.mmap");
    load.gpuLayers = int32(options.Get("gpuLayers"), "options.gpuLayers", -1, INT32_MAX);
    load.allStacks = geneForm(options.Get("geneForm")) == "stacks";
    const Napi::Value call = options.Get("onProgress");
    if (!call.IsUndefined() && !call.IsFunction()) {
      throw badArgument("options.onProgress", std::string("no function"), "a function");
    }
    std::exception_ptr thrown;
    if (call.IsFunction()) {
      load.onProgress = [&](float fraction) {
        try {
          const Napi::HandleScope scope(env);
          return call.As<Napi::Function>().Call({Napi::Number::New(env, fraction)}).ToBoolean().Value();
        } catch (...) {
          thrown = std::current_exception();
          return false;
        }
      };
    }
    try {
      return ModelObject::make(env, Model::load(load));
    } catch (const Failure&) {
      if (thrown) std::rethrow_exception(thrown);
      throw;
    }
  });
}

Napi::Value attachModel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "attachModel", [&]() -> Napi::Value {
    const double id = integer(info[0], "id", 0, kMaxSafeInteger);
    auto model = Model::attach(static_cast<uint64_t>(id));
    if (!model) throw badArgument("id", id, "the id of a loaded model");
    return ModelObject::make(info.Env(), std::move(model));
  });
}

Napi::Value live(const Napi::CallbackInfo& info) {
  Napi::Object counts = Napi::Object::New(info.Env());
  counts.Set("models", static_cast<double>(Model::live()));
  counts.Set("contexts", static_cast<double>(Lanes::live()));
  counts.Set("genes", static_cast<double>(Shelf::live()));
  return counts;
}

void setErrors(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "setErrors", [&] {
    if (!info[0].IsFunction()) throw badArgument("makeError", std::string("no function"), "a function");
    Environment::of(info.Env()).makeError = Napi::Persistent(info[0].As<Napi::Function>());
  });
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
  static std::once_flag once;
  std::call_once(once, [] {
    captureLog();
    llama_backend_init();
  });
  auto environment = std::make_unique<Environment>();
  environment->modelClass = Napi::Persistent(ModelObject::define(env));
  environment->contextClass = Napi::Persistent(ContextObject::define(env));
  env.SetInstanceData(environment.release());
  exports.Set("version", std::string("llama.cpp ") + llama_version());
  exports.Set("systemInfo", llama_print_system_info());
  exports.Set("readHeader", Napi::Function::New<readHeaderOf>(env, "readHeader"));
  exports.Set("loadModel", Napi::Function::New<loadModel>(env, "loadModel"));
  exports.Set("attachModel", Napi::Function::New<attachModel>(env, "attachModel"));
  exports.Set("files", filesObject(env));
  exports.Set("live", Napi::Function::New<live>(env, "live"));
  exports.Set("pages", pagesObject(env));
  exports.Set("setErrors", Napi::Function::New<setErrors>(env, "setErrors"));
  return exports;
}

}  // namespace
}  // namespace troupe

static Napi::Object initialise(Napi::Env env, Napi::Object exports) { return troupe::start(env, exports); }

NODE_API_MODULE(troupe, initialise)
