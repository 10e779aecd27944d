// CRC-32C (Castagnoli), by the processor's own instruction where it has one.
// Pure: fit for any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

// The checksum of what `before` is the checksum of, followed by these bytes; `before` is 0 at the beginning.
uint32_t crc32c(uint32_t before, const void* data, size_t bytes);

}  // namespace troupe
