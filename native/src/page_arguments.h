// Arguments of pages, read and checked, and what is told of pages.
// On the environment's thread.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "lane_window.h"
#include "page_store.h"
#include "paging.h"

namespace troupe {

uint64_t pageId(const Napi::Value& value, const std::string& name);
// `{kind, bytes}` each. Throws BadArgument, as all here.
std::vector<GivenSection> sectionSizes(const Napi::Value& value);
// `{kind, data}` each; the bytes stay the caller's.
std::vector<GivenSection> sectionData(const Napi::Value& value);
// Of a page that is to be read back from files.
PageLayout pageLayout(const Napi::Object& value);

Napi::Object pageInfo(Napi::Env env, const Page& page, const PageReferences& references);
Napi::Object windowInfo(Napi::Env env, const LaneWindow& window);
Napi::Object checkpointInfo(Napi::Env env, const Checkpoint& checkpoint);

}  // namespace troupe
