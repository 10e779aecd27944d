#include "gguf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "failure.h"
#include "log_tail.h"

namespace troupe {
namespace {

// The reader believes in this much more than the file has, so that a read past the end reaches our callback
// (and tells a cut file from a false one), while a false count cannot make it allocate without bound.
constexpr uint64_t kSlackBytes = 64 << 20;
constexpr size_t kMaxRead = 1 << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct Source {
  std::unique_ptr<std::FILE, Close> file;
  uint64_t at = 0;
  uint64_t wanted = 0;
};

size_t readAt(void* data, void* output, uint64_t offset, size_t bytes) {
  auto& source = *static_cast<Source*>(data);
  if (offset != source.at) {
#ifdef _WIN32
    _fseeki64(source.file.get(), static_cast<int64_t>(offset), SEEK_SET);
#else
    fseeko(source.file.get(), static_cast<off_t>(offset), SEEK_SET);
#endif
  }
  const size_t got = std::fread(output, 1, bytes, source.file.get());
  source.at = offset + got;
  if (got < bytes) source.wanted = std::max(source.wanted, offset + bytes);
  return got;
}

Failure notFound(const std::string& path, const std::string& reason) {
  return {"ModelNotFound", {{"path", path}, {"reason", reason}}};
}

Failure notAModel(const std::string& path, const std::string& reason) {
  return {"NotAModel", {{"path", path}, {"reason", reason}}};
}

Failure truncated(const std::string& path, uint64_t expected, uint64_t actual) {
  return {"ModelTruncated",
          {{"path", path},
           {"expectedBytes", static_cast<double>(expected)},
           {"actualBytes", static_cast<double>(actual)}}};
}

uint64_t regularFileBytes(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::u8path(path);
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    throw notFound(path, error ? error.message() : std::strerror(ENOENT));
  }
  if (std::filesystem::is_directory(status)) throw notAModel(path, "it is a directory");
  if (!std::filesystem::is_regular_file(status)) throw notAModel(path, "it is not a regular file");
  const uint64_t bytes = std::filesystem::file_size(file, error);
  if (error) throw notFound(path, error.message());
  return bytes;
}

}  // namespace

GgufFile::GgufFile(const std::string& path) : path_(path), fileBytes_(regularFileBytes(path)) {
  Source source;
  source.file.reset(std::fopen(path.c_str(), "rb"));
  if (!source.file) throw notFound(path, std::strerror(errno));
  char magic[4] = {};
  if (readAt(&source, magic, 0, sizeof magic) < sizeof magic) {
    throw notAModel(path, fileBytes_ == 0 ? "the file is empty" : "it is shorter than a GGUF's first word");
  }
  if (std::memcmp(magic, GGUF_MAGIC, sizeof magic) != 0) throw notAModel(path, "it does not begin with GGUF");

  clearLogTail();
  const gguf_init_params params{/*no_alloc=*/true, /*ctx=*/nullptr};
  gguf_.reset(gguf_init_from_callback(readAt, &source, kMaxRead, fileBytes_ + kSlackBytes, params));
  if (source.wanted > fileBytes_) throw truncated(path, source.wanted, fileBytes_);
  if (!gguf_) throw notAModel(path, logTail("its header cannot be read"));
  if (expectedBytes() > fileBytes_) throw truncated(path, expectedBytes(), fileBytes_);
}

uint64_t Gguf::expectedBytes() const {
  const uint64_t data = gguf_get_data_offset(gguf_.get());
  uint64_t end = data;
  for (int64_t i = 0; i < gguf_get_n_tensors(gguf_.get()); i++) {
    end = std::max<uint64_t>(end, data + gguf_get_tensor_offset(gguf_.get(), i) + gguf_get_tensor_size(gguf_.get(), i));
  }
  return end;
}

uint64_t Gguf::tensorBytes() const {
  uint64_t bytes = 0;
  for (int64_t i = 0; i < gguf_get_n_tensors(gguf_.get()); i++) bytes += gguf_get_tensor_size(gguf_.get(), i);
  return bytes;
}

std::optional<uint64_t> Gguf::number(const std::string& key) const {
  const int64_t id = find(key);
  if (id < 0) return {};
  switch (gguf_get_kv_type(gguf_.get(), id)) {
    case GGUF_TYPE_UINT8: return gguf_get_val_u8(gguf_.get(), id);
    case GGUF_TYPE_UINT16: return gguf_get_val_u16(gguf_.get(), id);
    case GGUF_TYPE_UINT32: return gguf_get_val_u32(gguf_.get(), id);
    case GGUF_TYPE_UINT64: return gguf_get_val_u64(gguf_.get(), id);
    case GGUF_TYPE_INT32: return static_cast<uint64_t>(std::max(0, gguf_get_val_i32(gguf_.get(), id)));
    case GGUF_TYPE_INT64: return static_cast<uint64_t>(std::max<int64_t>(0, gguf_get_val_i64(gguf_.get(), id)));
    default: return {};
  }
}

std::optional<double> Gguf::real(const std::string& key) const {
  const int64_t id = find(key);
  if (id < 0 || gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_FLOAT32) return {};
  return gguf_get_val_f32(gguf_.get(), id);
}

std::optional<std::string> Gguf::text(const std::string& key) const {
  const int64_t id = find(key);
  if (id < 0 || gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_STRING) return {};
  return gguf_get_val_str(gguf_.get(), id);
}

std::optional<gguf_type> Gguf::arrayType(const std::string& key) const {
  const int64_t id = find(key);
  if (id < 0 || gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_ARRAY) return {};
  return gguf_get_arr_type(gguf_.get(), id);
}

std::vector<std::string_view> Gguf::texts(const std::string& key) const {
  if (arrayType(key) != GGUF_TYPE_STRING) return {};
  const int64_t id = find(key);
  std::vector<std::string_view> result(gguf_get_arr_n(gguf_.get(), id));
  for (size_t i = 0; i < result.size(); i++) result[i] = gguf_get_arr_str(gguf_.get(), id, i);
  return result;
}

std::optional<std::vector<uint64_t>> Gguf::perLayer(const std::string& key, uint64_t layers) const {
  if (const auto all = number(key)) return std::vector<uint64_t>(layers, *all);
  const auto type = arrayType(key);
  if (type != GGUF_TYPE_UINT32 && type != GGUF_TYPE_INT32) return {};
  const int64_t id = find(key);
  if (gguf_get_arr_n(gguf_.get(), id) < layers) return {};
  const auto* values = static_cast<const int32_t*>(gguf_get_arr_data(gguf_.get(), id));
  std::vector<uint64_t> result;
  for (uint64_t i = 0; i < layers; i++) result.push_back(static_cast<uint64_t>(std::max(0, values[i])));
  return result;
}

}  // namespace troupe
