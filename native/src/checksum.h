// CRC-32, as zlib's: the same sum by `zlib.crc32` of Node versions that have it.
#pragma once

#include <cstdint>

namespace troupe {

// Goes on from `start`, the sum of what came before; 0 for a new one.
uint32_t crc32(uint32_t start, const uint8_t* bytes, uint64_t size);

}  // namespace troupe
