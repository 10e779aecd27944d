#include "rows.h"

#include <algorithm>
#include <string>

#include "failure.h"

namespace troupe {
namespace {

std::string field(size_t row, const char* name) { return "rows[" + std::to_string(row) + "]." + name; }

Failure bad(size_t row, const char* name, int32_t value, std::string expected) {
  return badArgument(field(row, name), static_cast<double>(value), std::move(expected));
}

}  // namespace

Batch::Batch(const RowLimits& limits)
    : limits_(limits),
      tokens_(limits.rows),
      positions_(limits.rows),
      sequenceCounts_(limits.rows, 1),
      lanes_(limits.rows),
      laneViews_(limits.rows),
      wanted_(limits.rows),
      seen_(limits.lanes),
      sampling_(limits.lanes) {
  for (int32_t i = 0; i < limits.rows; i++) laneViews_[i] = &lanes_[i];
  outputs_.reserve(limits.lanes);
}

void Batch::fill(const Row* rows, size_t count, const std::vector<int32_t>& lengths) {
  if (count < 1 || count > static_cast<size_t>(limits_.rows)) {
    throw badArgument("count", static_cast<double>(count), "1 to " + std::to_string(limits_.rows));
  }
  count_ = count;
  samples_ = 0;
  hasPrompt_ = false;
  outputs_.clear();
  std::fill(seen_.begin(), seen_.end(), 0);
  std::fill(sampling_.begin(), sampling_.end(), false);
  for (size_t i = 0; i < count; i++) {
    const Row& row = rows[i];
    checkRow(row, i, lengths);
    tokens_[i] = row.token;
    positions_[i] = row.position;
    lanes_[i] = row.lane;
    wanted_[i] = row.output != kNoOutput;
    if (row.output != kNoOutput) outputs_.push_back(static_cast<int32_t>(i));
    if (row.output == kSampleOutput) {
      samples_++;
      sampling_[row.lane] = true;
    }
    hasPrompt_ = hasPrompt_ || seen_[row.lane] > 0;
    seen_[row.lane]++;
  }
}

void Batch::checkRow(const Row& row, size_t index, const std::vector<int32_t>& lengths) const {
  if (row.lane < 0 || row.lane >= limits_.lanes) {
    throw bad(index, "lane", row.lane, "0 to " + std::to_string(limits_.lanes - 1));
  }
  if (row.token < 0 || row.token >= limits_.vocabulary) {
    throw bad(index, "token", row.token, "0 to " + std::to_string(limits_.vocabulary - 1));
  }
  const int32_t next = lengths[row.lane] + seen_[row.lane];
  if (row.position != next) {
    throw bad(index, "position", row.position, std::to_string(next) + ", where lane " + std::to_string(row.lane) + " goes on");
  }
  if (row.output < kNoOutput || row.output > kLogitsOutput) throw bad(index, "output", row.output, "0, 1 or 2");
  if (row.output != kNoOutput && outputs_.size() == static_cast<size_t>(limits_.lanes)) {
    throw bad(index, "output", row.output, "at most " + std::to_string(limits_.lanes) + " rows with an output");
  }
  if (row.output == kSampleOutput && sampling_[row.lane]) {
    throw bad(index, "output", row.output, "one sampled row a lane");
  }
}

llama_batch Batch::view() {
  return {static_cast<int32_t>(count_), tokens_.data(),   nullptr,       positions_.data(),
          sequenceCounts_.data(),       laneViews_.data(), wanted_.data()};
}

}  // namespace troupe
