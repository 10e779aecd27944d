#include "factors.h"

#include <algorithm>

#include "vector.h"

namespace troupe {
namespace {

int64_t registers(int64_t values) { return (values + kWidth - 1) / kWidth; }

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t valueBytes(const Factors& shape) { return shape.half ? sizeof(Half) : sizeof(float); }

}  // namespace

size_t bytesOfA(const Factors& shape) {
  return aligned(static_cast<size_t>(paddedRank(shape.rank)) * registers(shape.in) * kWidth * valueBytes(shape));
}

size_t bytesOfB(const Factors& shape) {
  return aligned(static_cast<size_t>(shape.rank) * registers(shape.out) * kWidth * valueBytes(shape));
}

template <class Stored>
void layOutA(const Factors& shape, const Stored* a, Stored* to) {
  const int64_t perGroup = registers(shape.in) * kGroup * kWidth;
  for (int32_t row = 0; row < shape.rank; row++) {
    Stored* at = to + row / kGroup * perGroup + row % kGroup * kWidth;
    const Stored* from = a + row * shape.in;
    for (int64_t i = 0; i < shape.in; i += kWidth, at += kGroup * kWidth) {
      std::copy_n(from + i, std::min<int64_t>(kWidth, shape.in - i), at);
    }
  }
}

template <class Stored>
void layOutB(const Factors& shape, const Stored* b, Stored* to) {
  constexpr int64_t kTile = kGroup * kWidth;
  for (int64_t first = 0; first < shape.out; first += kTile) {
    const int64_t wide = std::min<int64_t>(kTile, registers(shape.out - first) * kWidth);
    const int64_t count = std::min<int64_t>(kTile, shape.out - first);
    for (int64_t i = 0; i < count; i++) {
      for (int32_t row = 0; row < shape.rank; row++) to[row * wide + i] = b[(first + i) * shape.rank + row];
    }
    to += wide * shape.rank;
  }
}

template void layOutA<Half>(const Factors&, const Half*, Half*);
template void layOutA<float>(const Factors&, const float*, float*);
template void layOutB<Half>(const Factors&, const Half*, Half*);
template void layOutB<float>(const Factors&, const float*, float*);

}  // namespace troupe
