// The layout of a lane's state in a page: a head, then for each part of the memory its meta bytes (positions, types and sizes
// as llama.cpp writes them) and its data. This file knows no llama.cpp: what it reads may come from anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// Another number whenever a page of before could not be read any more.
constexpr uint32_t kStateVersion = 1;

enum class StateKind : uint32_t {
  // Cells of all tokens.
  attention = 1,
  // Cells of the last tokens, those that a sliding window still sees.
  windowed = 2,
  // One state, of all tokens together.
  recurrent = 3,
};

struct StatePart {
  StateKind kind;
  // Bytes of one cell in the meta bytes; 0 for a recurrent part.
  uint32_t cellBytes;
  uint64_t metaBytes;
  uint64_t dataBytes;
};

// Where the parts lie in a section of `bytes` bytes.
struct StateLayout {
  struct Place {
    uint64_t meta;
    uint64_t data;
  };

  // Tokens that the lane held.
  int32_t tokens = 0;
  std::vector<StatePart> parts;
  std::vector<Place> places;
  uint64_t bytes = 0;

  StateLayout(int32_t tokens, std::vector<StatePart> parts);
};

// After the parts were filled in: puts the cell where each token lay in the place of the sequence's number, which nothing reads.
void setCells(uint8_t* meta, const StatePart& part, const std::vector<uint32_t>& cells);
// Positions of the tokens of a part, and what `setCells` put there.
std::vector<int32_t> positions(const uint8_t* meta, const StatePart& part);
std::vector<uint32_t> cells(const uint8_t* meta, const StatePart& part);

// Bytes of the head.
uint64_t headBytes(const StateLayout& layout);
// Last: the head, with a checksum over itself and all meta bytes, of which `metas` has those of each part.
void writeHead(uint8_t* head, const std::vector<const uint8_t*>& metas, const StateLayout& layout);
// The same where all lie in their places.
void writeHead(uint8_t* section, const StateLayout& layout);
// Checks all but the data, and the end of the meta bytes which llama.cpp compares itself. `what` names the section in errors.
// Throws PageCorrupt.
StateLayout readHead(const uint8_t* section, uint64_t bytes, const std::string& what);

}  // namespace troupe
