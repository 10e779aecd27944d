// Checkpoints in one budget: which goes, which stays, what is counted.
#include "checkpoints.h"

#include "check.h"

using troupe::Arena;
using troupe::Chance;
using troupe::Checkpoints;

namespace {

constexpr uint64_t kBytes = Arena::kGrain;

bool add(Checkpoints& all, int32_t lane, int32_t position, uint64_t grains = 1) {
  if (!all.admit(grains * kBytes)) return false;
  all.add(lane, {position, grains * kBytes, Arena::shared().take(grains * kBytes)});
  return true;
}

void dropsOfTheLaneThatHoldsMost() {
  Checkpoints all(2);
  all.setBudget(5 * kBytes);
  for (int32_t position : {10, 20, 30}) CHECK(add(all, 0, position));
  CHECK(add(all, 1, 5, 2));
  CHECK(add(all, 1, 6));
  CHECK(all.of(0).size() == 2 && all.of(0)[1].position == 30 && all.of(1).size() == 2);
  CHECK(all.counts().bytes == 5 * kBytes && all.counts().evicted == 1);
  CHECK(all.newest(0, 29)->position == 10 && all.newest(0, 30)->position == 30 && all.newest(0, 9) == nullptr);
  CHECK(!add(all, 0, 40, 6) && all.counts().skipped == 1);
  all.dropAfter(0, 10);
  CHECK(all.of(0).size() == 1);
}

void staysInItsBudget(uint64_t seed) {
  const uint64_t before = Arena::shared().usedBytes();
  {
    Checkpoints all(4);
    Chance chance(seed);
    uint64_t budget = 0;
    for (int32_t position = 1; position < 500; position++) {
      const auto lane = static_cast<int32_t>(chance.below(4));
      if (chance.below(10) == 0) all.setBudget(budget = chance.below(20) * kBytes);
      if (chance.below(10) == 0) all.dropAfter(lane, static_cast<int32_t>(chance.below(position)));
      add(all, lane, position, 1 + chance.below(3));
      uint64_t held = 0;
      for (int32_t each = 0; each < 4; each++) {
        for (const auto& checkpoint : all.of(each)) held += checkpoint.memory.bytes();
      }
      CHECK(all.counts().bytes == held && held <= budget);
    }
  }
  CHECK(Arena::shared().usedBytes() == before);
}

}  // namespace

int main() {
  dropsOfTheLaneThatHoldsMost();
  for (uint64_t seed = 1; seed <= 20; seed++) staysInItsBudget(seed);
  return 0;
}
