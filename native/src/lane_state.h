// Copies the state of a lane out of a context's memory and back into it.
// On the context's thread, with no step under way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cell_places.h"
#include "memory_parts.h"
#include "state_layout.h"

namespace troupe {

// Of a lane that holds so many tokens. Copies nothing.
StateLayout measureState(const std::vector<MemoryPart>& parts, int32_t lane, int32_t tokens);
// Fills a section of `layout.bytes` bytes; between the parts it has zeros.
void gatherState(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, uint8_t* section);
// Of that section all but the bytes of tensors, in one piece of `headsBytes`: the head, then each part's meta bytes.
uint64_t headsBytes(const StateLayout& layout);
void gatherHeads(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, uint8_t* heads);
// The section's bytes from `from` up to `to`, of which `heads` has those that are no tensors'. Throws NativeFailure where the
// lane holds something else by now.
void gatherWindow(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, const uint8_t* heads,
                  uint64_t from, uint64_t to, uint8_t* window);
// Puts a state that `readHead` has checked into a lane that holds nothing in these parts. When it throws, part of it may be
// there. Throws PageMismatch, PageCorrupt, NativeFailure when too few cells are free.
void scatterState(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, const uint8_t* section,
                  Placement placement);

}  // namespace troupe
