#include "row_copy.h"

#include <cstring>

#if defined(__AVX512F__) || defined(__AVX__)

#include <immintrin.h>

namespace troupe {
namespace {

constexpr size_t kLine = 64;
// Several rows in one, of neighbouring cells; more than that the library does as fast.
constexpr size_t kMostBytes = 16 << 10;

#if defined(__AVX512F__)

using Part = __m512i;
Part load(const uint8_t* from) { return _mm512_loadu_si512(from); }
void stream(uint8_t* to, Part part) { _mm512_stream_si512(reinterpret_cast<Part*>(to), part); }

#else

using Part = __m256i;
Part load(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Part*>(from)); }
void stream(uint8_t* to, Part part) { _mm256_stream_si256(reinterpret_cast<Part*>(to), part); }

#endif

bool isRow(const uint8_t* target, size_t bytes) {
  return bytes % kLine == 0 && bytes <= kMostBytes && reinterpret_cast<uintptr_t>(target) % kLine == 0;
}

}  // namespace

void copyRowOut(uint8_t* target, const uint8_t* source, size_t bytes, size_t ahead) {
  if (!isRow(target, bytes)) {
    std::memcpy(target, source, bytes);
    return;
  }
  const uintptr_t coming = reinterpret_cast<uintptr_t>(source) + ahead;
  for (size_t at = 0; at < bytes; at += kLine) {
    if (ahead != 0) __builtin_prefetch(reinterpret_cast<const void*>(coming + at));
    for (size_t part = 0; part < kLine; part += sizeof(Part)) stream(target + at + part, load(source + at + part));
  }
}

void copyRowIn(uint8_t* target, const uint8_t* source, size_t bytes) {
  if (!isRow(target, bytes)) {
    std::memcpy(target, source, bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += sizeof(Part)) stream(target + at, load(source + at));
}

void finishRows() { _mm_sfence(); }

}  // namespace troupe

#else

namespace troupe {

void copyRowOut(uint8_t* target, const uint8_t* source, size_t bytes, size_t) { std::memcpy(target, source, bytes); }
void finishRows() {}
void copyRowIn(uint8_t* target, const uint8_t* source, size_t bytes) { std::memcpy(target, source, bytes); }

}  // namespace troupe

#endif
