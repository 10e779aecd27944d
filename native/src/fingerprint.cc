#include "fingerprint.h"

#include <llama.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "checksum.h"
#include "failure.h"
#include "gguf_file.h"
#include "state_layout.h"

namespace troupe {
namespace {

constexpr uint64_t kSampleBytes = 4096;
// As many as read 4 MiB in all: little beside loading the file.
constexpr uint64_t kSamples = 1024;

std::string hexadecimal(uint32_t value) {
  std::string digits(8, '0');
  for (size_t i = digits.size(); i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 0xf];
  return digits;
}

class Sampler {
 public:
  explicit Sampler(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

  uint32_t sum(uint64_t offset, uint64_t bytes) {
    uint32_t sum = 0;
    std::vector<char> buffer;
    file_.seekg(static_cast<std::streamoff>(offset));
    for (uint64_t size = 0; bytes > 0; bytes -= size) {
      size = std::min(bytes, uint64_t{1} << 20);
      buffer.resize(size);
      file_.read(buffer.data(), static_cast<std::streamsize>(size));
      if (!file_) throw Failure("ModelNotFound", {{"path", path_}, {"reason", std::string("it cannot be read to its end")}});
      sum = crc32(sum, reinterpret_cast<const uint8_t*>(buffer.data()), size);
    }
    return sum;
  }

 private:
  const std::string& path_;
  std::ifstream file_;
};

std::string part(const std::string& text, const std::string& field) {
  const std::string start = field + "=";
  const size_t at = text.rfind(start, 0) == 0 ? 0 : text.find(";" + start);
  if (at == std::string::npos) return "unknown";
  const size_t from = text.find('=', at) + 1;
  return text.substr(from, text.find(';', from) - from);
}

}  // namespace

std::string modelContent(const std::string& path) {
  const GgufFile file(path);
  const uint64_t header = std::min(file.dataOffset(), file.fileBytes());
  Sampler sampler(path);
  const uint32_t headerSum = sampler.sum(0, header);
  const uint64_t weights = file.fileBytes() - header;
  const uint64_t step = std::max(kSampleBytes, weights / kSamples);
  uint32_t weightSum = 0;
  for (uint64_t at = 0; at < weights; at += step) {
    const uint32_t sum = sampler.sum(header + at, std::min(kSampleBytes, weights - at));
    weightSum = crc32(weightSum, reinterpret_cast<const uint8_t*>(&sum), sizeof sum);
  }
  return hexadecimal(headerSum) + hexadecimal(weightSum) + "-" + std::to_string(file.fileBytes());
}

std::string fingerprint(const PageFields& fields) {
  return "layout=" + std::to_string(kStateVersion) + ";llama=" + llama_version() + ";model=" + fields.model + ";keys=" +
         fields.keys + ";values=" + fields.values + ";flash=" + (fields.flashAttention ? "on" : "off");
}

std::optional<FieldDifference> difference(const std::string& page, const std::string& here) {
  if (page == here) return {};
  for (const char* field : {"layout", "llama", "model", "keys", "values", "flash"}) {
    FieldDifference each{field, part(page, field), part(here, field)};
    if (each.page != each.here) return each;
  }
  return FieldDifference{"fingerprint", page, here};
}

}  // namespace troupe
