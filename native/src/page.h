// A page: all the state of one activity outside a lane, as sections of bytes in one piece of the arena.
// What it holds never changes once it is sealed, and may then be read on any thread; before that its maker fills it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "arena.h"

namespace troupe {

// SectionKind of src/native/pages.ts.
enum SectionKind : uint32_t {
  kKvSection = 1,
  kTokensSection = 2,
  kMetaSection = 3,
  kCheckpointSection = 4,
};

struct PageSection {
  uint32_t kind;
  uint64_t bytes;
  // In the page's memory; a multiple of kSectionAlign.
  uint64_t offset = 0;
};

struct PageLayout {
  std::string fingerprint;
  // Tokens that its lane held.
  int32_t tokens = 0;
  std::vector<PageSection> sections;

  // Places a section after the last one.
  void add(uint32_t kind, uint64_t bytes);
  // What a page of it is charged.
  uint64_t bytes() const;
};

class Page {
 public:
  static constexpr uint64_t kSectionAlign = 64;

  Page(PageLayout layout, Extent memory) : layout_(std::move(layout)), memory_(std::move(memory)) {}

  const PageLayout& layout() const { return layout_; }
  uint64_t bytes() const { return memory_.bytes(); }
  uint8_t* data(const PageSection& section) const { return memory_.data() + section.offset; }
  bool sealed() const { return sealed_; }
  void seal() { sealed_ = true; }

 private:
  PageLayout layout_;
  Extent memory_;
  std::atomic<bool> sealed_ = false;
};

}  // namespace troupe
