#include "log_tail.h"

#include <llama.h>

#include <deque>
#include <mutex>

namespace troupe {
namespace {

constexpr size_t kKeptLines = 4;
constexpr size_t kLineBytes = 300;

struct Tail {
  std::deque<std::string> lines;
  bool continues = false;
};

thread_local Tail tail;

std::string trimmed(const char* text) {
  std::string line(text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  if (line.size() > kLineBytes) line.resize(kLineBytes);
  return line;
}

void take(ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_CONT) {
    if (tail.continues && !tail.lines.empty()) tail.lines.back() += trimmed(text);
    return;
  }
  tail.continues = level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR;
  if (!tail.continues) return;
  std::string line = trimmed(text);
  if (line.empty()) return;
  tail.lines.push_back(std::move(line));
  if (tail.lines.size() > kKeptLines) tail.lines.pop_front();
}

}  // namespace

void captureLog() {
  static std::once_flag once;
  std::call_once(once, [] { llama_log_set(take, nullptr); });
}

void clearLogTail() { tail = {}; }

std::string logTail(const std::string& otherwise) {
  if (tail.lines.empty()) return otherwise;
  std::string joined;
  for (const std::string& line : tail.lines) joined += (joined.empty() ? "" : "; ") + line;
  return joined;
}

}  // namespace troupe
