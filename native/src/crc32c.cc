#include "crc32c.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace troupe {
namespace {

#if defined(__SSE4_2__)

uint32_t ofWord(uint32_t crc, uint64_t word) { return static_cast<uint32_t>(_mm_crc32_u64(crc, word)); }
uint32_t ofByte(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }

#elif defined(__ARM_FEATURE_CRC32)

uint32_t ofWord(uint32_t crc, uint64_t word) { return __crc32cd(crc, word); }
uint32_t ofByte(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }

#else

// The polynomial 0x1EDC6F41 with its bits in reverse.
constexpr uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = makeTable();

uint32_t ofByte(uint32_t crc, uint8_t byte) { return (crc >> 8) ^ kTable[(crc ^ byte) & 0xFF]; }
uint32_t ofWord(uint32_t crc, uint64_t word) {
  for (int i = 0; i < 8; i++) crc = ofByte(crc, static_cast<uint8_t>(word >> (8 * i)));
  return crc;
}

#endif

}  // namespace

uint32_t crc32c(uint32_t before, const void* data, size_t bytes) {
  uint32_t crc = ~before;
  const auto* at = static_cast<const uint8_t*>(data);
  for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    crc = ofWord(crc, word);
  }
  for (; bytes > 0; bytes--) crc = ofByte(crc, *at++);
  return ~crc;
}

}  // namespace troupe
