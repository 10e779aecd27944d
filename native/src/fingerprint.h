// What a page must agree on with the context that it goes into.
// Plain values: fit for any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe {

// A model file's content: its whole header with the table of tensors, its length, and samples of every part of its weights.
// Two files that differ in single weights only may have the same. Throws as GgufFile, and ModelNotFound.
std::string modelContent(const std::string& path);

struct PageFields {
  std::string model;
  std::string keys;
  std::string values;
  bool flashAttention;
};

std::string fingerprint(const PageFields& fields);

struct FieldDifference {
  std::string field;
  std::string page;
  std::string here;
};

// The first field of two fingerprints that differs.
std::optional<FieldDifference> difference(const std::string& page, const std::string& here);

}  // namespace troupe
