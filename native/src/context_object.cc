#include "context_object.h"

#include <algorithm>

#include "arguments.h"
#include "border.h"
#include "context_options.h"
#include "gene_info.h"
#include "probability.h"

namespace troupe {
namespace {

// The fields of a row in an Int32Array are the fields of Row.
constexpr size_t kRowFields = 4;
static_assert(sizeof(Row) == kRowFields * sizeof(int32_t));

int32_t lane(const Napi::CallbackInfo& info) { return int32(info[0], "lane", INT32_MIN, INT32_MAX); }

struct Made {
  std::shared_ptr<const Model> model;
  Napi::Object options;
};

}  // namespace

Napi::Function ContextObject::define(Napi::Env env) {
  return DefineClass(env, "NativeContext",
                     {InstanceAccessor<&ContextObject::lanes>("lanes"),
                      InstanceAccessor<&ContextObject::cells>("cells"),
                      InstanceAccessor<&ContextObject::rows>("rows"),
                      InstanceMethod<&ContextObject::step>("step"),
                      InstanceMethod<&ContextObject::failure>("failure"),
                      InstanceMethod<&ContextObject::logProbability>("logProbability"),
                      InstanceMethod<&ContextObject::logits>("logits"),
                      InstanceMethod<&ContextObject::setSampler>("setSampler"),
                      InstanceMethod<&ContextObject::setGenes>("setGenes"),
                      InstanceMethod<&ContextObject::share>("share"),
                      InstanceMethod<&ContextObject::cut>("cut"),
                      InstanceMethod<&ContextObject::clear>("clear"),
                      InstanceMethod<&ContextObject::length>("length"),
                      InstanceMethod<&ContextObject::reused>("reused"),
                      InstanceAccessor<&ContextObject::fingerprint>("fingerprint"),
                      InstanceMethod<&ContextObject::pageBytes>("pageBytes"),
                      InstanceMethod<&ContextObject::pageOut>("pageOut"),
                      InstanceMethod<&ContextObject::openWindow>("openWindow"),
                      InstanceMethod<&ContextObject::fillWindow>("fillWindow"),
                      InstanceMethod<&ContextObject::closeWindow>("closeWindow"),
                      InstanceMethod<&ContextObject::pageIn>("pageIn"),
                      InstanceMethod<&ContextObject::checkpoint>("checkpoint"),
                      InstanceMethod<&ContextObject::restoreCheckpoint>("restoreCheckpoint"),
                      InstanceMethod<&ContextObject::checkpoints>("checkpoints"),
                      InstanceMethod<&ContextObject::setCheckpointBudget>("setCheckpointBudget"),
                      InstanceMethod<&ContextObject::checkpointCounts>("checkpointCounts"),
                      InstanceMethod<&ContextObject::evictedCheckpoints>("evictedCheckpoints"),
                      InstanceMethod<&ContextObject::memory>("memory"),
                      InstanceMethod<&ContextObject::close>("close")});
}

Napi::Object ContextObject::make(Napi::Env env, std::shared_ptr<const Model> model, Napi::Object options) {
  Made made{std::move(model), options};
  return Environment::of(env).contextClass.New({Napi::External<Made>::New(env, &made)});
}

ContextObject::ContextObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ContextObject>(info) {
  guarded(info.Env(), "context", [&] {
    if (!info[0].IsExternal()) throw badArgument("NativeContext", std::string("new"), "model.context");
    const Made& made = *info[0].As<Napi::External<Made>>().Data();
    Napi::Object flag;
    const LanesOptions options = lanesOptions(made.options, flag);
    if (!flag.IsEmpty()) abortFlag_ = Napi::Persistent(flag);
    lanes_ = std::make_unique<Lanes>(made.model, options);
  });
}

Lanes& ContextObject::open() const {
  if (!lanes_) throw badArgument("context", std::string("a closed context"), "an open context");
  return *lanes_;
}

Napi::Value ContextObject::lanes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "lanes", [&]() -> Napi::Value { return Napi::Number::New(info.Env(), open().lanes()); });
}

Napi::Value ContextObject::cells(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "cells", [&]() -> Napi::Value { return Napi::Number::New(info.Env(), open().cells()); });
}

Napi::Value ContextObject::rows(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "rows", [&]() -> Napi::Value { return Napi::Number::New(info.Env(), open().rows()); });
}

Napi::Value ContextObject::step(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "step", [&]() -> Napi::Value {
    Lanes& lanes = open();
    const Napi::Int32Array rows = int32Array(info[0], "rows");
    const auto count = static_cast<size_t>(int32(info[1], "count", 1, lanes.rows()));
    if (rows.ElementLength() < count * kRowFields) {
      throw badArgument("rows.length", static_cast<double>(rows.ElementLength()),
                        "at least " + std::to_string(count * kRowFields));
    }
    Napi::Int32Array sampled = int32Array(info[2], "sampled");
    const StepStatus status =
        lanes.step(reinterpret_cast<const Row*>(rows.Data()), count, sampled.Data(), sampled.ElementLength());
    return Napi::Number::New(info.Env(), static_cast<int32_t>(status));
  });
}

Napi::Value ContextObject::failure(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "failure",
                 [&]() -> Napi::Value { return Napi::String::New(info.Env(), open().failure()); });
}

Napi::Value ContextObject::logProbability(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "logProbability", [&]() -> Napi::Value {
    const Lanes& lanes = open();
    const float* logits = lanes.output(static_cast<int64_t>(integer(info[0], "output", 0, INT32_MAX)));
    const int32_t token = int32(info[1], "token", 0, lanes.vocabulary() - 1);
    return Napi::Number::New(info.Env(), logSoftmax(logits, lanes.vocabulary(), token));
  });
}

Napi::Value ContextObject::logits(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "logits", [&]() -> Napi::Value {
    const Lanes& lanes = open();
    const float* logits = lanes.output(static_cast<int64_t>(integer(info[0], "output", 0, INT32_MAX)));
    Napi::Float32Array copy = Napi::Float32Array::New(info.Env(), lanes.vocabulary());
    std::copy_n(logits, lanes.vocabulary(), copy.Data());
    return copy;
  });
}

void ContextObject::setSampler(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "setSampler", [&] {
    const SamplerOptions options = samplerOptions(object(info[1], "options"));
    open().setSampler(lane(info), options, int32s(info[2], "produced"));
  });
}

void ContextObject::setGenes(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "setGenes", [&] {
    const int32_t from = info[2].IsUndefined() ? 0 : int32(info[2], "from", 0, INT32_MAX);
    open().setGenes(lane(info), appliedGenes(info[1]), from);
  });
}

Napi::Value ContextObject::share(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "share", [&]() -> Napi::Value {
    const int32_t from = int32(info[0], "from", INT32_MIN, INT32_MAX);
    const int32_t to = int32(info[1], "to", INT32_MIN, INT32_MAX);
    const int32_t tokens = int32(info[2], "tokens", INT32_MIN, INT32_MAX);
    return Napi::Boolean::New(info.Env(), open().share(from, to, tokens));
  });
}

Napi::Value ContextObject::cut(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "cut", [&]() -> Napi::Value {
    const int32_t from = int32(info[1], "from", INT32_MIN, INT32_MAX);
    return Napi::Boolean::New(info.Env(), open().cut(lane(info), from));
  });
}

void ContextObject::clear(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "clear", [&] { open().clear(lane(info)); });
}

Napi::Value ContextObject::length(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "length",
                 [&]() -> Napi::Value { return Napi::Number::New(info.Env(), open().length(lane(info))); });
}

Napi::Value ContextObject::reused(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "reused",
                 [&]() -> Napi::Value { return Napi::Number::New(info.Env(), open().reused()); });
}

Napi::Value ContextObject::memory(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "memory", [&]() -> Napi::Value {
    const std::vector<BufferBytes> buffers = open().memory();
    Napi::Array array = Napi::Array::New(info.Env(), buffers.size());
    for (size_t i = 0; i < buffers.size(); i++) {
      Napi::Object each = Napi::Object::New(info.Env());
      each.Set("buffer", buffers[i].buffer);
      each.Set("host", buffers[i].host);
      each.Set("modelBytes", static_cast<double>(buffers[i].modelBytes));
      each.Set("contextBytes", static_cast<double>(buffers[i].contextBytes));
      each.Set("computeBytes", static_cast<double>(buffers[i].computeBytes));
      each.Set("outputBytes", static_cast<double>(buffers[i].outputBytes));
      array.Set(static_cast<uint32_t>(i), each);
    }
    return array;
  });
}

void ContextObject::close(const Napi::CallbackInfo&) {
  lanes_.reset();
  abortFlag_.Reset();
}

}  // namespace troupe
