// Candidates in falling order of logit (ties: the lower token first), made without sorting the vocabulary.
// Not thread-safe: works in its caller's buffer.
#pragma once

#include <cstddef>
#include <vector>

#include "sampler.h"

namespace troupe {

inline bool before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// The k first of the vocabulary, in order.
void takeTop(const float* logits, int32_t vocabulary, size_t k, std::vector<Candidate>& candidates);

// All with a logit of at least `floor`, in order.
void takeAbove(const float* logits, int32_t vocabulary, float floor, std::vector<Candidate>& candidates);

}  // namespace troupe
