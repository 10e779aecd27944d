// NativeModel of src/native/addon.ts: one environment's handle on shared weights.
// Belongs to the environment's thread.
#pragma once

#include <napi.h>

#include <memory>

#include "model.h"

namespace troupe {

class ModelObject : public Napi::ObjectWrap<ModelObject> {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object make(Napi::Env env, std::shared_ptr<const Model> model);

  explicit ModelObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value tokenize(const Napi::CallbackInfo& info);
  Napi::Value detokenize(const Napi::CallbackInfo& info);
  Napi::Value pieces(const Napi::CallbackInfo& info);
  Napi::Value specials(const Napi::CallbackInfo& info);
  Napi::Value ends(const Napi::CallbackInfo& info);
  Napi::Value loadGene(const Napi::CallbackInfo& info);
  void unloadGene(const Napi::CallbackInfo& info);
  Napi::Value moveGene(const Napi::CallbackInfo& info);
  Napi::Value genes(const Napi::CallbackInfo& info);
  Napi::Value context(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);

  const Model& open() const;

  std::shared_ptr<const Model> model_;
};

}  // namespace troupe
