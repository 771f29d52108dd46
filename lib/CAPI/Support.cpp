//===- Support.cpp - errors, threads, memory, version of the C API --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Support.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Threads.h"
#include "Compiler.h"
#include "Objects.h"

static thread_local std::string lastError;

AstfeStatus astfe::capi::fail(std::string text) {
  lastError = std::move(text);
  return 1;
}

bool astfe::capi::given(const void *argument, const char *what) {
  core::Status status = checkGiven(argument, 1, what);
  if (!status)
    fail(status.message());
  return bool(status);
}

astfe::core::Status astfe::capi::checkGiven(const void *array, int64_t count,
                                            const char *what) {
  if (array || count <= 0)
    return core::Success();
  return core::Error{std::string("expected ") + what + " but got null"};
}

const char *astfeLastError(void) { return lastError.c_str(); }

const char *astfeVersion(void) { return ASTFE_VERSION; }

AstfeStatus astfeSetThreads(int64_t threads) {
  if (threads < 0 || threads > astfe::rt::kMaxThreads)
    return astfe::capi::fail("expected 0.." +
                             std::to_string(astfe::rt::kMaxThreads) +
                             " threads but got " + std::to_string(threads));
  astfe_rt_set_threads(threads);
  return 0;
}

AstfeStatus astfeSetMemory(int64_t bytes) {
  if (bytes < 0)
    return astfe::capi::fail("expected bytes >= 0 but got " +
                             std::to_string(bytes));
  astfe_rt_set_memory(bytes);
  return 0;
}

void astfeFinish(void) {
  astfe::capi::guarded<int>(0, [] { return astfe::capi::finishCompiler(), 0; });
}

int64_t astfeThreads(void) { return _mlir_ciface_astfe_rt_threads(); }
