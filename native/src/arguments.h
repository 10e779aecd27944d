// Reads JS values as what they must be. Each function throws BadArgument naming the argument.
// On the environment's thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

constexpr double kMaxSafeInteger = 9007199254740992.0;  // 2^53

// A whole number from `least` to `most`.
double integer(const Napi::Value& value, const std::string& name, double least, double most);
int32_t int32(const Napi::Value& value, const std::string& name, int32_t least, int32_t most);
// A finite number from `least` to `most`.
double number(const Napi::Value& value, const std::string& name, double least, double most);
bool boolean(const Napi::Value& value, const std::string& name);
std::string text(const Napi::Value& value, const std::string& name);
// A path: text without a NUL, not empty.
std::string path(const Napi::Value& value, const std::string& name);
Napi::Object object(const Napi::Value& value, const std::string& name);
Napi::Array array(const Napi::Value& value, const std::string& name);
Napi::Int32Array int32Array(const Napi::Value& value, const std::string& name);
// The bytes stay the caller's.
Napi::Uint8Array bytes(const Napi::Value& value, const std::string& name);
std::vector<int32_t> int32s(const Napi::Value& value, const std::string& name);

}  // namespace troupe
