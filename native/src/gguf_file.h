// A GGUF file's metadata, read without its tensors, with bounded memory whatever the file claims.
// One object belongs to one thread.
#pragma once

#include <gguf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

// What a GGUF header holds, however it was read.
class Gguf {
 public:
  bool has(const std::string& key) const { return find(key) >= 0; }

  // Nothing when the key is absent or holds something else.
  std::optional<uint64_t> number(const std::string& key) const;
  std::optional<double> real(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  // A number stands for all; an array has one per layer.
  std::optional<std::vector<uint64_t>> perLayer(const std::string& key, uint64_t layers) const;
  std::optional<gguf_type> arrayType(const std::string& key) const;
  // The strings of an array; none when the key is absent or holds something else. They live as long as the file.
  std::vector<std::string_view> texts(const std::string& key) const;

  // Where the tensors' bytes begin: the length of all that describes them.
  uint64_t dataOffset() const { return gguf_get_data_offset(gguf_.get()); }
  uint64_t tensorBytes() const;
  // Bytes that a file needs to hold all its tensors.
  uint64_t expectedBytes() const;

 protected:
  struct Free {
    void operator()(gguf_context* gguf) const { gguf_free(gguf); }
  };

  int64_t find(const std::string& key) const { return gguf_find_key(gguf_.get(), key.c_str()); }

  std::unique_ptr<gguf_context, Free> gguf_;
};

class GgufFile : public Gguf {
 public:
  // Throws ModelNotFound, NotAModel, ModelTruncated (also when a tensor ends after the file does).
  explicit GgufFile(const std::string& path);

  const std::string& path() const { return path_; }
  uint64_t fileBytes() const { return fileBytes_; }

 private:
  std::string path_;
  uint64_t fileBytes_ = 0;
};

}  // namespace troupe
