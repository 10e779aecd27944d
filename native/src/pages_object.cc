#include "pages_object.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "arguments.h"
#include "border.h"
#include "checksum.h"
#include "page_arguments.h"
#include "page_file.h"
#include "page_store.h"

namespace troupe {
namespace {

PageStore& store() { return PageStore::shared(); }

// Bytes of a section, and the page that keeps them where they are.
struct Slice {
  std::shared_ptr<Page> page;
  uint8_t* bytes;
  uint64_t size;
};

// The arguments `id, section, offset, length`, from the `first` on.
Slice slice(const Napi::CallbackInfo& info, size_t first) {
  auto page = store().get(pageId(info[first], "id"));
  const auto& sections = page->layout().sections;
  const PageSection& section = sections[int32(info[first + 1], "section", 0, static_cast<int32_t>(sections.size()) - 1)];
  const double offset = integer(info[first + 2], "offset", 0, static_cast<double>(section.bytes));
  const double length = integer(info[first + 3], "length", 0, static_cast<double>(section.bytes) - offset);
  uint8_t* bytes = page->data(section) + static_cast<uint64_t>(offset);
  return {std::move(page), bytes, static_cast<uint64_t>(length)};
}

int fileOf(const Napi::Value& value) { return int32(value, "fd", 0, INT32_MAX); }

Napi::Value pageInfoOf(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "info", [&]() -> Napi::Value {
    const uint64_t id = pageId(info[0], "id");
    auto page = store().find(id);
    if (!page) return info.Env().Undefined();
    return pageInfo(info.Env(), *page, store().references(id));
  });
}

Napi::Value section(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "section", [&]() -> Napi::Value {
    auto page = store().get(pageId(info[0], "id"));
    const auto kind = static_cast<uint32_t>(integer(info[1], "kind", 0, UINT32_MAX));
    for (const PageSection& each : page->layout().sections) {
      if (each.kind != kind) continue;
      Napi::Uint8Array copy = Napi::Uint8Array::New(info.Env(), each.bytes);
      if (each.bytes > 0) std::memcpy(copy.Data(), page->data(each), each.bytes);
      return copy;
    }
    return info.Env().Undefined();
  });
}

void retain(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "retain", [&] { Environment::of(info.Env()).pages.retain(pageId(info[0], "id")); });
}

void release(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "release", [&] { Environment::of(info.Env()).pages.release(pageId(info[0], "id")); });
}

Napi::Value list(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "list", [&]() -> Napi::Value {
    const std::vector<uint64_t> ids = store().all();
    Napi::Array array = Napi::Array::New(info.Env(), ids.size());
    for (size_t i = 0; i < ids.size(); i++) array.Set(static_cast<uint32_t>(i), static_cast<double>(ids[i]));
    return array;
  });
}

Napi::Value usage(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "usage", [&]() -> Napi::Value {
    const PageUsage usage = store().usage();
    const bool none = usage.ceiling == PageStore::kNoCeiling;
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("bytes", static_cast<double>(usage.bytes));
    object.Set("windows", static_cast<double>(usage.windows));
    object.Set("free", static_cast<double>(usage.free + Arena::genes().freeBytes()));
    object.Set("ceiling", none ? std::numeric_limits<double>::infinity() : static_cast<double>(usage.ceiling));
    object.Set("count", static_cast<double>(usage.count));
    return object;
  });
}

void setCeiling(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "setCeiling", [&] {
    if (info[0].IsNumber() && info[0].As<Napi::Number>().DoubleValue() == std::numeric_limits<double>::infinity()) {
      return store().setCeiling(PageStore::kNoCeiling);
    }
    store().setCeiling(static_cast<uint64_t>(integer(info[0], "bytes", 0, kMaxSafeInteger)));
  });
}

Napi::Value trim(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "trim",
                 [&]() -> Napi::Value { return Napi::Number::New(info.Env(), static_cast<double>(store().trim() + Arena::genes().trim())); });
}

Napi::Value write(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "write", [&]() -> Napi::Value {
    const int fd = fileOf(info[0]);
    const Slice from = slice(info, 1);
    writeAll(fd, from.bytes, from.size);
    return Napi::Number::New(info.Env(), static_cast<double>(from.size));
  });
}

Napi::Value checksum(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "checksum", [&]() -> Napi::Value {
    const Slice of = slice(info, 0);
    const auto start = static_cast<uint32_t>(integer(info[4], "start", 0, UINT32_MAX));
    return Napi::Number::New(info.Env(), crc32(start, of.bytes, of.size));
  });
}

Napi::Value create(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "create", [&]() -> Napi::Value {
    auto page = store().make(pageLayout(object(info[0], "layout")));
    return Napi::Number::New(info.Env(), static_cast<double>(store().add(std::move(page))));
  });
}

Napi::Value read(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "read", [&]() -> Napi::Value {
    const int fd = fileOf(info[0]);
    const Slice into = slice(info, 1);
    if (into.page->sealed()) throw badArgument("id", info[1].As<Napi::Number>().DoubleValue(), "a page that is not sealed");
    return Napi::Number::New(info.Env(), static_cast<double>(readAll(fd, into.bytes, into.size)));
  });
}

void seal(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "seal", [&] {
    const uint64_t id = pageId(info[0], "id");
    auto page = store().get(id);
    if (page->sealed()) throw badArgument("id", static_cast<double>(id), "a page that is not sealed");
    checkPage(*page);
    page->seal();
  });
}

}  // namespace

Napi::Object pagesObject(Napi::Env env) {
  Napi::Object pages = Napi::Object::New(env);
  pages.Set("info", Napi::Function::New<pageInfoOf>(env, "info"));
  pages.Set("section", Napi::Function::New<section>(env, "section"));
  pages.Set("retain", Napi::Function::New<retain>(env, "retain"));
  pages.Set("release", Napi::Function::New<release>(env, "release"));
  pages.Set("list", Napi::Function::New<list>(env, "list"));
  pages.Set("usage", Napi::Function::New<usage>(env, "usage"));
  pages.Set("setCeiling", Napi::Function::New<setCeiling>(env, "setCeiling"));
  pages.Set("trim", Napi::Function::New<trim>(env, "trim"));
  pages.Set("write", Napi::Function::New<write>(env, "write"));
  pages.Set("checksum", Napi::Function::New<checksum>(env, "checksum"));
  pages.Set("create", Napi::Function::New<create>(env, "create"));
  pages.Set("read", Napi::Function::New<read>(env, "read"));
  pages.Set("seal", Napi::Function::New<seal>(env, "seal"));
  return pages;
}

}  // namespace troupe
