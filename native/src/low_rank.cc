#include "low_rank.h"

#include <algorithm>

#include "vector.h"

namespace troupe {
namespace {

constexpr int64_t kTile = kGroup * kWidth;
// How far ahead of their use a gene's values are asked for: they come from far memory, in order.
constexpr int64_t kAheadBytes = 2048;

template <class Stored>
void ask(const Stored* values) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const char*>(values) + kAheadBytes);
#else
  (void)values;
#endif
}

template <class Stored, int kRows>
void shrinkRows(const Stored* a, int64_t in, int32_t at, const LowRankRow* rows) {
  Vector sums[kRows][kGroup];
  for (auto& row : sums) {
    for (Vector& sum : row) sum = zeros();
  }
  const auto take = [&](const float* const* x) {
    Vector values[kRows];
    for (int r = 0; r < kRows; r++) values[r] = load(x[r]);
#pragma GCC unroll 8
    for (int j = 0; j < kGroup; j++) {
      const Vector each = load(a + j * kWidth);
      for (int r = 0; r < kRows; r++) sums[r][j] = multiplyAdd(each, values[r], sums[r][j]);
    }
    for (int64_t line = 0; line < kTile; line += kAlignment / sizeof(Stored)) ask(a + line);
    a += kTile;
  };
  const float* x[kRows];
  const int64_t whole = in / kWidth * kWidth;
  for (int64_t i = 0; i < whole; i += kWidth) {
    for (int r = 0; r < kRows; r++) x[r] = rows[r].x + i;
    take(x);
  }
  if (whole < in) {
    float rest[kRows][kWidth] = {};
    for (int r = 0; r < kRows; r++) {
      std::copy(rows[r].x + whole, rows[r].x + in, rest[r]);
      x[r] = rest[r];
    }
    take(x);
  }
  for (int r = 0; r < kRows; r++) {
    for (int j = 0; j < kGroup; j++) rows[r].h[at + j] = total(sums[r][j]) * rows[r].scale;
  }
}

template <class Stored, int kRows, int kRegisters>
void expandRows(const Stored* b, int32_t rank, const float* const* h, float* const* y) {
  Vector sums[kRows][kRegisters];
  for (int r = 0; r < kRows; r++) {
    for (int v = 0; v < kRegisters; v++) sums[r][v] = load(y[r] + v * kWidth);
  }
  for (int32_t j = 0; j < rank; j++, b += kRegisters * kWidth) {
    Vector factor[kRows];
    for (int r = 0; r < kRows; r++) factor[r] = splat(h[r][j]);
#pragma GCC unroll 8
    for (int v = 0; v < kRegisters; v++) {
      const Vector each = load(b + v * kWidth);
      for (int r = 0; r < kRows; r++) sums[r][v] = multiplyAdd(factor[r], each, sums[r][v]);
    }
    for (int64_t line = 0; line < kRegisters * kWidth; line += kAlignment / sizeof(Stored)) ask(b + line);
  }
  for (int r = 0; r < kRows; r++) {
    for (int v = 0; v < kRegisters; v++) store(y[r] + v * kWidth, sums[r][v]);
  }
}

template <class Stored, int kRows>
void expandTile(const Stored* b, int32_t rank, int64_t registers, const float* const* h, float* const* y) {
  switch (registers) {
    case 1: return expandRows<Stored, kRows, 1>(b, rank, h, y);
    case 2: return expandRows<Stored, kRows, 2>(b, rank, h, y);
    case 3: return expandRows<Stored, kRows, 3>(b, rank, h, y);
    case 4: return expandRows<Stored, kRows, 4>(b, rank, h, y);
    case 5: return expandRows<Stored, kRows, 5>(b, rank, h, y);
    case 6: return expandRows<Stored, kRows, 6>(b, rank, h, y);
    case 7: return expandRows<Stored, kRows, 7>(b, rank, h, y);
    default: return expandRows<Stored, kRows, kGroup>(b, rank, h, y);
  }
}

// A tile that ends within a register goes through memory of its own.
template <class Stored, int kRows>
void expandTo(const Factors& factors, int64_t tile, const LowRankRow* rows) {
  const auto* b = static_cast<const Stored*>(factors.b) + tile * kTile * factors.rank;
  const int64_t left = std::min(factors.out - tile * kTile, kTile);
  const int64_t registers = (left + kWidth - 1) / kWidth;
  const float* h[kRows];
  float* y[kRows];
  float rest[kRows][kTile];
  const bool whole = left % kWidth == 0;
  for (int r = 0; r < kRows; r++) {
    h[r] = rows[r].h;
    y[r] = rows[r].y + tile * kTile;
    if (whole) continue;
    std::fill_n(std::copy_n(y[r], left, rest[r]), kTile - left, 0.0f);
  }
  if (whole) return expandTile<Stored, kRows>(b, factors.rank, registers, h, y);
  float* tails[kRows];
  for (int r = 0; r < kRows; r++) tails[r] = rest[r];
  expandTile<Stored, kRows>(b, factors.rank, registers, h, tails);
  for (int r = 0; r < kRows; r++) std::copy_n(rest[r], left, y[r]);
}

// Calls with as many rows at once as registers allow, then with what is left one by one.
template <class Many, class One>
void inRows(int64_t count, const LowRankRow* rows, Many&& many, One&& one) {
  int64_t done = 0;
  for (; done + kRowsAtOnce <= count; done += kRowsAtOnce) many(rows + done);
  for (; done < count; done++) one(rows + done);
}

template <class Stored>
void shrinkAll(const Factors& factors, int32_t group, const LowRankRow* rows, int64_t count) {
  const int64_t perGroup = (factors.in + kWidth - 1) / kWidth * kTile;
  const auto* a = static_cast<const Stored*>(factors.a) + group * perGroup;
  const int32_t at = group * kGroup;
  inRows(
      count, rows, [&](const LowRankRow* some) { shrinkRows<Stored, kRowsAtOnce>(a, factors.in, at, some); },
      [&](const LowRankRow* row) { shrinkRows<Stored, 1>(a, factors.in, at, row); });
}

template <class Stored>
void expandAll(const Factors& factors, int64_t first, int64_t end, const LowRankRow* rows, int64_t count) {
  for (int64_t tile = first; tile < end; tile++) {
    inRows(
        count, rows, [&](const LowRankRow* some) { expandTo<Stored, kRowsAtOnce>(factors, tile, some); },
        [&](const LowRankRow* row) { expandTo<Stored, 1>(factors, tile, row); });
  }
}

}  // namespace

void shrink(const Factors& factors, int32_t group, const LowRankRow* rows, int64_t count) {
  if (factors.half) return shrinkAll<Half>(factors, group, rows, count);
  shrinkAll<float>(factors, group, rows, count);
}

int64_t tiles(const Factors& factors) { return (factors.out + kTile - 1) / kTile; }

void expand(const Factors& factors, int64_t first, int64_t end, const LowRankRow* rows, int64_t count) {
  if (factors.half) return expandAll<Half>(factors, first, end, rows, count);
  expandAll<float>(factors, first, end, rows, count);
}

}  // namespace troupe
