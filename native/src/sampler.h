// Chooses one lane's next token: repeat penalty, top-k, top-p, min-p, temperature, draw, in this order.
// A choice depends on the logits, the options and the tokens produced so far, on nothing else.
// Not thread-safe: it belongs to its context's thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace troupe {

struct SamplerOptions {
  uint64_t seed = 0;
  double temperature = 0;    // 0: greedy
  int32_t topK = 0;          // 0: off
  double topP = 1;           // 1: off
  double minP = 0;           // 0: off
  double repeatPenalty = 1;  // 1: off
  int32_t repeatLast = 0;    // 0: none, -1: all
};

struct Candidate {
  float logit;
  int32_t token;
};

// Buffers that all samplers of a context share, so that a choice allocates nothing once they have grown.
struct SamplerScratch {
  std::vector<Candidate> candidates;
  std::vector<std::pair<int32_t, float>> unpenalised;
};

class Sampler {
 public:
  Sampler(const SamplerOptions& options, std::vector<int32_t> produced);

  // The next token, or -1 if no logit is a number. `logits` are changed while it runs and are as before after it.
  int32_t choose(float* logits, int32_t vocabulary, SamplerScratch& scratch) const;
  void accept(int32_t token) { produced_.push_back(token); }

 private:
  void penalise(float* logits, SamplerScratch& scratch) const;
  int32_t draw(const float* logits, int32_t vocabulary, SamplerScratch& scratch) const;

  SamplerOptions options_;
  std::vector<int32_t> produced_;
};

}  // namespace troupe
