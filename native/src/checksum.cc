#include "checksum.h"

#include <array>
#include <cstring>

namespace troupe {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;
// Bytes taken at once: one table each ("slicing", Kounavis and Berry 2005).
constexpr size_t kSlice = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlice>;

constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (size_t slice = 1; slice < kSlice; slice++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = makeTables();

}  // namespace

uint32_t crc32(uint32_t start, const uint8_t* bytes, uint64_t size) {
  uint32_t sum = ~start;
  for (; size >= kSlice; size -= kSlice, bytes += kSlice) {
    uint32_t next = 0;
    for (size_t i = 0; i < kSlice; i++) {
      const uint32_t byte = bytes[i] ^ (i < sizeof sum ? (sum >> (8 * i)) & 0xff : 0);
      next ^= kTables[kSlice - 1 - i][byte];
    }
    sum = next;
  }
  for (; size > 0; size--, bytes++) sum = (sum >> 8) ^ kTables[0][(sum ^ *bytes) & 0xff];
  return ~sum;
}

}  // namespace troupe
