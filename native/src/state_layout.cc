#include "state_layout.h"

#include <algorithm>
#include <cstring>

#include "checksum.h"
#include "failure.h"

namespace troupe {
namespace {

constexpr uint64_t kAlign = 64;
constexpr uint32_t kMagic = 0x53504b54;
constexpr uint32_t kMostParts = 3;
// Before the cells of a part that has cells: how many streams, and how many cells. Before the others: how many cells.
constexpr uint64_t kCellsAt = 8;
constexpr uint64_t kStateAt = 4;
// A position, how many sequences (, what else is known of the cell), the sequence.
constexpr uint32_t kCellBytes = 12;
constexpr uint32_t kExtendedCellBytes = 24;

struct Head {
  uint32_t magic;
  uint32_t version;
  uint32_t checksum;
  uint32_t parts;
  int32_t tokens;
};

uint64_t aligned(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

template <class Value>
Value at(const uint8_t* bytes, uint64_t offset) {
  Value value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

uint64_t cellAt(const StatePart& part, uint64_t cell) { return kCellsAt + cell * part.cellBytes; }

uint32_t cellCount(const uint8_t* meta) { return at<uint32_t>(meta, kCellsAt - sizeof(uint32_t)); }

uint32_t checksumOf(Head head, const std::vector<const uint8_t*>& metas, const StateLayout& layout) {
  head.checksum = 0;
  uint32_t sum = crc32(0, reinterpret_cast<const uint8_t*>(&head), sizeof head);
  sum = crc32(sum, reinterpret_cast<const uint8_t*>(layout.parts.data()), layout.parts.size() * sizeof(StatePart));
  for (size_t i = 0; i < layout.parts.size(); i++) sum = crc32(sum, metas[i], layout.parts[i].metaBytes);
  return sum;
}

std::vector<const uint8_t*> metasIn(const uint8_t* section, const StateLayout& layout) {
  std::vector<const uint8_t*> metas;
  for (const StateLayout::Place& place : layout.places) metas.push_back(section + place.meta);
  return metas;
}

class Checker {
 public:
  Checker(const uint8_t* section, uint64_t bytes, const std::string& what) : section_(section), bytes_(bytes), what_(what) {}

  StateLayout layout() const {
    require(bytes_ >= sizeof(Head), "it is cut short");
    const Head head = at<Head>(section_, 0);
    require(head.magic == kMagic, "it does not begin as a lane's state does");
    require(head.version == kStateVersion, "it is of another version");
    require(head.parts >= 1 && head.parts <= kMostParts, "it tells of no parts, or of too many");
    require(head.tokens >= 1, "it holds no tokens");
    require(bytes_ >= sizeof(Head) + head.parts * sizeof(StatePart), "it is cut short");
    std::vector<StatePart> parts(head.parts);
    std::memcpy(parts.data(), section_ + sizeof(Head), parts.size() * sizeof(StatePart));
    for (const StatePart& part : parts) require(part.metaBytes <= bytes_ && part.dataBytes <= bytes_, "its sizes are wrong");
    StateLayout layout(head.tokens, std::move(parts));
    require(layout.bytes == bytes_, "its sizes are wrong");
    require(checksumOf(head, metasIn(section_, layout), layout) == head.checksum, "its checksum is wrong");
    for (size_t i = 0; i < layout.parts.size(); i++) checkPart(layout.parts[i], section_ + layout.places[i].meta, head.tokens);
    return layout;
  }

 private:
  void require(bool right, const char* reason) const {
    if (!right) throw Failure("PageCorrupt", {{"what", what_}, {"reason", std::string(reason)}});
  }

  void checkPart(const StatePart& part, const uint8_t* meta, int32_t tokens) const {
    if (part.kind == StateKind::recurrent) return checkState(part, meta, tokens);
    require(part.kind == StateKind::attention || part.kind == StateKind::windowed, "a part is of no known kind");
    require(part.cellBytes == kCellBytes || part.cellBytes == kExtendedCellBytes, "its cells are of no known size");
    require(part.metaBytes >= kCellsAt && at<uint32_t>(meta, 0) == 1, "its cells are not of one stream");
    const uint32_t count = cellCount(meta);
    require(count >= 1 && count <= static_cast<uint32_t>(tokens) && cellAt(part, count) <= part.metaBytes, "it has another number of cells");
    require(part.kind == StateKind::windowed || count == static_cast<uint32_t>(tokens), "it lacks tokens");
    checkCells(part, meta, count, tokens);
  }

  // Each of the last tokens once, in ascending cells.
  void checkCells(const StatePart& part, const uint8_t* meta, uint32_t count, int32_t tokens) const {
    const int32_t first = tokens - static_cast<int32_t>(count);
    std::vector<bool> seen(count, false);
    int64_t lastCell = -1;
    for (uint32_t i = 0; i < count; i++) {
      const int32_t position = at<int32_t>(meta, cellAt(part, i));
      require(position >= first && position < tokens && !seen[position - first], "its positions are wrong");
      seen[position - first] = true;
      require(at<uint32_t>(meta, cellAt(part, i) + sizeof(int32_t)) == 1, "a cell is not of one sequence");
      const uint32_t cell = at<uint32_t>(meta, cellAt(part, i + 1) - sizeof(uint32_t));
      require(cell > lastCell, "its cells are out of order");
      lastCell = cell;
    }
  }

  void checkState(const StatePart& part, const uint8_t* meta, int32_t tokens) const {
    require(part.metaBytes >= kStateAt + 2 * sizeof(uint32_t) && at<uint32_t>(meta, 0) == 1, "it has not one state");
    require(at<int32_t>(meta, kStateAt) == tokens - 1, "its state is of another position");
    require(at<uint32_t>(meta, kStateAt + sizeof(int32_t)) == 0, "its state is of a sequence");
  }

  const uint8_t* section_;
  uint64_t bytes_;
  const std::string& what_;
};

}  // namespace

StateLayout::StateLayout(int32_t tokens, std::vector<StatePart> parts) : tokens(tokens), parts(std::move(parts)) {
  uint64_t end = aligned(sizeof(Head) + this->parts.size() * sizeof(StatePart));
  for (const StatePart& part : this->parts) {
    const uint64_t data = end + aligned(part.metaBytes);
    places.push_back({end, data});
    end = data + aligned(part.dataBytes);
  }
  bytes = end;
}

void setCells(uint8_t* meta, const StatePart& part, const std::vector<uint32_t>& cells) {
  for (size_t i = 0; i < cells.size(); i++) {
    std::memcpy(meta + cellAt(part, i + 1) - sizeof(uint32_t), &cells[i], sizeof(uint32_t));
  }
}

std::vector<int32_t> positions(const uint8_t* meta, const StatePart& part) {
  std::vector<int32_t> all(cellCount(meta));
  for (size_t i = 0; i < all.size(); i++) all[i] = at<int32_t>(meta, cellAt(part, i));
  return all;
}

std::vector<uint32_t> cells(const uint8_t* meta, const StatePart& part) {
  std::vector<uint32_t> all(cellCount(meta));
  for (size_t i = 0; i < all.size(); i++) all[i] = at<uint32_t>(meta, cellAt(part, i + 1) - sizeof(uint32_t));
  return all;
}

uint64_t headBytes(const StateLayout& layout) { return sizeof(Head) + layout.parts.size() * sizeof(StatePart); }

void writeHead(uint8_t* head, const std::vector<const uint8_t*>& metas, const StateLayout& layout) {
  Head fields{kMagic, kStateVersion, 0, static_cast<uint32_t>(layout.parts.size()), layout.tokens};
  fields.checksum = checksumOf(fields, metas, layout);
  std::memcpy(head, &fields, sizeof fields);
  std::memcpy(head + sizeof fields, layout.parts.data(), layout.parts.size() * sizeof(StatePart));
}

void writeHead(uint8_t* section, const StateLayout& layout) { writeHead(section, metasIn(section, layout), layout); }

StateLayout readHead(const uint8_t* section, uint64_t bytes, const std::string& what) {
  return Checker(section, bytes, what).layout();
}

}  // namespace troupe
