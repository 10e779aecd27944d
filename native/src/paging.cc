#include "paging.h"

#include <algorithm>
#include <cstring>

#include "failure.h"
#include "lane_state.h"

namespace troupe {

Paging::Paging(llama_memory_i* memory, int32_t lanes, const PageFields& fields, std::string path)
    : memory_(memory),
      fingerprint_(troupe::fingerprint(fields)),
      path_(std::move(path)),
      placement_(fields.flashAttention ? Placement::lowest : Placement::same),
      parts_(memoryParts(memory)),
      checkpoints_(lanes) {
  if (!parts_) return;
  std::copy_if(parts_->begin(), parts_->end(), std::back_inserter(held_), [](const auto& part) { return !part.rollsBack(); });
}

const std::vector<MemoryPart>& Paging::parts() const {
  if (parts_) return *parts_;
  throw Failure("ModelUnsupported", {{"path", path_}, {"reason", std::string("its memory is of a kind that cannot be paged")}});
}

PageLayout Paging::layoutOf(int32_t lane, uint64_t stateBytes, int32_t tokens, const std::vector<GivenSection>& given) const {
  PageLayout layout{fingerprint_, tokens, {}};
  layout.add(kKvSection, stateBytes);
  for (const GivenSection& each : given) layout.add(each.kind, each.bytes);
  for (const Checkpoint& each : checkpoints_.of(lane)) layout.add(kCheckpointSection, each.bytes);
  return layout;
}

uint64_t Paging::pageBytes(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given) const {
  return layoutOf(lane, measureState(parts(), lane, tokens).bytes, tokens, given).bytes();
}

std::shared_ptr<Page> Paging::pageOut(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given) const {
  const StateLayout state = measureState(parts(), lane, tokens);
  auto page = PageStore::shared().make(layoutOf(lane, state.bytes, tokens, given));
  auto section = page->layout().sections.begin();
  gatherState(parts(), lane, state, page->data(*section));
  for (const GivenSection& each : given) {
    ++section;
    if (each.bytes > 0) std::memcpy(page->data(*section), each.data, each.bytes);
  }
  for (const Checkpoint& each : checkpoints_.of(lane)) std::memcpy(page->data(*++section), each.memory.data(), each.bytes);
  page->seal();
  return page;
}

std::unique_ptr<LaneWindow> Paging::window(int32_t lane, int32_t tokens, const std::vector<GivenSection>& given,
                                           uint64_t bytes) const {
  const StateLayout state = measureState(parts(), lane, tokens);
  PageLayout layout = layoutOf(lane, state.bytes, tokens, given);
  return std::make_unique<LaneWindow>(LaneWindow::Of{parts(), checkpoints_.of(lane), lane, state}, std::move(layout), given, bytes);
}

void Paging::empty(int32_t lane) {
  memory_->seq_rm(lane, -1, -1);
  checkpoints_.dropAfter(lane, 0);
}

int32_t Paging::pageIn(int32_t lane, const Page& page) {
  checkpoints_.forgetEvicted();
  if (const auto different = difference(page.layout().fingerprint, fingerprint_)) {
    throw Failure("PageMismatch", {{"field", different->field}, {"page", different->page}, {"here", different->here}});
  }
  const PageSection& kv = page.layout().sections.front();
  const StateLayout state = readHead(page.data(kv), kv.bytes, "its state");
  try {
    scatterState(parts(), lane, state, page.data(kv), placement_);
    takeCheckpoints(lane, page);
  } catch (...) {
    empty(lane);
    throw;
  }
  return state.tokens;
}

// Those that the budget has no room for stay behind: the page still has them.
void Paging::takeCheckpoints(int32_t lane, const Page& page) {
  for (const PageSection& each : page.layout().sections) {
    if (each.kind != kCheckpointSection || !checkpoints_.admit(each.bytes)) continue;
    const StateLayout state = readHead(page.data(each), each.bytes, "a checkpoint");
    Checkpoint taken{state.tokens, each.bytes, Arena::shared().take(each.bytes)};
    std::memcpy(taken.memory.data(), page.data(each), each.bytes);
    checkpoints_.add(lane, std::move(taken));
  }
}

void Paging::setCheckpointBudget(uint64_t bytes) {
  checkpoints_.forgetEvicted();
  checkpoints_.setBudget(bytes);
}

const Checkpoint* Paging::checkpoint(int32_t lane, int32_t tokens) {
  checkpoints_.forgetEvicted();
  if (held_.empty()) return nullptr;
  const Checkpoint* last = checkpoints_.newest(lane, tokens);
  if (last != nullptr && last->position == tokens) return last;
  const StateLayout state = measureState(held_, lane, tokens);
  if (!checkpoints_.admit(state.bytes)) return nullptr;
  Checkpoint made{tokens, state.bytes, Arena::shared().take(state.bytes)};
  gatherState(held_, lane, state, made.memory.data());
  checkpoints_.add(lane, std::move(made));
  return &checkpoints_.of(lane).back();
}

std::optional<int32_t> Paging::restore(int32_t lane, int32_t position) {
  const Checkpoint* found = checkpoints_.newest(lane, position);
  if (found == nullptr) return {};
  const int32_t tokens = found->position;
  checkpoints_.dropAfter(lane, tokens);
  try {
    for (const MemoryPart& part : *parts_) {
      if (part.rollsBack()) part.cells->seq_rm(lane, tokens, -1);
      if (part.kind == StateKind::windowed) part.cells->seq_rm(lane, -1, -1);
    }
    const uint8_t* section = found->memory.data();
    scatterState(held_, lane, readHead(section, found->bytes, "a checkpoint"), section, placement_);
  } catch (...) {
    empty(lane);
    throw;
  }
  return tokens;
}

}  // namespace troupe
