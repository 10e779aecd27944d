#include "header.h"

#include <string_view>
#include <unordered_set>

#include "failure.h"
#include "gguf_file.h"

namespace troupe {
namespace {

constexpr uint64_t kHalfBytes = 2;
constexpr uint64_t kMaxLayers = 512;  // llama.cpp's LLAMA_MAX_LAYERS

Failure unsupported(const std::string& path, const std::string& reason) {
  return {"ModelUnsupported", {{"path", path}, {"reason", reason}}};
}

// What follows checks facts on which llama.cpp ends the process when they do not hold.

void checkVocabulary(const GgufFile& file) {
  const auto check = [&](const std::string& key, gguf_type type) {
    if (file.has(key) && file.arrayType(key) != type) {
      throw unsupported(file.path(), key + " is not an array of " + gguf_type_name(type));
    }
  };
  check("tokenizer.ggml.tokens", GGUF_TYPE_STRING);
  check("tokenizer.ggml.merges", GGUF_TYPE_STRING);
  check("tokenizer.ggml.token_type", GGUF_TYPE_INT32);
  std::unordered_set<std::string_view> seen;
  for (const std::string_view token : file.texts("tokenizer.ggml.tokens")) {
    // An empty one gets a name of its own there.
    if (!token.empty() && !seen.insert(token).second) throw unsupported(file.path(), "its vocabulary has a token twice");
  }
}

void checkShape(const GgufFile& file, const std::string& architecture, uint64_t layers) {
  if (layers > kMaxLayers) throw unsupported(file.path(), "it claims " + std::to_string(layers) + " layers");
  const std::string attention = architecture + ".attention.";
  for (const char* key : {"layer_norm_rms_epsilon", "layer_norm_epsilon"}) {
    const double epsilon = file.real(attention + key).value_or(0);
    if (!(epsilon >= 0)) throw unsupported(file.path(), attention + key + " is " + std::to_string(epsilon));
  }
  const auto heads = file.perLayer(attention + "head_count", layers);
  const auto kvHeads = file.perLayer(attention + "head_count_kv", layers);
  for (uint64_t layer = 0; heads && kvHeads && layer < layers; layer++) {
    const uint64_t shared = (*kvHeads)[layer];
    if (shared != 0 && (*heads)[layer] % shared != 0) {
      throw unsupported(file.path(), std::to_string(shared) + " heads of keys do not divide its " +
                                         std::to_string((*heads)[layer]) + " heads");
    }
  }
}

uint64_t cellBytes(const GgufFile& file, const std::string& architecture, uint64_t layers) {
  const std::string attention = architecture + ".attention.";
  // Architectures with compressed or recurrent state keep something else than keys and values per head.
  if (file.has(attention + "kv_lora_rank")) return 0;
  const uint64_t embedding = file.number(architecture + ".embedding_length").value_or(0);
  const auto heads = file.perLayer(attention + "head_count", layers);
  if (!heads || embedding == 0) return 0;
  const auto kvHeads = file.perLayer(attention + "head_count_kv", layers).value_or(*heads);
  const auto keyLength = file.number(attention + "key_length");
  const auto valueLength = file.number(attention + "value_length");
  uint64_t bytes = 0;
  for (uint64_t layer = 0; layer < layers; layer++) {
    if ((*heads)[layer] == 0) continue;
    const uint64_t perHead = embedding / (*heads)[layer];
    bytes += kvHeads[layer] * (keyLength.value_or(perHead) + valueLength.value_or(perHead)) * kHalfBytes;
  }
  return bytes;
}

}  // namespace

Header readHeader(const std::string& path) {
  const GgufFile file(path);
  const auto architecture = file.text("general.architecture");
  if (!architecture) throw unsupported(path, "its header names no architecture");
  const auto type = file.text("general.type");
  if (type && *type != "model") throw unsupported(path, "it is of type " + *type + ", not a model");
  if (file.number("split.count").value_or(1) > 1) {
    throw unsupported(path, "it is one part of a split model; join the parts with llama-gguf-split --merge");
  }
  checkVocabulary(file);

  Header header;
  header.architecture = *architecture;
  header.fileBytes = file.fileBytes();
  header.weightBytes = file.tensorBytes();
  header.contextTrain = file.number(*architecture + ".context_length").value_or(0);
  header.layers = file.number(*architecture + ".block_count").value_or(0);
  checkShape(file, *architecture, header.layers);
  header.cellBytes = cellBytes(file, *architecture, header.layers);
  return header;
}

}  // namespace troupe
