// The pages of the process by id, their references, and what they are charged. A page's memory and charge end when the last
// who holds it lets go: a reference counted here, or a copy that is under way.
// Thread-safe. A store outlives its pages.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "page.h"

namespace troupe {

struct PageUsage {
  uint64_t bytes;
  // Of windows, which are not pages and have no ceiling.
  uint64_t windows;
  uint64_t free;
  uint64_t ceiling;
  uint64_t count;
};

struct PageReferences {
  uint64_t count = 0;
  // Whether one of them is the store's own.
  bool kept = false;
};

class PageStore {
 public:
  static constexpr uint64_t kNoCeiling = std::numeric_limits<uint64_t>::max();

  explicit PageStore(Arena& arena) : arena_(arena) {}
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  // Of the process; never destroyed.
  static PageStore& shared();

  // A page to be filled, charged from now on; nobody finds it before it is added. Throws OverCeiling, NativeFailure.
  std::shared_ptr<Page> make(PageLayout layout);
  // What lanes are read through on their way to a file: in the store like a page, and charged apart. Throws NativeFailure.
  std::shared_ptr<Page> makeWindow(PageLayout layout);
  // Answers the page's id, never used before. The store holds its first reference.
  uint64_t add(std::shared_ptr<Page> page);

  std::shared_ptr<Page> find(uint64_t id) const;
  // Throws NoSuchPage.
  std::shared_ptr<Page> get(uint64_t id) const;
  // None when there is none of that id.
  PageReferences references(uint64_t id) const;
  void retain(uint64_t id);
  // Lets go one that was retained.
  void release(uint64_t id);
  // Lets go the store's own. Throws NoSuchPage, BadArgument when that was done already.
  void releaseOwn(uint64_t id);

  std::vector<uint64_t> all() const;
  PageUsage usage() const;
  void setCeiling(uint64_t bytes);
  uint64_t trim() { return arena_.trim(); }

 private:
  struct Entry {
    std::shared_ptr<Page> page;
    uint64_t references = 1;
    bool ownHeld = true;
  };

  void destroy(Page* page);
  Entry& entry(uint64_t id);
  std::shared_ptr<Page> letGo(uint64_t id);
  void keepRoomFor(uint64_t charged);

  Arena& arena_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Entry> pages_;
  uint64_t lastId_ = 0;
  uint64_t ceiling_ = kNoCeiling;
  uint64_t charged_ = 0;
  uint64_t chargedPages_ = 0;
  uint64_t chargedWindows_ = 0;
};

}  // namespace troupe
