#include "memory_parts.h"

#include <llama-kv-cache-iswa.h>
#include <llama-memory-hybrid-iswa.h>
#include <llama-memory-hybrid.h>

#include <typeinfo>

namespace troupe {
namespace {

void add(std::vector<MemoryPart>& parts, llama_kv_cache_iswa& memory) {
  parts.push_back({StateKind::attention, memory.get_base(), nullptr});
  parts.push_back({StateKind::windowed, memory.get_swa(), nullptr});
}

void add(std::vector<MemoryPart>& parts, llama_memory_recurrent* memory) {
  parts.push_back({StateKind::recurrent, nullptr, memory});
}

// Of exactly that class: one that derives from it keeps more.
template <class Memory>
Memory* as(llama_memory_i* memory) {
  return typeid(*memory) == typeid(Memory) ? static_cast<Memory*>(memory) : nullptr;
}

}  // namespace

std::optional<std::vector<MemoryPart>> memoryParts(llama_memory_i* memory) {
  std::vector<MemoryPart> parts;
  if (auto* cells = as<llama_kv_cache>(memory)) {
    parts.push_back({StateKind::attention, cells, nullptr});
  } else if (auto* windows = as<llama_kv_cache_iswa>(memory)) {
    add(parts, *windows);
  } else if (auto* state = as<llama_memory_recurrent>(memory)) {
    add(parts, state);
  } else if (auto* hybrid = as<llama_memory_hybrid>(memory)) {
    parts.push_back({StateKind::attention, hybrid->get_mem_attn(), nullptr});
    add(parts, hybrid->get_mem_recr());
  } else if (auto* both = as<llama_memory_hybrid_iswa>(memory)) {
    add(parts, *both->get_mem_attn());
    add(parts, both->get_mem_recr());
  } else {
    return {};
  }
  return parts;
}

}  // namespace troupe
