// The rows of one step: their form in JS memory, their check, and llama.cpp's batch made from them.
// Not thread-safe: a batch belongs to its context.
#pragma once

#include <llama.h>

#include <cstdint>
#include <vector>

namespace troupe {

// As an Int32Array holds it, four fields a row.
struct Row {
  int32_t token;
  int32_t lane;
  int32_t position;
  int32_t output;
};

constexpr int32_t kNoOutput = 0;
constexpr int32_t kSampleOutput = 1;
constexpr int32_t kLogitsOutput = 2;

struct RowLimits {
  int32_t rows;
  int32_t lanes;
  int32_t vocabulary;
};

class Batch {
 public:
  explicit Batch(const RowLimits& limits);

  // Checks each row against the limits and the lanes' lengths, and fills the batch. Throws BadArgument.
  void fill(const Row* rows, size_t count, const std::vector<int32_t>& lengths);
  // Rows of each kind in the filled batch.
  size_t samples() const { return samples_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }
  // True if some lane has more than one row.
  bool hasPrompt() const { return hasPrompt_; }
  llama_batch view();

 private:
  void checkRow(const Row& row, size_t index, const std::vector<int32_t>& lengths) const;

  RowLimits limits_;
  size_t count_ = 0;
  size_t samples_ = 0;
  bool hasPrompt_ = false;
  std::vector<int32_t> outputs_;
  std::vector<llama_token> tokens_;
  std::vector<llama_pos> positions_;
  std::vector<int32_t> sequenceCounts_;
  std::vector<llama_seq_id> lanes_;
  std::vector<llama_seq_id*> laneViews_;
  std::vector<int8_t> wanted_;
  // Per lane, of the rows seen so far.
  std::vector<int32_t> seen_;
  std::vector<bool> sampling_;
};

}  // namespace troupe
