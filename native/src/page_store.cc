#include "page_store.h"

#include <string>

#include "failure.h"

namespace troupe {
namespace {

Failure noSuchPage(uint64_t id) { return {"NoSuchPage", {{"name", "id " + std::to_string(id)}}}; }

}  // namespace

PageStore& PageStore::shared() {
  static PageStore& store = *std::make_unique<PageStore>(Arena::shared()).release();
  return store;
}

std::shared_ptr<Page> PageStore::make(PageLayout layout) {
  const uint64_t bytes = layout.bytes();
  {
    std::lock_guard lock(mutex_);
    if (charged_ > ceiling_ || bytes > ceiling_ - charged_) {
      throw Failure("OverCeiling", {{"needBytes", static_cast<double>(bytes)},
                                    {"usedBytes", static_cast<double>(charged_)},
                                    {"ceilingBytes", static_cast<double>(ceiling_)}});
    }
    charged_ += bytes;
    chargedPages_++;
    keepRoomFor(charged_);
  }
  std::unique_ptr<Page> page;
  try {
    page = std::make_unique<Page>(std::move(layout), arena_.take(bytes));
  } catch (...) {
    std::lock_guard lock(mutex_);
    charged_ -= bytes;
    chargedPages_--;
    keepRoomFor(charged_);
    throw;
  }
  return {page.release(), [this](Page* each) { destroy(each); }};
}

std::shared_ptr<Page> PageStore::makeWindow(PageLayout layout) {
  const uint64_t bytes = layout.bytes();
  auto page = std::make_unique<Page>(std::move(layout), Arena::windows().take(bytes));
  {
    std::lock_guard lock(mutex_);
    chargedWindows_ += bytes;
  }
  return {page.release(), [this, bytes](Page* each) {
            std::unique_ptr<Page>(each).reset();
            std::lock_guard lock(mutex_);
            chargedWindows_ -= bytes;
          }};
}

// First the memory, then the charge: never more memory than is charged.
void PageStore::destroy(Page* page) {
  const uint64_t bytes = page->bytes();
  {
    std::lock_guard lock(mutex_);
    // The next page may have its memory, which is warm.
    keepRoomFor(charged_ - bytes);
  }
  std::unique_ptr<Page>(page).reset();
  std::lock_guard lock(mutex_);
  charged_ -= bytes;
  chargedPages_--;
}

// What is free counts towards the ceiling too: the arena keeps what pages could still take, and no more.
void PageStore::keepRoomFor(uint64_t charged) { arena_.keepFree(ceiling_ > charged ? ceiling_ - charged : 0); }

uint64_t PageStore::add(std::shared_ptr<Page> page) {
  std::lock_guard lock(mutex_);
  pages_[++lastId_].page = std::move(page);
  return lastId_;
}

std::shared_ptr<Page> PageStore::find(uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = pages_.find(id);
  return found == pages_.end() ? nullptr : found->second.page;
}

std::shared_ptr<Page> PageStore::get(uint64_t id) const {
  auto page = find(id);
  if (!page) throw noSuchPage(id);
  return page;
}

PageReferences PageStore::references(uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = pages_.find(id);
  if (found == pages_.end()) return {};
  return {found->second.references, found->second.ownHeld};
}

PageStore::Entry& PageStore::entry(uint64_t id) {
  const auto found = pages_.find(id);
  if (found == pages_.end()) throw noSuchPage(id);
  return found->second;
}

void PageStore::retain(uint64_t id) {
  std::lock_guard lock(mutex_);
  entry(id).references++;
}

// The page of the last reference goes with the answer, outside of the lock.
std::shared_ptr<Page> PageStore::letGo(uint64_t id) {
  Entry& held = entry(id);
  if (--held.references > 0) return nullptr;
  std::shared_ptr<Page> page = std::move(held.page);
  pages_.erase(id);
  return page;
}

void PageStore::release(uint64_t id) {
  std::shared_ptr<Page> last;
  std::lock_guard lock(mutex_);
  last = letGo(id);
}

void PageStore::releaseOwn(uint64_t id) {
  std::shared_ptr<Page> last;
  std::lock_guard lock(mutex_);
  if (!entry(id).ownHeld) throw badArgument("id", static_cast<double>(id), "a page that this thread has retained");
  entry(id).ownHeld = false;
  last = letGo(id);
}

std::vector<uint64_t> PageStore::all() const {
  std::lock_guard lock(mutex_);
  std::vector<uint64_t> ids;
  for (const auto& [id, each] : pages_) ids.push_back(id);
  return ids;
}

PageUsage PageStore::usage() const {
  std::lock_guard lock(mutex_);
  return {charged_, chargedWindows_, arena_.freeBytes(), ceiling_, chargedPages_};
}

void PageStore::setCeiling(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  ceiling_ = bytes;
  keepRoomFor(charged_);
}

}  // namespace troupe
