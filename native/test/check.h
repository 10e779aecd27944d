// What the native tests share: a check that ends the program with what failed, and a source of chances.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "failure.h"

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

namespace troupe {

// A linear congruence (Knuth's MMIX), its upper bits.
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}
  // 0 to below `bound`.
  uint64_t below(uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  uint64_t state_;
};

// The code of the failure that `call` throws, or "".
template <class Call>
std::string failureOf(Call call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.code;
  }
  return "";
}

}  // namespace troupe
