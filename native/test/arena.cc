// An arena under random taking and giving back: pieces never overlap, the accounts are right, what is free stays in bounds.
#include "arena.h"

#include <cstring>
#include <vector>

#include "check.h"

using troupe::Arena;
using troupe::Chance;
using troupe::Extent;

namespace {

constexpr uint64_t kKeep = uint64_t{8} << 20;

struct Piece {
  Extent extent;
  uint8_t mark;
};

bool marked(const Piece& piece) {
  const uint8_t* bytes = piece.extent.data();
  return bytes[0] == piece.mark && std::memcmp(bytes, bytes + 1, piece.extent.bytes() - 1) == 0;
}

void takeAndGive(uint64_t seed) {
  Arena arena(kKeep);
  Chance chance(seed);
  std::vector<Piece> pieces;
  uint64_t used = 0;
  uint64_t keep = kKeep;
  for (int step = 0; step < 400; step++) {
    if (pieces.size() < 12 && chance.below(2) == 0) {
      const uint64_t bytes = 1 + chance.below(uint64_t{1} << (10 + chance.below(14)));
      pieces.push_back({arena.take(bytes), static_cast<uint8_t>(step)});
      const Piece& made = pieces.back();
      CHECK(made.extent.bytes() == Arena::rounded(bytes));
      std::memset(made.extent.data(), made.mark, made.extent.bytes());
      used += made.extent.bytes();
    } else if (!pieces.empty()) {
      const auto which = pieces.begin() + static_cast<int64_t>(chance.below(pieces.size()));
      CHECK(marked(*which));
      used -= which->extent.bytes();
      std::swap(*which, pieces.back());
      pieces.pop_back();
    }
    // Also of huge pages that pieces lie in, nothing more than this; what it keeps less than before goes with the next change.
    CHECK(arena.freeBytes() <= keep || used == 0);
    if (step % 16 == 0) arena.keepFree(keep = chance.below(kKeep));
    CHECK(arena.usedBytes() == used);
  }
  for (const Piece& piece : pieces) CHECK(marked(piece));
  pieces.clear();
  CHECK(arena.usedBytes() == 0 && arena.freeBytes() <= kKeep);
  const uint64_t free = arena.freeBytes();
  CHECK(arena.trim() == free && arena.freeBytes() == 0);
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 20; seed++) takeAndGive(seed);
  Arena arena(kKeep);
  CHECK(troupe::failureOf([&] { arena.take(uint64_t{1} << 46); }) == "NativeFailure");
  CHECK(arena.usedBytes() == 0);
  return 0;
}
