// The store of pages under many threads: what is charged never passes the ceiling, and ends with the last who holds it.
#include "page_store.h"

#include <atomic>
#include <thread>

#include "check.h"

using troupe::Arena;
using troupe::Chance;
using troupe::Page;
using troupe::PageLayout;
using troupe::PageStore;

namespace {

constexpr uint64_t kCeiling = uint64_t{4} << 20;

PageLayout layout(uint64_t bytes) {
  PageLayout made;
  made.tokens = 1;
  made.add(troupe::kKvSection, bytes);
  return made;
}

void work(PageStore& store, uint64_t seed, std::atomic<uint64_t>& refused) {
  Chance chance(seed);
  for (int step = 0; step < 2000; step++) {
    uint64_t id = 0;
    const std::string failure = troupe::failureOf([&] { id = store.add(store.make(layout(1 + chance.below(1 << 20)))); });
    if (failure == "OverCeiling") {
      refused++;
      continue;
    }
    CHECK(failure.empty());
    CHECK(store.usage().bytes <= kCeiling);
    if (chance.below(2) == 0) store.retain(id);
    const auto held = store.get(id);
    held->data(held->layout().sections[0])[0] = static_cast<uint8_t>(seed);
    const bool retained = store.references(id).count == 2;
    store.releaseOwn(id);
    if (retained) {
      CHECK(troupe::failureOf([&] { store.releaseOwn(id); }) == "BadArgument");
      store.release(id);
    }
    CHECK(store.find(id) == nullptr);
    // Nobody finds it any more, and it is charged while a copy of it is under way.
    CHECK(held->data(held->layout().sections[0])[0] == static_cast<uint8_t>(seed));
    CHECK(store.usage().bytes >= held->bytes());
  }
}

}  // namespace

int main() {
  Arena arena(uint64_t{2} << 20);
  PageStore store(arena);
  store.setCeiling(kCeiling);
  std::atomic<uint64_t> refused{0};
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 8; seed++) threads.emplace_back([&, seed] { work(store, seed, refused); });
  for (std::thread& thread : threads) thread.join();
  CHECK(store.all().empty());
  CHECK(store.usage().bytes == 0 && store.usage().count == 0);
  CHECK(arena.usedBytes() == 0);
  CHECK(troupe::failureOf([&] { store.get(1); }) == "NoSuchPage");

  // Exactly what fits, and one grain less.
  store.setCeiling(2 * Arena::kGrain);
  auto first = store.make(layout(Arena::kGrain));
  CHECK(troupe::failureOf([&] { store.make(layout(Arena::kGrain + 1)); }) == "OverCeiling");
  auto second = store.make(layout(Arena::kGrain));
  CHECK(store.usage().bytes == 2 * Arena::kGrain);
  first.reset();
  second.reset();
  CHECK(store.usage().bytes == 0);
  return 0;
}
