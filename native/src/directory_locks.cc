#include "directory_locks.h"

#include <cerrno>
#include <cstring>

#include "failure.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace troupe {
namespace {

#ifdef _WIN32

int lockedFile(const std::string&) { throw nativeFailure("lock", "directories cannot be locked on this system"); }
void closeFile(int) {}

#else

Failure failed(const std::string& path) { return nativeFailure("lock", path + ": " + std::strerror(errno)); }

// -1 when another holds it. flock and not fcntl: its lock belongs to this opening of the file, so that it also keeps out
// the rest of this process and does not end when somebody else here closes the file.
int lockedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw failed(path);
  int status;
  do {
    status = flock(file, LOCK_EX | LOCK_NB);
  } while (status != 0 && errno == EINTR);
  if (status == 0) return file;
  const bool held = errno == EWOULDBLOCK;
  const Failure failure = failed(path);
  close(file);
  if (!held) throw failure;
  return -1;
}

void closeFile(int file) { close(file); }

#endif

}  // namespace

DirectoryLocks& DirectoryLocks::all() {
  // Never destroyed: threads may outlive the end of main.
  static auto* locks = new DirectoryLocks;
  return *locks;
}

uint64_t DirectoryLocks::take(const std::string& path) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const int file = lockedFile(path);
  if (file < 0) return 0;
  locks_[++last_] = Lock{file, {}};
  return last_;
}

void DirectoryLocks::release(uint64_t lock) {
  const std::lock_guard<std::mutex> guard(mutex_);
  closeFile(held(lock).file);
  locks_.erase(lock);
}

bool DirectoryLocks::claim(uint64_t lock, const std::string& name, const void* owner) {
  const std::lock_guard<std::mutex> guard(mutex_);
  return held(lock).claims.emplace(name, owner).second;
}

void DirectoryLocks::unclaim(uint64_t lock, const std::string& name) {
  const std::lock_guard<std::mutex> guard(mutex_);
  held(lock).claims.erase(name);
}

void DirectoryLocks::forget(const void* owner) {
  const std::lock_guard<std::mutex> guard(mutex_);
  for (auto& [number, lock] : locks_) {
    for (auto claim = lock.claims.begin(); claim != lock.claims.end();) {
      claim = claim->second == owner ? lock.claims.erase(claim) : std::next(claim);
    }
  }
}

DirectoryLocks::Lock& DirectoryLocks::held(uint64_t lock) {
  const auto found = locks_.find(lock);
  if (found == locks_.end()) throw badArgument("lock", static_cast<double>(lock), "the number of a lock that is held");
  return found->second;
}

}  // namespace troupe
