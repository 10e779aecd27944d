#include "sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "candidates.h"
#include "probability.h"
#include "random.h"

namespace troupe {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
// Temperatures below this are as good as greedy, and their inverse stays finite.
constexpr double kLeastTemperature = 1e-30;
// How far below the highest logit the first look goes when no option bounds the candidates; then twice as far.
constexpr float kFirstDepth = 6.0f;

// Beyond this many times the temperature below the highest logit a weight is less than any float.
constexpr double kDeepest = 100;

double weight(float logit, float high, double temperature) {
  return std::exp((static_cast<double>(logit) - high) / temperature);
}

// What top-p and min-p leave of the candidates: a prefix.
struct Cut {
  double mass;  // top-p: sum of weights at temperature 1 that is enough
  float floor;  // min-p: the lowest logit that stays

  bool drops() const { return std::isfinite(mass) || floor > kLowest; }

  // The length of the prefix; `settled` if no further candidate could lengthen it.
  size_t of(const std::vector<Candidate>& candidates, float high, bool& settled) const {
    double sum = 0;
    size_t count = 0;
    settled = true;
    for (const Candidate& candidate : candidates) {
      if (candidate.logit < floor && count > 0) return count;
      count++;
      sum += weight(candidate.logit, high, 1);
      if (sum >= mass) return count;
    }
    settled = false;
    return count;
  }
};

double weightOf(const std::vector<Candidate>& candidates, size_t count, float high, double temperature) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += weight(candidates[i].logit, high, temperature);
  return sum;
}

// The first of `count` candidates at which the sum of weights passes `target`; -1 if none does.
int32_t atWeight(const std::vector<Candidate>& candidates, size_t count, float high, double temperature,
                 double target) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += weight(candidates[i].logit, high, temperature);
    if (sum > target) return candidates[i].token;
  }
  return -1;
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options, std::vector<int32_t> produced)
    : options_(options), produced_(std::move(produced)) {}

int32_t Sampler::choose(float* logits, int32_t vocabulary, SamplerScratch& scratch) const {
  penalise(logits, scratch);
  const int32_t token = options_.temperature == 0 || options_.topK == 1 ? argMax(logits, vocabulary)
                                                                        : draw(logits, vocabulary, scratch);
  for (const auto& [penalised, logit] : scratch.unpenalised) logits[penalised] = logit;
  return token;
}

// As llama.cpp defines it: each distinct token of the window once, towards less likely on either side of zero.
void Sampler::penalise(float* logits, SamplerScratch& scratch) const {
  auto& saved = scratch.unpenalised;
  saved.clear();
  if (options_.repeatPenalty == 1 || options_.repeatLast == 0) return;
  const size_t all = produced_.size();
  const size_t window = options_.repeatLast < 0 ? all : std::min<size_t>(all, options_.repeatLast);
  for (size_t i = all - window; i < all; i++) saved.emplace_back(produced_[i], logits[produced_[i]]);
  std::sort(saved.begin(), saved.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  saved.erase(std::unique(saved.begin(), saved.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              saved.end());
  const auto penalty = static_cast<float>(options_.repeatPenalty);
  for (const auto& [token, logit] : saved) logits[token] = logit > 0 ? logit / penalty : logit * penalty;
}

int32_t Sampler::draw(const float* logits, int32_t vocabulary, SamplerScratch& scratch) const {
  auto& candidates = scratch.candidates;
  const float high = highest(logits, vocabulary);
  if (!std::isfinite(high)) return argMax(logits, vocabulary);
  const double temperature = std::max(options_.temperature, kLeastTemperature);
  const double u = uniform(options_.seed, produced_.size());
  const bool bounded = options_.topK > 0 && options_.topK < vocabulary;
  if (bounded) takeTop(logits, vocabulary, options_.topK, candidates);

  Cut cut{std::numeric_limits<double>::infinity(), kLowest};
  if (options_.minP > 0) cut.floor = high + static_cast<float>(std::log(options_.minP));
  if (options_.topP < 1) {
    cut.mass = options_.topP * (bounded ? weightOf(candidates, candidates.size(), high, 1)
                                        : expSum(logits, vocabulary, high, 1));
  }

  size_t count = candidates.size();
  bool settled = false;
  if (bounded) {
    count = cut.of(candidates, high, settled);
  } else if (cut.drops()) {
    for (float depth = kFirstDepth; !settled; depth *= 2) {
      takeAbove(logits, vocabulary, std::max(cut.floor, high - depth), candidates);
      count = cut.of(candidates, high, settled);
      settled = settled || high - depth <= cut.floor || depth > kDeepest;
    }
  } else {
    // Nothing is dropped: look only as deep as the draw falls.
    const auto inverse = static_cast<float>(std::min(1 / temperature, 1e30));
    const double target = u * expSum(logits, vocabulary, high, inverse);
    for (double depth = kFirstDepth; depth <= 2 * kDeepest; depth *= 2) {
      takeAbove(logits, vocabulary, high - static_cast<float>(depth * temperature), candidates);
      const int32_t token = atWeight(candidates, candidates.size(), high, temperature, target);
      if (token >= 0) return token;
    }
    return candidates.back().token;
  }
  const double target = u * weightOf(candidates, count, high, temperature);
  const int32_t token = atWeight(candidates, count, high, temperature, target);
  return token >= 0 ? token : candidates[count - 1].token;
}

}  // namespace troupe
