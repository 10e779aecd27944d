#include "gene_file.h"

#include <ggml.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "failure.h"
#include "gene_layout.h"
#include "gguf_file.h"
#include "log_tail.h"

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
  std::map<std::string, GenePair> pairs() const {
    std::map<std::string, GenePair> pairs;
    for (ggml_tensor* each = ggml_get_first_tensor(meta_.get()); each; each = ggml_get_next_tensor(meta_.get(), each)) {
      const std::string name = each->name;
      const int64_t id = gguf_find_tensor(gguf_.get(), each->name);
      if (id < 0) throw unfit(file_, name, "the file lists it twice");
      const std::byte* data = file_.data + gguf_get_data_offset(gguf_.get()) + gguf_get_tensor_offset(gguf_.get(), id);
      const auto ends = [&](const std::string& suffix) {
        return name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      };
      if (!ends(kSuffixA) && !ends(kSuffixB)) throw unfit(file_, name, "its name ends with neither .lora_a nor .lora_b");
      GenePair& pair = pairs[name.substr(0, name.size() - kSuffixA.size())];
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
int32_t checkPair(const GeneBytes& file, const std::string& name, const GenePair& pair, const Coverage& coverage) {
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

}  // namespace

std::unique_ptr<Gene> readGene(const GeneBytes& bytes, const std::string& architecture, const Coverage& coverage) {
  const GeneFile file(bytes);
  const float alpha = checkHeader(bytes, file, architecture);
  // In the order in which a step reads them.
  std::map<int32_t, GenePair> pairs;
  for (const auto& [name, pair] : file.pairs()) pairs[checkPair(bytes, name, pair, coverage)] = pair;
  if (pairs.empty()) throw notAGene(bytes, "it holds no tensor");
  return layOut(bytes, pairs, alpha, coverage);
}

}  // namespace troupe
