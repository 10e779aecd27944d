// Sums and searches over the logits of a whole vocabulary, written so that the compiler makes vector code of them.
// Pure functions. NaN counts as the lowest logit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

// The highest logit, -infinity if there is none.
float highest(const float* logits, size_t count);

// Index of the highest logit, the lowest such index on a tie; -1 if there is none.
int32_t argMax(const float* logits, size_t count);

// Sum of exp((logit - high) * inverseTemperature).
double expSum(const float* logits, size_t count, float high, float inverseTemperature);

// Natural logarithm of the softmax probability of one logit.
double logSoftmax(const float* logits, size_t count, int32_t index);

}  // namespace troupe
