#include "gene.h"

#include <cstring>

namespace troupe {

std::unique_ptr<Gene> Gene::copy() const {
  Block block(block_.bytes());
  if (block.bytes() > 0) std::memcpy(block.data(), block_.data(), block_.bytes());
  std::vector<Factors> factors = factors_;
  const auto moved = [&](const void* value) { return block.data() + (static_cast<const std::byte*>(value) - block_.data()); };
  for (Factors& each : factors) {
    if (each.rank == 0) continue;
    each.a = moved(each.a);
    each.b = moved(each.b);
  }
  StackedPart stacked{stacked_.shape, stacked_.scale, stacked_.bytes, Block(stacked_.bytes), nullptr};
  if (stacked_.slot) {
    stacked_.slot->read(stacked.onHost.data());
  } else if (stacked_.bytes > 0) {
    std::memcpy(stacked.onHost.data(), stacked_.onHost.data(), stacked_.bytes);
  }
  return std::make_unique<Gene>(std::move(block), std::move(factors), std::move(stacked), rank_, weights_);
}

void Gene::settle(Stacks& stacks, const Coverage& coverage) {
  if (stacked_.slot || stacked_.bytes == 0) return;
  std::unique_ptr<StackSlot> slot = stacks.take(coverage, stacked_.shape);
  slot->write(stacked_.onHost.data());
  stacked_.slot = std::move(slot);
  stacked_.onHost = Block(0);
}

}  // namespace troupe
