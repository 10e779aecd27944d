#include "arguments.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "failure.h"

namespace troupe {
namespace {

Failure::Value shown(const Napi::Value& value) {
  if (value.IsNumber()) return value.As<Napi::Number>().DoubleValue();
  if (value.IsBoolean()) return value.As<Napi::Boolean>().Value();
  if (value.IsString()) return value.As<Napi::String>().Utf8Value();
  if (value.IsUndefined()) return std::string("undefined");
  if (value.IsNull()) return std::string("null");
  if (value.IsFunction()) return std::string("a function");
  if (value.IsTypedArray()) return std::string("a typed array of another kind");
  return std::string(value.IsObject() ? "an object" : "a value of another type");
}

std::string range(double least, double most) {
  const auto shortly = [](double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.16g", number);
    return std::string(digits);
  };
  if (most == std::numeric_limits<double>::max()) return "at least " + shortly(least);
  return shortly(least) + " to " + shortly(most);
}

}  // namespace

double number(const Napi::Value& value, const std::string& name, double least, double most) {
  const double plain = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
  if (!(plain >= least && plain <= most)) throw badArgument(name, shown(value), "a number, " + range(least, most));
  return plain;
}

double integer(const Napi::Value& value, const std::string& name, double least, double most) {
  const double plain = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
  if (!(plain >= least && plain <= most) || plain != std::floor(plain)) {
    throw badArgument(name, shown(value), "a whole number, " + range(least, most));
  }
  return plain;
}

int32_t int32(const Napi::Value& value, const std::string& name, int32_t least, int32_t most) {
  return static_cast<int32_t>(integer(value, name, least, most));
}

bool boolean(const Napi::Value& value, const std::string& name) {
  if (!value.IsBoolean()) throw badArgument(name, shown(value), "true or false");
  return value.As<Napi::Boolean>().Value();
}

std::string text(const Napi::Value& value, const std::string& name) {
  if (!value.IsString()) throw badArgument(name, shown(value), "a string");
  return value.As<Napi::String>().Utf8Value();
}

std::string path(const Napi::Value& value, const std::string& name) {
  std::string plain = text(value, name);
  if (plain.empty() || plain.find('\0') != std::string::npos) {
    throw badArgument(name, plain, "a path, not empty and without a NUL");
  }
  return plain;
}

Napi::Object object(const Napi::Value& value, const std::string& name) {
  if (!value.IsObject() || value.IsFunction()) throw badArgument(name, shown(value), "an object");
  return value.As<Napi::Object>();
}

Napi::Array array(const Napi::Value& value, const std::string& name) {
  if (!value.IsArray()) throw badArgument(name, shown(value), "an array");
  return value.As<Napi::Array>();
}

Napi::Uint8Array bytes(const Napi::Value& value, const std::string& name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    throw badArgument(name, shown(value), "a Uint8Array");
  }
  return value.As<Napi::Uint8Array>();
}

Napi::Int32Array int32Array(const Napi::Value& value, const std::string& name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) {
    throw badArgument(name, shown(value), "an Int32Array");
  }
  return value.As<Napi::Int32Array>();
}

std::vector<int32_t> int32s(const Napi::Value& value, const std::string& name) {
  const Napi::Int32Array array = int32Array(value, name);
  return {array.Data(), array.Data() + array.ElementLength()};
}

}  // namespace troupe
