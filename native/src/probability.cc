#include "probability.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace troupe {
namespace {

constexpr size_t kWidth = 16;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

// exp(x) for x <= 0 within 2 units in the last place; 0 below -87. Range reduction by powers of two and the
// degree-5 minimax polynomial of the Cephes library's expf.
inline float expOfNegative(float x) {
  const bool vanishes = !(x > -87.0f);
  const float clamped = vanishes ? -87.0f : x;
  const float scaled = clamped * 1.44269504088896341f - 0.5f;
  const auto whole = static_cast<int32_t>(scaled);
  const auto power = static_cast<float>(whole);
  const float r = (clamped - power * 0.693359375f) + power * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t bits = (whole + 127) << 23;
  float twoToWhole;
  std::memcpy(&twoToWhole, &bits, sizeof bits);
  return vanishes ? 0.0f : p * twoToWhole;
}

}  // namespace

float highest(const float* logits, size_t count) {
  float lanes[kWidth];
  for (float& lane : lanes) lane = kLowest;
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    for (size_t j = 0; j < kWidth; j++) lanes[j] = logits[i + j] > lanes[j] ? logits[i + j] : lanes[j];
  }
  float high = kLowest;
  for (; i < count; i++) high = logits[i] > high ? logits[i] : high;
  for (const float lane : lanes) high = lane > high ? lane : high;
  return high;
}

int32_t argMax(const float* logits, size_t count) {
  const float high = highest(logits, count);
  if (high == kLowest) return -1;
  for (size_t i = 0; i < count; i++) {
    if (logits[i] == high) return static_cast<int32_t>(i);
  }
  return -1;
}

double expSum(const float* logits, size_t count, float high, float inverseTemperature) {
  // Short float sums, added up in double: fast, and as exact as the terms.
  constexpr size_t kBlock = kWidth * 16;
  double total = 0;
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    float lanes[kWidth] = {};
    for (size_t k = 0; k < kBlock; k += kWidth) {
      for (size_t j = 0; j < kWidth; j++) lanes[j] += expOfNegative((logits[i + k + j] - high) * inverseTemperature);
    }
    for (const float lane : lanes) total += lane;
  }
  for (; i < count; i++) total += expOfNegative((logits[i] - high) * inverseTemperature);
  return total;
}

double logSoftmax(const float* logits, size_t count, int32_t index) {
  const float high = highest(logits, count);
  return static_cast<double>(logits[index]) - high - std::log(expSum(logits, count, high, 1.0f));
}

}  // namespace troupe
