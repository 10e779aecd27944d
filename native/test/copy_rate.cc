// What one thread's memcpy does with memory of an arena: for each line of input a copy of so many bytes, and on output the
// nanoseconds of this thread's processor time that it took. The argument is the bytes.
#include <ctime>

#include <cstring>

#include "arena.h"
#include "check.h"

namespace {

int64_t processorNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

int main(int count, char** arguments) {
  CHECK(count == 2);
  const uint64_t bytes = std::stoull(arguments[1]);
  troupe::Arena arena(0);
  const troupe::Extent from = arena.take(bytes);
  const troupe::Extent to = arena.take(bytes);
  std::memset(from.data(), 1, bytes);
  std::memset(to.data(), 2, bytes);
  while (std::getchar() == '\n') {
    const int64_t begun = processorNs();
    std::memcpy(to.data(), from.data(), bytes);
    std::printf("%lld\n", static_cast<long long>(processorNs() - begun));
    std::fflush(stdout);
  }
  return 0;
}
