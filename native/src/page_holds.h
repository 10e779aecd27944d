// The references to pages that one environment holds, let go at its end.
// Belongs to the environment's thread.
#pragma once

#include <cstdint>
#include <map>

#include "page_store.h"

namespace troupe {

class PageHolds {
 public:
  PageHolds() = default;
  PageHolds(const PageHolds&) = delete;
  PageHolds& operator=(const PageHolds&) = delete;
  ~PageHolds() {
    for (const auto& [id, count] : counts_) {
      for (uint64_t i = 0; i < count; i++) PageStore::shared().release(id);
    }
  }

  // Throws NoSuchPage.
  void retain(uint64_t id) {
    PageStore::shared().retain(id);
    counts_[id]++;
  }
  // What this environment holds, or else the store's own. Throws as PageStore::releaseOwn.
  void release(uint64_t id) {
    const auto held = counts_.find(id);
    if (held == counts_.end()) return PageStore::shared().releaseOwn(id);
    PageStore::shared().release(id);
    if (--held->second == 0) counts_.erase(held);
  }

 private:
  std::map<uint64_t, uint64_t> counts_;
};

}  // namespace troupe
