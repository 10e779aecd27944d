#include "files_object.h"

#include "arguments.h"
#include "border.h"
#include "directory_locks.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace troupe {
namespace {

// The lowest that there is: such a thread has what the others leave.
constexpr int kLowestPriority = 19;

uint64_t lockNumber(const Napi::Value& value) {
  return static_cast<uint64_t>(integer(value, "lock", 1, kMaxSafeInteger));
}

Napi::Value lock(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "lock", [&]() -> Napi::Value {
    const uint64_t number = DirectoryLocks::all().take(path(info[0], "path"));
    return Napi::Number::New(info.Env(), static_cast<double>(number));
  });
}

void unlock(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "unlock", [&] { DirectoryLocks::all().release(lockNumber(info[0])); });
}

Napi::Value claim(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), "claim", [&]() -> Napi::Value {
    const Environment& owner = Environment::of(info.Env());
    const bool claimed = DirectoryLocks::all().claim(lockNumber(info[0]), text(info[1], "name"), &owner);
    return Napi::Boolean::New(info.Env(), claimed);
  });
}

void unclaim(const Napi::CallbackInfo& info) {
  guarded(info.Env(), "unclaim",
          [&] { DirectoryLocks::all().unclaim(lockNumber(info[0]), text(info[1], "name")); });
}

// Elsewhere the call would slow the whole process, or there is none.
void yieldThread(const Napi::CallbackInfo&) {
#ifdef __linux__
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
#endif
}

}  // namespace

Napi::Object filesObject(Napi::Env env) {
  Napi::Object files = Napi::Object::New(env);
  files.Set("lock", Napi::Function::New<lock>(env, "lock"));
  files.Set("unlock", Napi::Function::New<unlock>(env, "unlock"));
  files.Set("claim", Napi::Function::New<claim>(env, "claim"));
  files.Set("unclaim", Napi::Function::New<unclaim>(env, "unclaim"));
  files.Set("yieldThread", Napi::Function::New<yieldThread>(env, "yieldThread"));
  return files;
}

}  // namespace troupe
