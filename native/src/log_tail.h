// llama.cpp's log, silenced: only each thread's last warnings and errors are kept, to explain a failure.
// Every function may be called on any thread and speaks of that thread's own lines.
#pragma once

#include <string>

namespace troupe {

// Routes the logs of llama.cpp and ggml here; further calls do nothing.
void captureLog();

void clearLogTail();

// The kept lines joined by "; ", or `otherwise` when there is none.
std::string logTail(const std::string& otherwise);

}  // namespace troupe
