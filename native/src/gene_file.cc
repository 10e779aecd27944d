#include "gene_file.h"

#include <ggml.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "failure.h"
#include "gguf_file.h"
#include "log_tail.h"
#include "vector.h"

namespace troupe {
namespace {

// As in GgufFile: a read past the end must reach our callback, a false count must not allocate without bound.
constexpr uint64_t kSlackBytes = 64 << 20;
constexpr size_t kMaxRead = 1 << 20;
constexpr int64_t kMaxRank = 1024;
const std::string kSuffixA = ".lora_a";
const std::string kSuffixB = ".lora_b";

Failure notAGene(const GeneBytes& file, const std::string& reason) {
  return {"NotAGene", {{"path", file.path}, {"reason", reason}}};
}

Failure unfit(const GeneBytes& file, const std::string& tensor, const std::string& reason) {
  return {"GeneUnfit", {{"path", file.path}, {"tensor", tensor}, {"reason", reason}}};
}

struct Reading {
  const GeneBytes& file;
  uint64_t wanted = 0;
};

size_t readAt(void* data, void* output, uint64_t offset, size_t bytes) {
  auto& reading = *static_cast<Reading*>(data);
  const uint64_t left = reading.file.bytes - std::min<uint64_t>(offset, reading.file.bytes);
  const size_t got = std::min<uint64_t>(left, bytes);
  if (got > 0) std::memcpy(output, reading.file.data + offset, got);
  if (got < bytes) reading.wanted = std::max(reading.wanted, offset + bytes);
  return got;
}

struct Matrix {
  const ggml_tensor* tensor = nullptr;
  const std::byte* data = nullptr;
};

struct Pair {
  Matrix a;
  Matrix b;
};

class GeneFile : public Gguf {
 public:
  explicit GeneFile(const GeneBytes& file) : file_(file) {
    if (file.bytes < sizeof(uint32_t) || std::memcmp(file.data, GGUF_MAGIC, sizeof(uint32_t)) != 0) {
      throw notAGene(file, "it does not begin with GGUF");
    }
    Reading reading{file};
    ggml_context* meta = nullptr;
    clearLogTail();
    gguf_.reset(gguf_init_from_callback(readAt, &reading, kMaxRead, file.bytes + kSlackBytes, {true, &meta}));
    meta_.reset(meta);
    if (reading.wanted > file.bytes) throw truncated(reading.wanted);
    if (!gguf_ || !meta_) throw notAGene(file, logTail("its header cannot be read"));
    if (expectedBytes() > file.bytes) throw truncated(expectedBytes());
  }

  // The tensors by the name of the weight that each pair changes.
  std::map<std::string, Pair> pairs() const {
    std::map<std::string, Pair> pairs;
    for (ggml_tensor* each = ggml_get_first_tensor(meta_.get()); each; each = ggml_get_next_tensor(meta_.get(), each)) {
      const std::string name = each->name;
      const int64_t id = gguf_find_tensor(gguf_.get(), each->name);
      if (id < 0) throw unfit(file_, name, "the file lists it twice");
      const std::byte* data = file_.data + gguf_get_data_offset(gguf_.get()) + gguf_get_tensor_offset(gguf_.get(), id);
      const auto ends = [&](const std::string& suffix) {
        return name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      };
      if (!ends(kSuffixA) && !ends(kSuffixB)) throw unfit(file_, name, "its name ends with neither .lora_a nor .lora_b");
      Pair& pair = pairs[name.substr(0, name.size() - kSuffixA.size())];
      (ends(kSuffixA) ? pair.a : pair.b) = {each, data};
    }
    return pairs;
  }

 private:
  struct FreeMeta {
    void operator()(ggml_context* meta) const { ggml_free(meta); }
  };

  Failure truncated(uint64_t expected) const {
    return {"GeneTruncated",
            {{"path", file_.path},
             {"expectedBytes", static_cast<double>(expected)},
             {"actualBytes", static_cast<double>(file_.bytes)}}};
  }

  const GeneBytes& file_;
  std::unique_ptr<ggml_context, FreeMeta> meta_;
};

float checkHeader(const GeneBytes& bytes, const GeneFile& file, const std::string& architecture) {
  const auto type = file.text("general.type");
  if (type != "adapter") throw notAGene(bytes, "its type is " + type.value_or("not given") + ", not adapter");
  const auto kind = file.text("adapter.type");
  if (kind != "lora") throw notAGene(bytes, "its adapter type is " + kind.value_or("not given") + ", not lora");
  const auto own = file.text("general.architecture");
  if (own != architecture) {
    throw notAGene(bytes, "it is for a model of architecture " + own.value_or("not given") + ", not " + architecture);
  }
  if (file.has("adapter.alora.invocation_tokens")) throw notAGene(bytes, "it wants to be invoked by tokens");
  if (file.has("adapter.lora.alpha") && !file.real("adapter.lora.alpha")) throw notAGene(bytes, "its alpha is no float");
  const double alpha = file.real("adapter.lora.alpha").value_or(0);
  if (!std::isfinite(alpha)) throw notAGene(bytes, "its alpha is " + std::to_string(alpha));
  return static_cast<float>(alpha);
}

bool known(ggml_type type) { return type == GGML_TYPE_F16 || type == GGML_TYPE_F32 || type == GGML_TYPE_BF16; }

std::string shapeOf(const ggml_tensor* tensor) {
  return std::to_string(tensor->ne[0]) + " x " + std::to_string(tensor->ne[1]);
}

// The weight's index in the coverage.
int32_t checkPair(const GeneBytes& file, const std::string& name, const Pair& pair, const Coverage& coverage) {
  if (!pair.a.tensor) throw unfit(file, name + kSuffixA, "it is missing");
  if (!pair.b.tensor) throw unfit(file, name + kSuffixB, "it is missing");
  if (name == "token_embd.weight") throw unfit(file, name, "it is the table of token embeddings, which genes do not reach");
  const int32_t index = coverage.find(name);
  if (index < 0) throw unfit(file, name, "the model multiplies no weight of this name where genes reach");
  const CoveredWeight& weight = coverage.weights()[index];
  if (!weight.refusal.empty()) throw unfit(file, name, weight.refusal);
  for (const ggml_tensor* each : {pair.a.tensor, pair.b.tensor}) {
    if (!known(each->type)) throw unfit(file, each->name, std::string("it is of type ") + ggml_type_name(each->type) + ", not f16, bf16 or f32");
    if (each->ne[2] != 1 || each->ne[3] != 1) throw unfit(file, each->name, "it is no matrix");
  }
  if (pair.a.tensor->ne[0] != weight.in) {
    throw unfit(file, name + kSuffixA, "it is " + shapeOf(pair.a.tensor) + "; the weight takes " + std::to_string(weight.in) + " values");
  }
  if (pair.b.tensor->ne[1] != weight.out) {
    throw unfit(file, name + kSuffixB, "it is " + shapeOf(pair.b.tensor) + "; the weight gives " + std::to_string(weight.out) + " values");
  }
  const int64_t rank = pair.a.tensor->ne[1];
  if (rank < 1 || rank > kMaxRank || rank != pair.b.tensor->ne[0]) {
    throw unfit(file, name, "its ranks are " + std::to_string(rank) + " and " + std::to_string(pair.b.tensor->ne[0]) +
                                "; they must be equal and at most " + std::to_string(kMaxRank));
  }
  return index;
}

// As 32-bit floats, whatever the file holds.
std::vector<float> floats(const GeneBytes& file, const Matrix& from) {
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

void layOut(const GeneBytes& file, const Pair& pair, Factors& factors, std::byte* a, std::byte* b) {
  factors.a = a;
  factors.b = b;
  const std::vector<float> valuesA = floats(file, pair.a);
  const std::vector<float> valuesB = floats(file, pair.b);
  if (factors.half) {
    // The file's alignment is its own choice; ours must be that of the type.
    std::vector<Half> halves(std::max(valuesA.size(), valuesB.size()));
    std::memcpy(halves.data(), pair.a.data, valuesA.size() * sizeof(Half));
    layOutA(factors, halves.data(), reinterpret_cast<Half*>(a));
    std::memcpy(halves.data(), pair.b.data, valuesB.size() * sizeof(Half));
    layOutB(factors, halves.data(), reinterpret_cast<Half*>(b));
  } else {
    layOutA(factors, valuesA.data(), reinterpret_cast<float*>(a));
    layOutB(factors, valuesB.data(), reinterpret_cast<float*>(b));
  }
}

Factors shapeOf(const Pair& pair, float alpha) {
  Factors factors;
  factors.in = pair.a.tensor->ne[0];
  factors.out = pair.b.tensor->ne[1];
  factors.rank = static_cast<int32_t>(pair.a.tensor->ne[1]);
  factors.half = pair.a.tensor->type == GGML_TYPE_F16 && pair.b.tensor->type == GGML_TYPE_F16;
  factors.scale = alpha == 0 ? 1 : alpha / static_cast<float>(factors.rank);
  return factors;
}

}  // namespace

std::unique_ptr<const Gene> readGene(const GeneBytes& bytes, const std::string& architecture, const Coverage& coverage) {
  const GeneFile file(bytes);
  const float alpha = checkHeader(bytes, file, architecture);
  std::vector<Factors> factors(coverage.weights().size());
  // In the order in which a step reads them.
  std::map<int32_t, Pair> pairs;
  for (const auto& [name, pair] : file.pairs()) pairs[checkPair(bytes, name, pair, coverage)] = pair;
  if (pairs.empty()) throw notAGene(bytes, "it holds no tensor");

  size_t size = 0;
  int32_t rank = 0;
  for (const auto& [index, pair] : pairs) {
    factors[index] = shapeOf(pair, alpha);
    size += bytesOfA(factors[index]) + bytesOfB(factors[index]);
    rank = std::max(rank, factors[index].rank);
  }
  Block block(size);
  std::byte* at = block.data();
  for (const auto& [index, pair] : pairs) {
    std::byte* b = at + bytesOfA(factors[index]);
    layOut(bytes, pair, factors[index], at, b);
    at = b + bytesOfB(factors[index]);
  }
  return std::make_unique<const Gene>(std::move(block), std::move(factors), rank, static_cast<int32_t>(pairs.size()));
}

}  // namespace troupe
