// The part of ContextObject that is NativePaging of src/native/pages.ts.
#include "arguments.h"
#include "border.h"
#include "context_object.h"
#include "page_arguments.h"

namespace troupe {
namespace {

int32_t lane(const Napi::CallbackInfo& info) { return int32(info[0], "lane", INT32_MIN, INT32_MAX); }

}  // namespace

Napi::Value ContextObject::fingerprint(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "fingerprint",
                 [&]() -> Napi::Value { return Napi::String::New(info.Env(), open().fingerprint()); });
}

Napi::Value ContextObject::pageBytes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "pageBytes", [&]() -> Napi::Value {
    return Napi::Number::New(info.Env(), static_cast<double>(open().pageBytes(lane(info), sectionSizes(info[1]))));
  });
}

Napi::Value ContextObject::pageOut(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "pageOut", [&]() -> Napi::Value {
    return Napi::Number::New(info.Env(), static_cast<double>(open().pageOut(lane(info), sectionData(info[1]))));
  });
}

Napi::Value ContextObject::openWindow(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "openWindow", [&]() -> Napi::Value {
    const auto bytes = static_cast<uint64_t>(integer(info[2], "bytes", 0, kMaxSafeInteger));
    return windowInfo(info.Env(), open().openWindow(lane(info), sectionData(info[1]), bytes));
  });
}

void ContextObject::fillWindow(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "fillWindow", [&] {
    const auto offset = static_cast<uint64_t>(integer(info[1], "offset", 0, kMaxSafeInteger));
    const auto length = static_cast<uint64_t>(integer(info[2], "length", 0, kMaxSafeInteger));
    open().fillWindow(int32(info[0], "section", INT32_MIN, INT32_MAX), offset, length);
  });
}

void ContextObject::closeWindow(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "closeWindow", [&] { open().closeWindow(); });
}

void ContextObject::pageIn(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "pageIn", [&] { open().pageIn(lane(info), pageId(info[1], "page")); });
}

Napi::Value ContextObject::checkpoint(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "checkpoint", [&]() -> Napi::Value {
    const Checkpoint* made = open().checkpoint(lane(info));
    if (made == nullptr) return info.Env().Undefined();
    return checkpointInfo(info.Env(), *made);
  });
}

Napi::Value ContextObject::restoreCheckpoint(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "restoreCheckpoint", [&]() -> Napi::Value {
    const auto position = open().restoreCheckpoint(lane(info), int32(info[1], "position", INT32_MIN, INT32_MAX));
    if (!position) return info.Env().Undefined();
    return Napi::Number::New(info.Env(), *position);
  });
}

Napi::Value ContextObject::checkpoints(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "checkpoints", [&]() -> Napi::Value {
    const std::vector<Checkpoint>& all = open().checkpoints(lane(info));
    Napi::Array array = Napi::Array::New(info.Env(), all.size());
    for (size_t i = 0; i < all.size(); i++) array.Set(static_cast<uint32_t>(i), checkpointInfo(info.Env(), all[i]));
    return array;
  });
}

void ContextObject::setCheckpointBudget(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "setCheckpointBudget", [&] {
    open().setCheckpointBudget(static_cast<uint64_t>(integer(info[0], "bytes", 0, kMaxSafeInteger)));
  });
}

Napi::Value ContextObject::checkpointCounts(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "checkpointCounts", [&]() -> Napi::Value {
    const CheckpointCounts counts = open().checkpointCounts();
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("bytes", static_cast<double>(counts.bytes));
    object.Set("budget", static_cast<double>(counts.budget));
    object.Set("evicted", static_cast<double>(counts.evicted));
    object.Set("skipped", static_cast<double>(counts.skipped));
    return object;
  });
}

Napi::Value ContextObject::evictedCheckpoints(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "evictedCheckpoints", [&]() -> Napi::Value {
    const std::vector<EvictedCheckpoint>& all = open().evictedCheckpoints();
    Napi::Array array = Napi::Array::New(info.Env(), all.size());
    for (size_t i = 0; i < all.size(); i++) {
      Napi::Object evicted = Napi::Object::New(info.Env());
      evicted.Set("lane", all[i].lane);
      evicted.Set("position", all[i].position);
      evicted.Set("bytes", static_cast<double>(all[i].bytes));
      array.Set(static_cast<uint32_t>(i), evicted);
    }
    return array;
  });
}

}  // namespace troupe
