#include "failure.h"

namespace troupe {

Failure badArgument(std::string argument, Failure::Value value, std::string expected) {
  return {"BadArgument",
          {{"argument", std::move(argument)}, {"value", std::move(value)}, {"expected", std::move(expected)}}};
}

Failure nativeFailure(std::string call, std::string reason) {
  return {"NativeFailure", {{"call", std::move(call)}, {"reason", std::move(reason)}}};
}

}  // namespace troupe
