#include "vocabulary.h"

#include <algorithm>
#include <cstring>

#include "failure.h"

namespace troupe {
namespace {

// Private-use and noncharacters: a vocabulary spells them byte by byte, if at all.
const char* const kWalls[] = {"\xF4\x8F\xBF\xBD", "\xF3\xB0\x80\x80", "\xEF\xB7\x90", "\xEE\x80\x80", "\x01"};

constexpr int kSpecial = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;

}  // namespace

Vocabulary::Vocabulary(const llama_vocab* vocab) : vocab_(vocab), size_(llama_vocab_n_tokens(vocab)) {
  // Only SentencePiece vocabularies put a space before a text.
  if (llama_vocab_type(vocab_) != LLAMA_VOCAB_TYPE_SPM) return;
  for (const char* wall : kWalls) {
    bool shared = false;
    for (int32_t token = 0; token < size_ && !shared; token++) {
      shared = std::strstr(llama_vocab_get_text(vocab_, token), wall) != nullptr;
    }
    if (shared) continue;
    wall_ = wall;
    wallTokens_ = raw(wall_, false);
    return;
  }
}

std::vector<int32_t> Vocabulary::tokenize(const std::string& text, bool special, bool continues) const {
  if (text.empty()) return {};
  if (!continues || wall_.empty()) return raw(text, special);
  // The leading space goes before the wall, and both are cut off again.
  std::vector<int32_t> tokens = raw(wall_ + text, special);
  if (tokens.size() < wallTokens_.size() || !std::equal(wallTokens_.begin(), wallTokens_.end(), tokens.begin())) {
    return raw(text, special);
  }
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(wallTokens_.size()));
  return tokens;
}

std::vector<int32_t> Vocabulary::raw(const std::string& text, bool special) const {
  if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_NONE) throw nativeFailure("tokenize", "the model has no vocabulary");
  if (text.size() > INT32_MAX) throw badArgument("text", static_cast<double>(text.size()), "less than 2^31 bytes");
  const auto length = static_cast<int32_t>(text.size());
  std::vector<int32_t> tokens(text.size() / 3 + 8);
  for (int attempt = 0; attempt < 2; attempt++) {
    const int32_t count = llama_tokenize(vocab_, text.data(), length, tokens.data(),
                                         static_cast<int32_t>(tokens.size()), false, special);
    if (count >= 0) {
      tokens.resize(count);
      return tokens;
    }
    if (count == INT32_MIN) break;
    tokens.resize(-count);
  }
  throw nativeFailure("tokenize", "the text has too many tokens");
}

void Vocabulary::append(int32_t token, bool special, std::string& bytes) const {
  if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_NONE) return;
  constexpr size_t kUsual = 32;
  const size_t start = bytes.size();
  bytes.resize(start + kUsual);
  int32_t length = llama_token_to_piece(vocab_, token, &bytes[start], kUsual, 0, special);
  if (length < 0) {
    bytes.resize(start - length);
    length = llama_token_to_piece(vocab_, token, &bytes[start], -length, 0, special);
  }
  bytes.resize(start + std::max(length, 0));
}

std::vector<std::string> Vocabulary::specials() const {
  std::vector<std::string> texts;
  if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_NONE) return texts;
  for (int32_t token = 0; token < size_; token++) {
    if ((llama_vocab_get_attr(vocab_, token) & kSpecial) == 0) continue;
    const char* text = llama_vocab_get_text(vocab_, token);
    if (text != nullptr && *text != '\0') texts.emplace_back(text);
  }
  return texts;
}

std::vector<int32_t> Vocabulary::ends() const {
  std::vector<int32_t> tokens;
  for (int32_t token = 0; token < size_; token++) {
    if (llama_vocab_is_eog(vocab_, token)) tokens.push_back(token);
  }
  return tokens;
}

}  // namespace troupe
