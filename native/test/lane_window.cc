// Lanes of a real model read through windows of any size, in pieces of any size: always the bytes of their pages, and nothing
// else of the window is touched. The argument is the model's path.
#include "lane_window.h"

#include <algorithm>
#include <vector>

#include "check.h"
#include "lanes.h"
#include "log_tail.h"

using troupe::Chance;
using troupe::Lanes;
using troupe::LaneWindow;
using troupe::PageStore;
using troupe::Row;

namespace {

constexpr int32_t kTokens = 70;
constexpr uint64_t kMostBytes = 64 << 10;

// Two lanes whose cells interleave.
void feed(Lanes& lanes) {
  for (int32_t i = 0; i < kTokens; i++) {
    const Row rows[] = {{5 + i % 50, 0, i, 0}, {7 + i % 40, 1, i, 0}};
    int32_t none = 0;
    CHECK(lanes.step(rows, 2, &none, 0) == troupe::StepStatus::ok);
  }
}

std::vector<uint8_t> readAll(Lanes& lanes, const LaneWindow& window, Chance& chance) {
  const auto store = PageStore::shared().get(window.id());
  const uint8_t* piece = store->data(store->layout().sections.front());
  std::vector<uint8_t> bytes;
  const auto& sections = window.layout().sections;
  for (size_t i = 0; i < sections.size(); i++) {
    for (uint64_t at = 0; at < sections[i].bytes;) {
      const uint64_t most = std::min(window.pieceBytes(), sections[i].bytes - at);
      const uint64_t length = 1 + chance.below(most);
      lanes.fillWindow(static_cast<int32_t>(i), at, length);
      bytes.insert(bytes.end(), piece, piece + length);
      at += length;
    }
  }
  return bytes;
}

std::vector<uint8_t> bytesOf(uint64_t id) {
  const auto page = PageStore::shared().get(id);
  std::vector<uint8_t> bytes;
  for (const auto& section : page->layout().sections) {
    bytes.insert(bytes.end(), page->data(section), page->data(section) + section.bytes);
  }
  return bytes;
}

}  // namespace

int main(int, char** arguments) {
  troupe::captureLog();
  llama_backend_init();
  troupe::LanesOptions options;
  options.lanes = 2;
  options.cells = 512;
  options.rows = 32;
  const auto model = troupe::Model::load({arguments[1], false, 0, {}});
  Lanes lanes(model, options);
  feed(lanes);
  const uint8_t given[] = {1, 2, 3, 4, 5};
  const std::vector<troupe::GivenSection> sections{{troupe::kTokensSection, sizeof given, given}, {troupe::kMetaSection, 0, nullptr}};

  Chance chance(7);
  std::vector<std::vector<uint8_t>> read;
  int refused = 0;
  for (int round = 0; round < 200; round++) {
    const uint64_t bytes = chance.below(kMostBytes);
    const std::string failure = troupe::failureOf([&] { read.push_back(readAll(lanes, lanes.openWindow(0, sections, bytes), chance)); });
    CHECK(failure.empty() || failure == "NativeFailure");
    CHECK(PageStore::shared().usage().windows <= bytes);
    refused += failure.empty() ? 0 : 1;
  }
  CHECK(refused > 0 && read.size() > 100);

  const std::string beyond = troupe::failureOf([&] { lanes.fillWindow(1, 3, 3); });
  CHECK(beyond == "BadArgument");
  lanes.closeWindow();
  CHECK(PageStore::shared().usage().windows == 0);
  const uint64_t page = lanes.pageOut(0, sections);
  const std::vector<uint8_t> expected = bytesOf(page);
  CHECK(std::all_of(read.begin(), read.end(), [&](const auto& each) { return each == expected; }));
  PageStore::shared().releaseOwn(page);
  return 0;
}
