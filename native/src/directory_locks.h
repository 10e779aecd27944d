// Directories that belong to this process, each by a lock of the kernel's, which ends with the process however it ends;
// and within one of them names, each of which one thread at a time claims. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace troupe {

class DirectoryLocks {
 public:
  // Those of the process.
  static DirectoryLocks& all();

  // Locks the file at `path`, made if it is not there. Answers the lock's number, or 0 when another holds it, this process
  // included. Throws NativeFailure.
  uint64_t take(const std::string& path);
  // Throws BadArgument when there is none of that number.
  void release(uint64_t lock);

  // False when another claims it. `owner`: who forgets to unclaim when it ends. Throws BadArgument, as `release`.
  bool claim(uint64_t lock, const std::string& name, const void* owner);
  void unclaim(uint64_t lock, const std::string& name);
  // Ends every claim of an owner.
  void forget(const void* owner);

 private:
  struct Lock {
    int file;
    std::map<std::string, const void*> claims;
  };

  Lock& held(uint64_t lock);

  std::mutex mutex_;
  uint64_t last_ = 0;
  std::map<uint64_t, Lock> locks_;
};

}  // namespace troupe
