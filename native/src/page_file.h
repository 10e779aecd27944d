// Moves bytes between a page's memory and open files, and checks what came back.
// Any thread; they block.
#pragma once

#include <cstdint>

#include "page.h"

namespace troupe {

// All of them, from the file's position on. Throws NativeFailure with the system's reason.
void writeAll(int fd, const uint8_t* bytes, uint64_t size);
// Answers how many came: fewer than `size` at the file's end only. Throws NativeFailure.
uint64_t readAll(int fd, uint8_t* bytes, uint64_t size);
// Whether a page's states can be put into a lane. Throws PageCorrupt.
void checkPage(const Page& page);

}  // namespace troupe
