#include "gene.h"

#include <cstring>

namespace troupe {

std::unique_ptr<const Gene> Gene::copy() const {
  Block block(block_.bytes());
  std::memcpy(block.data(), block_.data(), block_.bytes());
  std::vector<Factors> factors = factors_;
  const auto moved = [&](const void* value) { return block.data() + (static_cast<const std::byte*>(value) - block_.data()); };
  for (Factors& each : factors) {
    if (each.rank == 0) continue;
    each.a = moved(each.a);
    each.b = moved(each.b);
  }
  return std::make_unique<const Gene>(std::move(block), std::move(factors), rank_, weights_);
}

}  // namespace troupe
