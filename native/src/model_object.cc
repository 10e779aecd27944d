#include "model_object.h"

#include <algorithm>
#include <cstring>

#include "arguments.h"
#include "border.h"
#include "context_object.h"
#include "gene_info.h"
#include "model_info.h"

namespace troupe {
namespace {

Napi::Int32Array toInt32Array(Napi::Env env, const std::vector<int32_t>& values) {
  Napi::Int32Array array = Napi::Int32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Uint8Array toBytes(Napi::Env env, const std::string& bytes) {
  Napi::Uint8Array array = Napi::Uint8Array::New(env, bytes.size());
  std::copy(bytes.begin(), bytes.end(), array.Data());
  return array;
}

}  // namespace

Napi::Function ModelObject::define(Napi::Env env) {
  return DefineClass(env, "NativeModel",
                     {InstanceMethod<&ModelObject::tokenize>("tokenize"),
                      InstanceMethod<&ModelObject::detokenize>("detokenize"),
                      InstanceMethod<&ModelObject::pieces>("pieces"),
                      InstanceMethod<&ModelObject::specials>("specials"),
                      InstanceMethod<&ModelObject::ends>("ends"),
                      InstanceMethod<&ModelObject::loadGene>("loadGene"),
                      InstanceMethod<&ModelObject::unloadGene>("unloadGene"),
                      InstanceMethod<&ModelObject::moveGene>("moveGene"),
                      InstanceMethod<&ModelObject::genes>("genes"),
                      InstanceMethod<&ModelObject::context>("context"),
                      InstanceMethod<&ModelObject::close>("close")});
}

Napi::Object ModelObject::make(Napi::Env env, std::shared_ptr<const Model> model) {
  return Environment::of(env).modelClass.New({Napi::External<std::shared_ptr<const Model>>::New(env, &model)});
}

ModelObject::ModelObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ModelObject>(info) {
  guarded(info.Env(), "NativeModel", [&] {
    if (!info[0].IsExternal()) throw badArgument("NativeModel", std::string("new"), "loadModel or attachModel");
    model_ = *info[0].As<Napi::External<std::shared_ptr<const Model>>>().Data();
    info.This().As<Napi::Object>().DefineProperty(
        Napi::PropertyDescriptor::Value("info", modelInfo(info.Env(), *model_), napi_enumerable));
  });
}

const Model& ModelObject::open() const {
  if (!model_) throw badArgument("model", std::string("a closed model"), "an open model");
  return *model_;
}

Napi::Value ModelObject::tokenize(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "tokenize", [&]() -> Napi::Value {
    const std::string bytes = text(info[0], "text");
    const Napi::Object options = object(info[1], "options");
    const bool special = boolean(options.Get("special"), "options.special");
    const bool continues = boolean(options.Get("continues"), "options.continues");
    return toInt32Array(info.Env(), open().vocabulary().tokenize(bytes, special, continues));
  });
}

Napi::Value ModelObject::detokenize(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "detokenize", [&]() -> Napi::Value {
    const Vocabulary& vocabulary = open().vocabulary();
    const std::vector<int32_t> tokens = int32s(info[0], "tokens");
    const bool special = boolean(info[1], "special");
    std::string bytes;
    for (size_t i = 0; i < tokens.size(); i++) {
      if (!vocabulary.contains(tokens[i])) {
        throw badArgument("tokens[" + std::to_string(i) + "]", static_cast<double>(tokens[i]),
                          "0 to " + std::to_string(vocabulary.size() - 1));
      }
      vocabulary.append(tokens[i], special, bytes);
    }
    return toBytes(info.Env(), bytes);
  });
}

Napi::Value ModelObject::pieces(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "pieces", [&]() -> Napi::Value {
    const Vocabulary& vocabulary = open().vocabulary();
    std::string bytes;
    Napi::Uint32Array offsets = Napi::Uint32Array::New(info.Env(), static_cast<size_t>(vocabulary.size()) + 1);
    for (int32_t token = 0; token < vocabulary.size(); token++) {
      offsets[token] = static_cast<uint32_t>(bytes.size());
      vocabulary.append(token, false, bytes);
    }
    offsets[vocabulary.size()] = static_cast<uint32_t>(bytes.size());
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("bytes", toBytes(info.Env(), bytes));
    result.Set("offsets", offsets);
    return result;
  });
}

Napi::Value ModelObject::specials(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "specials", [&]() -> Napi::Value {
    const std::vector<std::string> texts = open().vocabulary().specials();
    Napi::Array array = Napi::Array::New(info.Env(), texts.size());
    for (size_t i = 0; i < texts.size(); i++) array.Set(static_cast<uint32_t>(i), texts[i]);
    return array;
  });
}

Napi::Value ModelObject::ends(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "ends",
                 [&]() -> Napi::Value { return toInt32Array(info.Env(), open().vocabulary().ends()); });
}

Napi::Value ModelObject::loadGene(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "loadGene", [&]() -> Napi::Value {
    const Napi::Uint8Array content = bytes(info[0], "bytes");
    const Napi::Object options = object(info[1], "options");
    const std::string from = path(options.Get("path"), "options.path");
    const std::string hash = text(options.Get("hash"), "options.hash");
    const GeneBytes file{from, reinterpret_cast<const std::byte*>(content.Data()), content.ByteLength()};
    return geneInfo(info.Env(), open().genes().load(file, hash));
  });
}

void ModelObject::unloadGene(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "unloadGene", [&] {
    open().genes().unload(static_cast<uint64_t>(integer(info[0], "id", 0, kMaxSafeInteger)));
  });
}

Napi::Value ModelObject::moveGene(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "moveGene", [&]() -> Napi::Value {
    const auto id = static_cast<uint64_t>(integer(info[0], "id", 0, kMaxSafeInteger));
    const Tier to = tier(info[1], "to");
    Shelf& genes = open().genes();
    return Napi::Boolean::New(info.Env(), to == Tier::disk ? genes.drop(id) : genes.move(id, to));
  });
}

Napi::Value ModelObject::genes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "genes", [&]() -> Napi::Value {
    const std::vector<ShelvedGene> all = open().genes().all();
    Napi::Array array = Napi::Array::New(info.Env(), all.size());
    for (size_t i = 0; i < all.size(); i++) array.Set(static_cast<uint32_t>(i), geneInfo(info.Env(), all[i]));
    return array;
  });
}

Napi::Value ModelObject::context(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "context", [&]() -> Napi::Value {
    open();
    return ContextObject::make(info.Env(), model_, object(info[0], "options"));
  });
}

void ModelObject::close(const Napi::CallbackInfo&) { model_.reset(); }

}  // namespace troupe
