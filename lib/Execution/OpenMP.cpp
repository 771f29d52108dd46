//===- OpenMP.cpp - the OpenMP runtime of generated code ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/Threads.h"
#include <atomic>
#include <dlfcn.h>

using namespace astfe;

/// omp_set_num_threads, once the library is open.
static std::atomic<void (*)(int)> setThreads{nullptr};

/// Opens the library for everybody: generated code finds `__kmpc_*` by name.
static void *openLibrary() {
  const char *override = getenv("ASTFE_LIBOMP");
  if (override && *override)
    return dlopen(override, RTLD_NOW | RTLD_GLOBAL);
  for (const char *name : {"libomp.so.5", "libomp.so"})
    if (void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL))
      return library;
  return nullptr;
}

static core::Status open() {
  void *library = openLibrary();
  if (!library) {
    const char *why = dlerror();
    return core::Error{"cannot open the OpenMP runtime libomp.so.5 (Debian's "
                       "package libomp5-19 or libomp5-14, or set "
                       "ASTFE_LIBOMP): " +
                       std::string(why ? why : "not found")};
  }
  setThreads =
      reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
  if (!setThreads)
    return core::Error{"the OpenMP runtime has no omp_set_num_threads"};
  rt::onThreadsChanged([](int64_t) { applyThreads(); });
  return core::Success();
}

void astfe::applyThreads() {
  static thread_local int64_t applied = 0;
  const int64_t wanted = rt::threads();
  auto set = setThreads.load();
  if (!set || applied == wanted)
    return;
  set(int(wanted));
  applied = wanted;
}

core::Status astfe::loadOpenMP() {
  static const core::Status status = open();
  return status;
}
