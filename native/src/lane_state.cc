#include "lane_state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "failure.h"
#include "log_tail.h"
#include "row_copy.h"
#include "state_io.h"

namespace troupe {
namespace {

constexpr uint32_t kCellBytes = 3 * sizeof(int32_t);

uint32_t cellBytes(const MemoryPart& part) {
  if (part.cells == nullptr) return 0;
  return kCellBytes + (part.cells->has_cell_ext() ? sizeof(llama_kv_cell_ext) : 0);
}

void write(const MemoryPart& part, llama_io_write_i& io, int32_t lane) {
  if (part.cells != nullptr) {
    part.cells->state_write(io, lane, 0);
  } else {
    part.state->state_write(io, lane, 0);
  }
}

Failure otherBytes() { return nativeFailure("pageOut", "a state has other bytes than were measured"); }

// Where the lane's tokens lie; llama.cpp writes them in the order of their cells.
std::vector<uint32_t> cellsOf(const llama_kv_cells& cells, int32_t lane, const std::vector<int32_t>& positions) {
  std::vector<uint32_t> found;
  for (uint32_t cell = 0; cell < cells.size() && found.size() < positions.size(); cell++) {
    if (!cells.is_empty(cell) && cells.seq_has(cell, lane) && cells.pos_get(cell) == positions[found.size()]) found.push_back(cell);
  }
  return found;
}

// Without `data` only the meta bytes.
void gatherPart(const MemoryPart& part, int32_t lane, const StatePart& stored, uint8_t* meta, uint8_t* data) {
  StateGather io(meta, data, {stored.metaBytes, stored.dataBytes});
  write(part, io, lane);
  if (!io.full()) throw otherBytes();
  if (part.cells != nullptr) setCells(meta, stored, cellsOf(part.cells->get_cells(lane), lane, positions(meta, stored)));
}

// What of `length` bytes that lie at `place` is between `from` and `to`.
void copyPart(uint64_t place, const uint8_t* bytes, uint64_t length, uint64_t from, uint64_t to, uint8_t* window) {
  const uint64_t first = std::max(from, place);
  const uint64_t last = std::min(to, place + length);
  if (first < last) std::memcpy(window + (first - from), bytes + (first - place), last - first);
}

Failure otherMemory(const std::string& page, const std::string& here) {
  return {"PageMismatch", {{"field", std::string("memory")}, {"page", page}, {"here", here}}};
}

void checkFit(const std::vector<MemoryPart>& parts, const StateLayout& layout) {
  if (parts.size() != layout.parts.size()) {
    throw otherMemory(std::to_string(layout.parts.size()) + " parts", std::to_string(parts.size()) + " parts");
  }
  for (size_t i = 0; i < parts.size(); i++) {
    if (parts[i].kind != layout.parts[i].kind || cellBytes(parts[i]) != layout.parts[i].cellBytes) {
      throw otherMemory("of another kind", "part " + std::to_string(i));
    }
  }
}

void read(const MemoryPart& part, StateScatter& io, int32_t lane, const std::vector<uint32_t>& were, Placement placement) {
  if (part.cells == nullptr) return part.state->state_read(io, lane, 0);
  llama_kv_cache::slot_info slot{0, 0, {0}, {cellPlaces(part.cells->get_cells(lane), were, placement)}};
  if (slot.idxs[0].empty()) {
    throw nativeFailure("pageIn", "fewer than the " + std::to_string(were.size()) + " cells that it takes are free");
  }
  const llama_kv_cache::slot_info_vec_t slots{slot};
  part.cells->state_read_sinfo(io, lane, 0, nullptr, &slots);
}

}  // namespace

StateLayout measureState(const std::vector<MemoryPart>& parts, int32_t lane, int32_t tokens) {
  std::vector<StatePart> stored;
  for (const MemoryPart& part : parts) {
    StateMeasure io;
    write(part, io, lane);
    stored.push_back({part.kind, cellBytes(part), io.bytes().meta, io.bytes().data});
  }
  return {tokens, std::move(stored)};
}

void gatherState(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, uint8_t* section) {
  uint64_t end = headBytes(layout);
  const auto clearUpTo = [&](uint64_t place) { std::memset(section + end, 0, place - end); };
  for (size_t i = 0; i < parts.size(); i++) {
    const StatePart& stored = layout.parts[i];
    const StateLayout::Place& place = layout.places[i];
    clearUpTo(place.meta);
    end = place.meta + stored.metaBytes;
    clearUpTo(place.data);
    end = place.data + stored.dataBytes;
    gatherPart(parts[i], lane, stored, section + place.meta, section + place.data);
  }
  clearUpTo(layout.bytes);
  writeHead(section, layout);
  finishRows();
}

uint64_t headsBytes(const StateLayout& layout) {
  uint64_t bytes = headBytes(layout);
  for (const StatePart& part : layout.parts) bytes += part.metaBytes;
  return bytes;
}

void gatherHeads(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, uint8_t* heads) {
  std::vector<const uint8_t*> metas;
  uint8_t* meta = heads + headBytes(layout);
  for (size_t i = 0; i < parts.size(); i++) {
    gatherPart(parts[i], lane, layout.parts[i], meta, nullptr);
    metas.push_back(meta);
    meta += layout.parts[i].metaBytes;
  }
  writeHead(heads, metas, layout);
}

void gatherWindow(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, const uint8_t* heads,
                  uint64_t from, uint64_t to, uint8_t* window) {
  std::memset(window, 0, to - from);
  copyPart(0, heads, headBytes(layout), from, to, window);
  const uint8_t* meta = heads + headBytes(layout);
  for (size_t i = 0; i < parts.size(); i++) {
    const StatePart& stored = layout.parts[i];
    const StateLayout::Place& place = layout.places[i];
    copyPart(place.meta, meta, stored.metaBytes, from, to, window);
    meta += stored.metaBytes;
    const uint64_t first = std::max(from, place.data);
    const uint64_t last = std::min(to, place.data + stored.dataBytes);
    if (first >= last) continue;
    StateWindow io(window + (first - from), first - place.data, last - place.data);
    write(parts[i], io, lane);
    if (io.n_bytes() != stored.dataBytes) throw otherBytes();
  }
}

void scatterState(const std::vector<MemoryPart>& parts, int32_t lane, const StateLayout& layout, const uint8_t* section,
                  Placement placement) {
  checkFit(parts, layout);
  clearLogTail();
  try {
    for (size_t i = 0; i < parts.size(); i++) {
      const StatePart& stored = layout.parts[i];
      const uint8_t* meta = section + layout.places[i].meta;
      StateScatter io(meta, section + layout.places[i].data, {stored.metaBytes, stored.dataBytes});
      const bool hasCells = parts[i].cells != nullptr;
      read(parts[i], io, lane, hasCells ? cells(meta, stored) : std::vector<uint32_t>(), placement);
      if (!io.used()) throw std::runtime_error("the state has more bytes than it tells");
    }
    finishRows();
  } catch (const std::runtime_error& error) {
    throw Failure("PageCorrupt", {{"what", std::string("its state")}, {"reason", logTail(error.what())}});
  }
}

}  // namespace troupe
