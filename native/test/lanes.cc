// Lanes of a real model through pages whose bytes were turned, under a right checksum: llama.cpp never aborts on them, the
// lane is clean after a refusal, and other lanes go on as before. The argument is the model's path.
#include "lanes.h"

#include <cstring>

#include "check.h"
#include "log_tail.h"
#include "state_layout.h"

using troupe::Chance;
using troupe::Lanes;
using troupe::Page;
using troupe::PageStore;
using troupe::Row;

namespace {

constexpr int32_t kTokens = 50;

void feed(Lanes& lanes, int32_t lane, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const Row row{5 + i % 50, lane, lanes.length(lane), i + 1 == count ? 2 : 0};
    int32_t none = 0;
    CHECK(lanes.step(&row, 1, &none, 0) == troupe::StepStatus::ok);
  }
}

std::vector<float> next(Lanes& lanes, int32_t lane) {
  feed(lanes, lane, 1);
  const float* logits = lanes.output(0);
  return {logits, logits + lanes.vocabulary()};
}

// A page of these bytes; only its head and meta bytes are turned, where a copy of a file would be refused by its checksum.
std::shared_ptr<Page> spoiled(const Page& from, Chance& chance) {
  auto page = PageStore::shared().make(from.layout());
  const auto& section = page->layout().sections[0];
  uint8_t* bytes = page->data(section);
  std::memcpy(bytes, from.data(from.layout().sections[0]), section.bytes);
  const troupe::StateLayout layout = troupe::readHead(bytes, section.bytes, "a section");
  const auto& part = layout.parts[0];
  const uint64_t cells = 8 + kTokens * part.cellBytes;
  for (uint64_t changes = 1 + chance.below(3); changes > 0; changes--) {
    const uint64_t at = chance.below(2) == 0 ? chance.below(part.metaBytes) : cells + chance.below(part.metaBytes - cells);
    bytes[layout.places[0].meta + at] ^= 1 << chance.below(8);
  }
  troupe::writeHead(bytes, layout);
  page->seal();
  return page;
}

}  // namespace

int main(int, char** arguments) {
  troupe::captureLog();
  llama_backend_init();
  troupe::LanesOptions options;
  options.lanes = 3;
  options.cells = 512;
  options.rows = 32;
  const auto model = troupe::Model::load({arguments[1], false, 0, {}});
  Lanes lanes(model, options);
  feed(lanes, 0, kTokens);
  const auto expected = next(lanes, 0);
  lanes.clear(0);
  feed(lanes, 0, kTokens);
  const uint64_t id = lanes.pageOut(0, {});
  const auto right = PageStore::shared().get(id);

  Chance chance(3);
  int refused = 0;
  for (int round = 0; round < 1500; round++) {
    const uint64_t wrong = PageStore::shared().add(spoiled(*right, chance));
    const std::string failure = troupe::failureOf([&] { lanes.pageIn(1, wrong); });
    CHECK(failure.empty() || failure == "PageCorrupt");
    CHECK(lanes.length(1) == (failure.empty() ? kTokens : 0));
    refused += failure.empty() ? 0 : 1;
    lanes.clear(1);
    PageStore::shared().releaseOwn(wrong);
  }
  CHECK(refused > 500);

  lanes.pageIn(2, id);
  CHECK(next(lanes, 2) == expected);
  PageStore::shared().releaseOwn(id);
  return 0;
}
