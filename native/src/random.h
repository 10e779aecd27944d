// A counter-based generator: the draw is a function of seed and index, so nothing of it has to be stored.
// Pure function.
#pragma once

#include <cstdint>

namespace troupe {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
inline uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Uniform in [0, 1) with 53 bits. The seed is mixed before the index enters: neighbouring seeds share no draws.
inline double uniform(uint64_t seed, uint64_t index) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ull;
  const uint64_t key = mix64(seed + kGolden);
  return static_cast<double>(mix64(key + (index + 1) * kGolden) >> 11) * 0x1.0p-53;
}

}  // namespace troupe
