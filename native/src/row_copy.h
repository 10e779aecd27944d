// Copies of rows between a lane and a page: one cell's keys or values in one layer, some hundred or thousand bytes each, by
// the ten thousand, and those of one lane far apart where the cells of several interleave.
//
// The library's memcpy goes through the caches at such sizes, and waits for each row anew. Past them, and with rows to come
// asked for early, a copy out takes three quarters of its time, and one in half (measured).
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

// What was copied is there for other threads after `finishRows`.
// Into a page, one row behind the other. `ahead`: how far from this row lies one that comes soon; 0: that is not known.
void copyRowOut(uint8_t* target, const uint8_t* source, size_t bytes, size_t ahead);
// Into a lane.
void copyRowIn(uint8_t* target, const uint8_t* source, size_t bytes);
void finishRows();

}  // namespace troupe
