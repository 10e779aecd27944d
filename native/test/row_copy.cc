// Copies of rows: every size, wherever they lie, and nothing beside them.
#include "row_copy.h"

#include <cstring>
#include <vector>

#include "check.h"

using troupe::Chance;

namespace {

constexpr size_t kRoom = 64;

void copiesWhatItIsGiven(uint64_t seed) {
  Chance chance(seed);
  for (int i = 0; i < 500; i++) {
    const size_t bytes = chance.below(2) == 0 ? 64 * chance.below(300) : chance.below(2000);
    std::vector<uint8_t> source(bytes + kRoom);
    for (uint8_t& each : source) each = static_cast<uint8_t>(chance.below(256));
    const size_t from = chance.below(kRoom);
    const size_t to = chance.below(2) == 0 ? 0 : chance.below(kRoom);
    for (const bool out : {true, false}) {
      std::vector<uint8_t> expected(bytes + 2 * kRoom, 7);
      std::vector<uint8_t> target(expected);
      const size_t line = kRoom - reinterpret_cast<uintptr_t>(target.data()) % kRoom;
      std::memcpy(expected.data() + line % kRoom + to, source.data() + from, bytes);
      uint8_t* at = target.data() + line % kRoom + to;
      if (out) {
        troupe::copyRowOut(at, source.data() + from, bytes, chance.below(2) * 4096);
      } else {
        troupe::copyRowIn(at, source.data() + from, bytes);
      }
      troupe::finishRows();
      CHECK(target == expected);
    }
  }
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 10; seed++) copiesWhatItIsGiven(seed);
  return 0;
}
