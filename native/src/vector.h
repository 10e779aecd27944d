// A register of floats, as wide as the compiler's target has them, and the few things that genes need of it.
// Pure functions. The order of every operation is explicit, so that a sum does not depend on the compiler.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace troupe {

// A 16-bit float as a file holds it.
using Half = uint16_t;

#if defined(__AVX512F__)

using Vector = __m512;
constexpr int kWidth = 16;
constexpr int kRowsAtOnce = 3;  // eight sums a row, of 32 registers
inline Vector zeros() { return _mm512_setzero_ps(); }
inline Vector splat(float value) { return _mm512_set1_ps(value); }
inline Vector load(const float* from) { return _mm512_loadu_ps(from); }
inline Vector load(const Half* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline void store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
inline Vector multiplyAdd(Vector a, Vector b, Vector sum) { return _mm512_fmadd_ps(a, b, sum); }
inline float total(Vector value) { return _mm512_reduce_add_ps(value); }

#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

using Vector = __m256;
constexpr int kWidth = 8;
constexpr int kRowsAtOnce = 1;  // eight sums a row, of 16 registers
inline Vector zeros() { return _mm256_setzero_ps(); }
inline Vector splat(float value) { return _mm256_set1_ps(value); }
inline Vector load(const float* from) { return _mm256_loadu_ps(from); }
inline Vector load(const Half* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline void store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
inline Vector multiplyAdd(Vector a, Vector b, Vector sum) { return _mm256_fmadd_ps(a, b, sum); }
inline float total(Vector value) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

using Vector = float32x4_t;
constexpr int kWidth = 4;
constexpr int kRowsAtOnce = 2;  // eight sums a row, of 32 registers
inline Vector zeros() { return vdupq_n_f32(0); }
inline Vector splat(float value) { return vdupq_n_f32(value); }
inline Vector load(const float* from) { return vld1q_f32(from); }
inline Vector load(const Half* from) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))); }
inline void store(float* to, Vector value) { vst1q_f32(to, value); }
inline Vector multiplyAdd(Vector a, Vector b, Vector sum) { return vfmaq_f32(sum, a, b); }
inline float total(Vector value) { return vaddvq_f32(value); }

#else

constexpr int kWidth = 4;
constexpr int kRowsAtOnce = 1;
struct Vector {
  float lane[kWidth];
};
inline float widened(Half half) {
  // The exponent is moved by multiplying, which also makes subnormal numbers right; infinities never come here.
  const uint32_t bits = (half & 0x7fffu) << 13;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  value *= 0x1.0p112f;
  return half & 0x8000u ? -value : value;
}
inline Vector splat(float value) { return {{value, value, value, value}}; }
inline Vector zeros() { return splat(0); }
inline Vector load(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }
inline Vector load(const Half* from) {
  return {{widened(from[0]), widened(from[1]), widened(from[2]), widened(from[3])}};
}
inline void store(float* to, Vector value) { std::memcpy(to, value.lane, sizeof value.lane); }
inline Vector multiplyAdd(Vector a, Vector b, Vector sum) {
  for (int i = 0; i < kWidth; i++) sum.lane[i] += a.lane[i] * b.lane[i];
  return sum;
}
inline float total(Vector value) { return (value.lane[0] + value.lane[1]) + (value.lane[2] + value.lane[3]); }

#endif

}  // namespace troupe
