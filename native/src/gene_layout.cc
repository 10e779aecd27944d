#include "gene_layout.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "vector.h"

namespace troupe {
namespace {

// As 32-bit floats, whatever the file holds.
std::vector<float> floats(const GeneBytes& file, const GeneMatrix& from) {
  std::vector<float> values(ggml_nelements(from.tensor));
  const auto count = static_cast<int64_t>(values.size());
  switch (from.tensor->type) {
    case GGML_TYPE_F16: ggml_fp16_to_fp32_row(reinterpret_cast<const ggml_fp16_t*>(from.data), values.data(), count); break;
    case GGML_TYPE_BF16: ggml_bf16_to_fp32_row(reinterpret_cast<const ggml_bf16_t*>(from.data), values.data(), count); break;
    default: std::memcpy(values.data(), from.data, values.size() * sizeof(float));
  }
  // Any number but NaN and the infinities gives 0 here.
  float worst = 0;
  for (const float value : values) worst += value * 0.0f;
  if (worst != 0) throw unfit(file, from.tensor->name, "it holds a value that is no finite number");
  return values;
}

// The file's alignment is its own choice; ours must be that of the type.
std::vector<Half> halves(const GeneMatrix& from) {
  std::vector<Half> values(ggml_nelements(from.tensor));
  std::memcpy(values.data(), from.data, values.size() * sizeof(Half));
  return values;
}

Factors shapeOf(const GenePair& pair, float alpha) {
  Factors factors;
  factors.in = pair.a.tensor->ne[0];
  factors.out = pair.b.tensor->ne[1];
  factors.rank = static_cast<int32_t>(pair.a.tensor->ne[1]);
  factors.half = pair.a.tensor->type == GGML_TYPE_F16 && pair.b.tensor->type == GGML_TYPE_F16;
  factors.scale = alpha == 0 ? 1 : alpha / static_cast<float>(factors.rank);
  return factors;
}

void layOutForNode(const GeneBytes& file, const GenePair& pair, Factors& factors, std::byte* at) {
  std::byte* b = at + bytesOfA(factors);
  factors.a = at;
  factors.b = b;
  const std::vector<float> valuesA = floats(file, pair.a);
  const std::vector<float> valuesB = floats(file, pair.b);
  if (factors.half) {
    layOutA(factors, halves(pair.a).data(), reinterpret_cast<Half*>(at));
    layOutB(factors, halves(pair.b).data(), reinterpret_cast<Half*>(b));
  } else {
    layOutA(factors, valuesA.data(), reinterpret_cast<float*>(at));
    layOutB(factors, valuesB.data(), reinterpret_cast<float*>(b));
  }
}

// Row by row as the file has them, with zeros up to the stack's rank. Answers where the next pair begins.
template <class Stored>
Stored* stack(const Factors& shape, int32_t rank, const std::vector<Stored>& a, const std::vector<Stored>& b, Stored* at) {
  std::copy(a.begin(), a.end(), at);
  at += rank * shape.in;
  for (int64_t row = 0; row < shape.out; row++, at += rank) std::copy_n(b.data() + row * shape.rank, shape.rank, at);
  return at;
}

std::byte* layOutForStack(const GeneBytes& file, const GenePair& pair, const Factors& factors, const StackShape& shape,
                          int32_t rank, float scale, std::byte* at) {
  const std::vector<float> valuesA = floats(file, pair.a);
  std::vector<float> valuesB = floats(file, pair.b);
  if (shape.half) {
    return reinterpret_cast<std::byte*>(stack(factors, rank, halves(pair.a), halves(pair.b), reinterpret_cast<Half*>(at)));
  }
  if (factors.scale != scale) {
    for (float& value : valuesB) value *= factors.scale / scale;
  }
  return reinterpret_cast<std::byte*>(stack(factors, rank, valuesA, valuesB, reinterpret_cast<float*>(at)));
}

}  // namespace

Failure unfit(const GeneBytes& file, const std::string& tensor, const std::string& reason) {
  return {"GeneUnfit", {{"path", file.path}, {"tensor", tensor}, {"reason", reason}}};
}

std::unique_ptr<Gene> layOut(const GeneBytes& file, const std::map<int32_t, GenePair>& pairs, float alpha,
                             const Coverage& coverage) {
  std::vector<Factors> factors(coverage.weights().size());
  std::map<int32_t, Factors> stacked;
  StackedPart part;
  part.shape.half = true;
  part.shape.ranks.resize(coverage.weights().size(), 0);
  size_t size = 0;
  int32_t rank = 0;
  for (const auto& [index, pair] : pairs) {
    const Factors shape = shapeOf(pair, alpha);
    rank = std::max(rank, shape.rank);
    if (coverage.weights()[index].form == GeneForm::node) {
      factors[index] = shape;
      size += bytesOfA(shape) + bytesOfB(shape);
      continue;
    }
    if (stacked.empty()) part.scale = shape.scale;
    // A step multiplies the gene by one number; where the file asks for several, B takes the difference, exactly enough.
    part.shape.half = part.shape.half && shape.half && shape.scale == part.scale;
    part.shape.ranks[index] = stackedRank(shape.rank);
    stacked[index] = shape;
  }
  // Between what is laid out there are gaps, which products read.
  const auto zeroed = [](size_t bytes) {
    Block made(bytes);
    if (bytes > 0) std::memset(made.data(), 0, made.bytes());
    return made;
  };
  Block block = zeroed(size);
  std::byte* at = block.data();
  part.bytes = stackedBytes(coverage, part.shape);
  part.onHost = zeroed(part.bytes);
  std::byte* stackedAt = part.onHost.data();
  for (const auto& [index, pair] : pairs) {
    const auto found = stacked.find(index);
    if (found == stacked.end()) {
      layOutForNode(file, pair, factors[index], at);
      at += bytesOfA(factors[index]) + bytesOfB(factors[index]);
    } else {
      stackedAt = layOutForStack(file, pair, found->second, part.shape, part.shape.ranks[index], part.scale, stackedAt);
    }
  }
  return std::make_unique<Gene>(std::move(block), std::move(factors), std::move(part), rank, static_cast<int32_t>(pairs.size()));
}

}  // namespace troupe
