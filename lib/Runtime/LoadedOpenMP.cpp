//===- LoadedOpenMP.cpp - the OpenMP runtime that the process has ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedOpenMP.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <string>
#include <string_view>

using namespace astfe;

namespace {
/// A loop, and how long the thread that began it works on it.
struct Region {
  core::ShareLoop &loop;
  std::chrono::nanoseconds worked = {};

  /// The caller is thread 0 of its team.
  static void work(void *self, int place) {
    auto &region = *static_cast<Region *>(self);
    if (place == 0)
      region.worked = region.loop.workAndTime();
    else
      region.loop.work(place);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// libgomp
//===----------------------------------------------------------------------===//

static void (*gompParallel)(void (*)(void *), void *, unsigned, unsigned);
static int (*gompThread)();

static void gompWork(void *region) { Region::work(region, gompThread()); }

static std::chrono::nanoseconds runOnGomp(core::ShareLoop &loop,
                                          int64_t threads) {
  Region region{loop};
  gompParallel(gompWork, &region, unsigned(threads), /*flags=*/0);
  return region.worked;
}

//===----------------------------------------------------------------------===//
// libomp, and libiomp5, which is the same
//===----------------------------------------------------------------------===//

namespace {
/// `ident_t` of the runtime's interface: where a region is in the source.
struct Location {
  int32_t reserved = 0, flags = 2 /* KMP_IDENT_KMPC */, more[2] = {0, 0};
  const char *source = ";astfe;parallel;0;0;;";
};
} // namespace

static Location location;
static int32_t (*ompThread)(Location *);
static void (*ompPushThreads)(Location *, int32_t thread, int32_t count);
static void (*ompFork)(Location *, int32_t arguments, void *body, ...);
static int (*ompPlace)();

static void ompWork(int32_t *, int32_t *, void *region) {
  Region::work(region, ompPlace());
}

static std::chrono::nanoseconds runOnOmp(core::ShareLoop &loop,
                                         int64_t threads) {
  Region region{loop};
  ompPushThreads(&location, ompThread(&location), int32_t(threads));
  ompFork(&location, 1, reinterpret_cast<void *>(ompWork), &region);
  return region.worked;
}

//===----------------------------------------------------------------------===//
// What is loaded
//===----------------------------------------------------------------------===//

template <typename Function>
static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

static bool takeGomp(void *library) {
  return find(library, "GOMP_parallel", gompParallel) &&
         find(library, "omp_get_thread_num", gompThread);
}

static bool takeOmp(void *library) {
  return find(library, "__kmpc_global_thread_num", ompThread) &&
         find(library, "__kmpc_push_num_threads", ompPushThreads) &&
         find(library, "__kmpc_fork_call", ompFork) &&
         find(library, "omp_get_thread_num", ompPlace);
}

namespace {
/// Paths of what is loaded; packages of Python bring their own copies under
/// names like libgomp-a34b3233.so.1.
struct Loaded {
  std::string gomp, omp;
};
} // namespace

static int lookAt(dl_phdr_info *info, size_t, void *result) {
  auto &loaded = *static_cast<Loaded *>(result);
  const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  auto begins = [&](std::string_view with) {
    return name.substr(0, with.size()) == with;
  };
  if (loaded.gomp.empty() && begins("libgomp"))
    loaded.gomp = path;
  else if (loaded.omp.empty() && (begins("libomp.so") || begins("libomp-") ||
                                  begins("libomp5") || begins("libiomp5")))
    loaded.omp = path;
  return 0;
}

/// The library stays as long as the process: its threads may run our code.
static bool take(const std::string &path, bool (*functions)(void *)) {
  if (path.empty())
    return false;
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library && functions(library);
}

/// A process that has both may say whose threads it wakes; threads of the other
/// would look out for work on the same cores for some milliseconds.
static rt::HostPool findPool() {
  Loaded loaded;
  dl_iterate_phdr(lookAt, &loaded);
  auto gomp = [&]() -> rt::HostPool {
    return take(loaded.gomp, takeGomp) ? runOnGomp : nullptr;
  };
  auto omp = [&]() -> rt::HostPool {
    return take(loaded.omp, takeOmp) ? runOnOmp : nullptr;
  };
  const char *first = std::getenv("ASTFE_OPENMP");
  const bool isOmpFirst = first && (std::string_view(first) == "libomp" ||
                                    std::string_view(first) == "libiomp5");
  if (rt::HostPool pool = isOmpFirst ? omp() : gomp())
    return pool;
  return isOmpFirst ? gomp() : omp();
}

/// How many libraries were ever loaded. The first entry tells.
static uint64_t countLoads() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        *static_cast<unsigned long long *>(result) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

bool rt::isGompLoaded() {
  Loaded loaded;
  dl_iterate_phdr(lookAt, &loaded);
  return !loaded.gomp.empty();
}

rt::HostPool rt::loadedOpenMP() {
  static std::atomic<HostPool> pool{nullptr};
  static std::atomic<uint64_t> loads{0};
  static std::mutex mutex;
  // A pool that was found stays: to change over would wake two.
  HostPool known = pool.load(std::memory_order_acquire);
  if (known)
    return known;
  const uint64_t now = countLoads();
  if (loads.load(std::memory_order_acquire) == now)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!pool)
    pool = findPool();
  loads = now;
  return pool;
}
