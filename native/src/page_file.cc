#include "page_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "failure.h"
#include "state_layout.h"

namespace troupe {
namespace {

// The most that Linux moves with one call.
constexpr uint64_t kMostAtOnce = 0x7ffff000;

Failure failed(const char* call, int error) { return nativeFailure(call, std::strerror(error)); }

Failure corrupt(const std::string& what, const std::string& reason) {
  return {"PageCorrupt", {{"what", what}, {"reason", reason}}};
}

}  // namespace

void writeAll(int fd, const uint8_t* bytes, uint64_t size) {
  while (size > 0) {
    const ssize_t done = write(fd, bytes, std::min(size, kMostAtOnce));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw failed("write", errno);
    if (done == 0) throw nativeFailure("write", "nothing more can be written");
    bytes += done;
    size -= static_cast<uint64_t>(done);
  }
}

uint64_t readAll(int fd, uint8_t* bytes, uint64_t size) {
  uint64_t all = 0;
  while (all < size) {
    const ssize_t done = read(fd, bytes + all, std::min(size - all, kMostAtOnce));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw failed("read", errno);
    if (done == 0) break;
    all += static_cast<uint64_t>(done);
  }
  return all;
}

void checkPage(const Page& page) {
  int32_t before = 0;
  for (size_t i = 0; i < page.layout().sections.size(); i++) {
    const PageSection& section = page.layout().sections[i];
    const std::string what = "section " + std::to_string(i);
    if (section.kind != kKvSection && section.kind != kCheckpointSection) continue;
    const int32_t tokens = readHead(page.data(section), section.bytes, what).tokens;
    if (section.kind == kKvSection) {
      if (tokens != page.layout().tokens) throw corrupt(what, "it holds another number of tokens than the page");
      continue;
    }
    if (tokens <= before || tokens > page.layout().tokens) throw corrupt(what, "it is of no position of the page");
    before = tokens;
  }
}

}  // namespace troupe
