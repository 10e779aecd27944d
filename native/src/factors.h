// One weight's low-rank pair, laid out so that a product reads it from front to back.
//
// A is [rank, in] and B is [out, rank]; a gene adds B (A x). Both lie in registers' worth of values: A in groups of
// eight rows of A, and in a group one register of each row after the other; B in tiles of eight registers of outputs,
// and in a tile one row of B's transpose after the other.
// Pure functions over memory that the caller owns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

constexpr int kGroup = 8;
// Where a pair begins in a gene's memory, so that no two share a cache line.
constexpr size_t kAlignment = 64;

struct Factors {
  int64_t in = 0;
  int64_t out = 0;
  int32_t rank = 0;
  // 16-bit floats, else 32-bit ones.
  bool half = false;
  // What its part is multiplied by at scale 1.
  float scale = 1;
  const void* a = nullptr;
  const void* b = nullptr;
};

// `rank` rounded up to whole groups.
inline int32_t paddedRank(int32_t rank) { return (rank + kGroup - 1) / kGroup * kGroup; }

size_t bytesOfA(const Factors& shape);
size_t bytesOfB(const Factors& shape);

// Lay out the rows of A, and of B as files hold it, at `to`, whose bytes are zero.
template <class Stored>
void layOutA(const Factors& shape, const Stored* a, Stored* to);
template <class Stored>
void layOutB(const Factors& shape, const Stored* b, Stored* to);

}  // namespace troupe
