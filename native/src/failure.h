// What native code throws: a code and plain details, which the addon's border turns into a typed JS error.
// Plain values: fit for any thread.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

struct Failure : std::exception {
  using Value = std::variant<double, bool, std::string>;

  std::string code;
  std::vector<std::pair<std::string, Value>> detail;

  Failure(std::string code, std::vector<std::pair<std::string, Value>> detail)
      : code(std::move(code)), detail(std::move(detail)) {}

  const char* what() const noexcept override { return code.c_str(); }
};

Failure badArgument(std::string argument, Failure::Value value, std::string expected);
Failure nativeFailure(std::string call, std::string reason);

}  // namespace troupe
