// The head of a state, turned in every way under a right checksum: refused with a type, or as good as before; never read
// beyond its bytes.
#include "state_layout.h"

#include <cstring>
#include <memory>
#include <vector>

#include "check.h"
#include "checksum.h"

using troupe::Chance;
using troupe::StateKind;
using troupe::StateLayout;
using troupe::StatePart;

namespace {

constexpr int32_t kTokens = 40;
constexpr uint32_t kWindow = 7;
constexpr size_t kChecksumAt = 8;

void put(std::vector<uint8_t>& section, uint64_t at, uint32_t value) { std::memcpy(&section[at], &value, sizeof value); }

std::vector<uint8_t> state() {
  const uint64_t tail = 32;
  StateLayout layout(kTokens, {{StateKind::attention, 12, 8 + 12 * kTokens + tail, 500},
                               {StateKind::windowed, 24, 8 + 24 * kWindow + tail, 300},
                               {StateKind::recurrent, 0, 12 + tail, 200}});
  std::vector<uint8_t> section(layout.bytes, 0);
  const auto fill = [&](size_t part, uint32_t count, uint32_t cellBytes) {
    const uint64_t meta = layout.places[part].meta;
    put(section, meta, 1);
    put(section, meta + 4, count);
    std::vector<uint32_t> cells;
    for (uint32_t i = 0; i < count; i++) {
      put(section, meta + 8 + i * cellBytes, kTokens - count + i);
      put(section, meta + 12 + i * cellBytes, 1);
      cells.push_back(3 * i + 1);
    }
    troupe::setCells(&section[meta], layout.parts[part], cells);
    CHECK(troupe::cells(&section[meta], layout.parts[part]) == cells);
    CHECK(troupe::positions(&section[meta], layout.parts[part]).back() == kTokens - 1);
  };
  fill(0, kTokens, 12);
  fill(1, kWindow, 24);
  put(section, layout.places[2].meta, 1);
  put(section, layout.places[2].meta + 4, kTokens - 1);
  troupe::writeHead(section.data(), layout);
  return section;
}

// Reads a copy that ends where it ends, so that a look beyond is caught.
std::string reading(const std::vector<uint8_t>& section) {
  const auto exact = std::make_unique<uint8_t[]>(section.size());
  std::memcpy(exact.get(), section.data(), section.size());
  return troupe::failureOf([&] { troupe::readHead(exact.get(), section.size(), "a section"); });
}

// As a reader of such a head would compute it, when its sizes allow that at all.
void repair(std::vector<uint8_t>& section) {
  const auto at = [&](uint64_t offset) {
    uint32_t value;
    std::memcpy(&value, &section[offset], sizeof value);
    return value;
  };
  const uint32_t count = at(12);
  if (count < 1 || count > 3) return;
  std::vector<StatePart> parts(count, StatePart{});
  std::memcpy(parts.data(), &section[20], count * sizeof(StatePart));
  for (const StatePart& part : parts) {
    if (part.metaBytes > section.size() || part.dataBytes > section.size()) return;
  }
  const StateLayout layout(static_cast<int32_t>(at(16)), parts);
  if (layout.bytes != section.size()) return;
  put(section, kChecksumAt, 0);
  uint32_t sum = troupe::crc32(0, section.data(), 20 + count * sizeof(StatePart));
  for (size_t i = 0; i < count; i++) sum = troupe::crc32(sum, &section[layout.places[i].meta], parts[i].metaBytes);
  put(section, kChecksumAt, sum);
}

}  // namespace

int main() {
  const uint8_t check[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  CHECK(troupe::crc32(0, check, sizeof check) == 0xcbf43926);
  CHECK(troupe::crc32(troupe::crc32(0, check, 4), check + 4, 5) == 0xcbf43926);

  const std::vector<uint8_t> right = state();
  CHECK(reading(right).empty());
  for (size_t length = 1; length < right.size(); length++) {
    CHECK(reading({right.begin(), right.begin() + static_cast<int64_t>(length)}) == "PageCorrupt");
  }

  Chance chance(7);
  int refused = 0;
  for (int round = 0; round < 40000; round++) {
    std::vector<uint8_t> spoiled = right;
    for (uint64_t changes = 1 + chance.below(3); changes > 0; changes--) {
      const uint64_t at = chance.below(2) == 0 ? chance.below(100) : chance.below(spoiled.size());
      spoiled[at] = chance.below(2) == 0 ? static_cast<uint8_t>(chance.below(256)) : spoiled[at] ^ (1 << chance.below(8));
    }
    repair(spoiled);
    const std::string failure = reading(spoiled);
    CHECK(failure.empty() || failure == "PageCorrupt");
    refused += failure.empty() ? 0 : 1;
  }
  CHECK(refused > 10000);
  return 0;
}
