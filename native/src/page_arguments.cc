#include "page_arguments.h"

#include "arguments.h"
#include "failure.h"

namespace troupe {
namespace {

constexpr uint32_t kMostSections = 4096;
// Of the whole page too: far more than any machine has, and far from where sums of sizes overflow.
constexpr double kMostBytes = 1.0e15 / kMostSections;
constexpr size_t kMostFingerprint = 4096;

std::string entry(const std::string& name, uint32_t i) { return name + "[" + std::to_string(i) + "]"; }

uint64_t sizeOf(const Napi::Object& section, const std::string& name) {
  return static_cast<uint64_t>(integer(section.Get("bytes"), name + ".bytes", 0, kMostBytes));
}

// The caller's own: the tokens, and its description; each at most once.
uint32_t givenKind(const Napi::Object& section, const std::string& name, const std::vector<GivenSection>& before) {
  const auto kind = static_cast<uint32_t>(integer(section.Get("kind"), name + ".kind", 0, UINT32_MAX));
  if (kind != kTokensSection && kind != kMetaSection) {
    throw badArgument(name + ".kind", static_cast<double>(kind), "2 (tokens) or 3 (meta)");
  }
  for (const GivenSection& each : before) {
    if (each.kind == kind) throw badArgument(name + ".kind", static_cast<double>(kind), "a kind once");
  }
  return kind;
}

template <class Read>
std::vector<GivenSection> given(const Napi::Value& value, Read read) {
  const Napi::Array sections = array(value, "sections");
  std::vector<GivenSection> all;
  for (uint32_t i = 0; i < sections.Length(); i++) {
    const std::string name = entry("sections", i);
    const Napi::Object section = object(sections.Get(i), name);
    const uint32_t kind = givenKind(section, name, all);
    all.push_back(read(section, name, kind));
  }
  return all;
}

}  // namespace

uint64_t pageId(const Napi::Value& value, const std::string& name) {
  return static_cast<uint64_t>(integer(value, name, 0, kMaxSafeInteger));
}

std::vector<GivenSection> sectionSizes(const Napi::Value& value) {
  return given(value, [](const Napi::Object& section, const std::string& name, uint32_t kind) -> GivenSection {
    return {kind, sizeOf(section, name), nullptr};
  });
}

std::vector<GivenSection> sectionData(const Napi::Value& value) {
  return given(value, [](const Napi::Object& section, const std::string& name, uint32_t kind) -> GivenSection {
    const Napi::Uint8Array data = bytes(section.Get("data"), name + ".data");
    return {kind, data.ByteLength(), data.Data()};
  });
}

PageLayout pageLayout(const Napi::Object& value) {
  PageLayout layout;
  layout.fingerprint = text(value.Get("fingerprint"), "layout.fingerprint");
  if (layout.fingerprint.size() > kMostFingerprint) {
    throw badArgument("layout.fingerprint", static_cast<double>(layout.fingerprint.size()), "at most 4096 bytes");
  }
  layout.tokens = int32(value.Get("cells"), "layout.cells", 1, INT32_MAX);
  const Napi::Array sections = array(value.Get("sections"), "layout.sections");
  if (sections.Length() < 1 || sections.Length() > kMostSections) {
    throw badArgument("layout.sections.length", static_cast<double>(sections.Length()), "1 to " + std::to_string(kMostSections));
  }
  for (uint32_t i = 0; i < sections.Length(); i++) {
    const std::string name = entry("layout.sections", i);
    const Napi::Object section = object(sections.Get(i), name);
    const auto kind = static_cast<uint32_t>(int32(section.Get("kind"), name + ".kind", kKvSection, kCheckpointSection));
    if ((kind == kKvSection) != (i == 0)) {
      throw badArgument(name + ".kind", static_cast<double>(kind), "1 (kv) first, and there only");
    }
    layout.add(kind, sizeOf(section, name));
  }
  return layout;
}

namespace {

Napi::Object layoutInfo(Napi::Env env, const PageLayout& layout) {
  Napi::Array sections = Napi::Array::New(env, layout.sections.size());
  for (size_t i = 0; i < layout.sections.size(); i++) {
    Napi::Object section = Napi::Object::New(env);
    section.Set("kind", layout.sections[i].kind);
    section.Set("bytes", static_cast<double>(layout.sections[i].bytes));
    sections.Set(static_cast<uint32_t>(i), section);
  }
  Napi::Object info = Napi::Object::New(env);
  info.Set("bytes", static_cast<double>(layout.bytes()));
  info.Set("cells", layout.tokens);
  info.Set("sections", sections);
  info.Set("fingerprint", layout.fingerprint);
  return info;
}

}  // namespace

Napi::Object windowInfo(Napi::Env env, const LaneWindow& window) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("page", static_cast<double>(window.id()));
  info.Set("pieceBytes", static_cast<double>(window.pieceBytes()));
  info.Set("layout", layoutInfo(env, window.layout()));
  return info;
}

Napi::Object pageInfo(Napi::Env env, const Page& page, const PageReferences& references) {
  Napi::Object info = layoutInfo(env, page.layout());
  info.Set("references", static_cast<double>(references.count));
  info.Set("kept", references.kept);
  info.Set("sealed", page.sealed());
  return info;
}

Napi::Object checkpointInfo(Napi::Env env, const Checkpoint& checkpoint) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("position", checkpoint.position);
  info.Set("bytes", static_cast<double>(checkpoint.memory.bytes()));
  return info;
}

}  // namespace troupe
