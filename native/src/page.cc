#include "page.h"

#include <algorithm>

namespace troupe {
namespace {

uint64_t sectionsEnd(const std::vector<PageSection>& sections) {
  return sections.empty() ? 0 : sections.back().offset + sections.back().bytes;
}

}  // namespace

void PageLayout::add(uint32_t kind, uint64_t bytes) {
  const uint64_t offset = (sectionsEnd(sections) + Page::kSectionAlign - 1) / Page::kSectionAlign * Page::kSectionAlign;
  sections.push_back({kind, bytes, offset});
}

uint64_t PageLayout::bytes() const { return std::max(Arena::kGrain, Arena::rounded(sectionsEnd(sections))); }

}  // namespace troupe
