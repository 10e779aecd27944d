// The border between native code and one JS environment: no C++ exception passes it, every failure becomes a JS
// error. Belongs to the environment's thread.
#pragma once

#include <napi.h>

#include <exception>

#include "directory_locks.h"
#include "failure.h"
#include "page_holds.h"

namespace troupe {

// What the addon keeps for one environment (one JS thread).
struct Environment {
  // Its thread may have ended in the middle of a job, with names of directories still claimed.
  ~Environment() { DirectoryLocks::all().forget(this); }

  Napi::FunctionReference modelClass;
  Napi::FunctionReference contextClass;
  // (code, detail) => Error, given by the addon's loader; plain errors are made without it.
  Napi::FunctionReference makeError;

  PageHolds pages;

  static Environment& of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }
};

Napi::Error toError(Napi::Env env, const Failure& failure);

// Runs a method's body; `call` names it when something unforeseen is thrown.
template <class Body>
auto guarded(Napi::Env env, const char* call, Body&& body) {
  try {
    return body();
  } catch (const Failure& failure) {
    throw toError(env, failure);
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& error) {
    throw toError(env, nativeFailure(call, error.what()));
  } catch (...) {
    throw toError(env, nativeFailure(call, "an unknown exception"));
  }
}

}  // namespace troupe
