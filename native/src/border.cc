#include "border.h"

namespace troupe {
namespace {

Napi::Value toValue(Napi::Env env, const Failure::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return Napi::Number::New(env, *number);
  if (const auto* flag = std::get_if<bool>(&value)) return Napi::Boolean::New(env, *flag);
  return Napi::String::New(env, std::get<std::string>(value));
}

}  // namespace

Napi::Error toError(Napi::Env env, const Failure& failure) {
  Napi::Object detail = Napi::Object::New(env);
  std::string message = failure.code + ":";
  for (const auto& [name, value] : failure.detail) {
    const Napi::Value plain = toValue(env, value);
    detail.Set(name, plain);
    message += " " + name + " " + plain.ToString().Utf8Value() + ";";
  }
  const Environment& environment = Environment::of(env);
  if (!environment.makeError.IsEmpty()) {
    const Napi::Value error = environment.makeError.Call({Napi::String::New(env, failure.code), detail});
    if (error.IsObject()) return Napi::Error(env, error);
  }
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, failure.code));
  error.Set("detail", detail);
  return error;
}

}  // namespace troupe
