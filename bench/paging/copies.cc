// Copies a block of so many bytes as often as asked, each time into memory obtained anew as genes obtain theirs, and
// prints the milliseconds of each copy.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arena.h"

int main(int, char** arguments) {
  const size_t bytes = std::strtoull(arguments[1], nullptr, 10);
  const int copies = std::atoi(arguments[2]);
  for (int i = -1; i < copies; i++) {
    const troupe::Extent from = troupe::Arena::genes().take(bytes);
    std::memset(from.data(), i + 2, bytes);
    const auto began = std::chrono::steady_clock::now();
    const troupe::Extent to = troupe::Arena::genes().take(bytes);
    std::memcpy(to.data(), from.data(), bytes);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (to.data()[bytes - 1] != from.data()[bytes - 1]) return 1;
    // The first one is into memory that was never touched.
    if (i >= 0) std::printf("%f\n", took.count());
  }
}
