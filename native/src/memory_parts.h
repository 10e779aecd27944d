// The parts of a context's memory that keep the state of a lane, by what they are.
// Belongs to the context's thread, and lives no longer than the context.
#pragma once

#include <llama-kv-cache.h>
#include <llama-memory-recurrent.h>

#include <optional>
#include <vector>

#include "state_layout.h"

namespace troupe {

struct MemoryPart {
  StateKind kind;
  // The one or the other.
  llama_kv_cache* cells = nullptr;
  llama_memory_recurrent* state = nullptr;

  // Whether the part can be cut back to any position.
  bool rollsBack() const { return kind == StateKind::attention; }
};

// Nothing: the memory is of a kind that pages do not know.
std::optional<std::vector<MemoryPart>> memoryParts(llama_memory_i* memory);

}  // namespace troupe
