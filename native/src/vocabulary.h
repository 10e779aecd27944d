// Text to tokens and back over a model's vocabulary.
// Thread-safe: nothing changes after construction. Lives no longer than its model.
#pragma once

#include <llama.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

class Vocabulary {
 public:
  explicit Vocabulary(const llama_vocab* vocab);

  int32_t size() const { return size_; }
  bool contains(int32_t token) const { return token >= 0 && token < size_; }

  // Never adds bos or eos. `continues`: no leading space where the vocabulary would put one before a text.
  // Throws NativeFailure.
  std::vector<int32_t> tokenize(const std::string& text, bool special, bool continues) const;
  // Appends the bytes of one token; special tokens have none unless `special`.
  void append(int32_t token, bool special, std::string& bytes) const;
  // Literal texts that `tokenize(special)` turns into one token.
  std::vector<std::string> specials() const;
  // Tokens that end a reply.
  std::vector<int32_t> ends() const;

 private:
  std::vector<int32_t> raw(const std::string& text, bool special) const;

  const llama_vocab* vocab_;
  int32_t size_;
  // A text that no token shares a byte sequence with, so that nothing merges across its end; empty if none is needed.
  std::string wall_;
  std::vector<int32_t> wallTokens_;
};

}  // namespace troupe
