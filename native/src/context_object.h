// NativeContext of src/native/addon.ts: one environment's lanes.
// Belongs to the environment's thread.
#pragma once

#include <napi.h>

#include <memory>

#include "lanes.h"

namespace troupe {

class ContextObject : public Napi::ObjectWrap<ContextObject> {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object make(Napi::Env env, std::shared_ptr<const Model> model, Napi::Object options);

  explicit ContextObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value lanes(const Napi::CallbackInfo& info);
  Napi::Value cells(const Napi::CallbackInfo& info);
  Napi::Value rows(const Napi::CallbackInfo& info);
  Napi::Value step(const Napi::CallbackInfo& info);
  Napi::Value failure(const Napi::CallbackInfo& info);
  Napi::Value logProbability(const Napi::CallbackInfo& info);
  Napi::Value logits(const Napi::CallbackInfo& info);
  void setSampler(const Napi::CallbackInfo& info);
  void setGenes(const Napi::CallbackInfo& info);
  Napi::Value share(const Napi::CallbackInfo& info);
  Napi::Value cut(const Napi::CallbackInfo& info);
  void clear(const Napi::CallbackInfo& info);
  Napi::Value length(const Napi::CallbackInfo& info);
  Napi::Value reused(const Napi::CallbackInfo& info);
  Napi::Value fingerprint(const Napi::CallbackInfo& info);
  Napi::Value pageBytes(const Napi::CallbackInfo& info);
  Napi::Value pageOut(const Napi::CallbackInfo& info);
  Napi::Value openWindow(const Napi::CallbackInfo& info);
  void fillWindow(const Napi::CallbackInfo& info);
  void closeWindow(const Napi::CallbackInfo& info);
  void pageIn(const Napi::CallbackInfo& info);
  Napi::Value checkpoint(const Napi::CallbackInfo& info);
  Napi::Value restoreCheckpoint(const Napi::CallbackInfo& info);
  Napi::Value checkpoints(const Napi::CallbackInfo& info);
  void setCheckpointBudget(const Napi::CallbackInfo& info);
  Napi::Value checkpointCounts(const Napi::CallbackInfo& info);
  Napi::Value evictedCheckpoints(const Napi::CallbackInfo& info);
  Napi::Value memory(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);

  Lanes& open() const;

  // Keeps the flag's memory while the lanes read it.
  Napi::ObjectReference abortFlag_;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace troupe
