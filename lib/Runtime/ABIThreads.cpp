//===- ABIThreads.cpp - threads, workers and memory -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Threads.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

using namespace astfe;

static std::atomic<int64_t> threadSetting{0}, workerSetting{0},
    memorySetting{0};

int64_t rt::machineThreads() {
  // Asked once: it takes a call of the system.
  static const int64_t number =
      std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  return number;
}

int64_t rt::threads() {
  const int64_t set = threadSetting;
  return set ? set : machineThreads();
}

bool rt::workersAreSet() { return workerSetting != 0; }

static bool inRange(int64_t number, const char *what) {
  if (number >= 0 && number <= rt::kMaxThreads)
    return true;
  rt::setLastError(std::string("expected 0 to ") +
                   std::to_string(rt::kMaxThreads) + " " + what + " but got " +
                   std::to_string(number));
  return false;
}

extern "C" void astfe_rt_set_threads(int64_t threads) {
  if (inRange(threads, "threads"))
    threadSetting = threads;
}

extern "C" void astfe_rt_set_workers(int64_t workers) {
  if (workers >= 0)
    workerSetting = workers;
  else
    rt::setLastError("expected workers >= 0 but got " +
                     std::to_string(workers));
}

int64_t rt::memoryLimit() {
  const int64_t set = memorySetting;
  return set ? set : std::numeric_limits<int64_t>::max();
}

extern "C" void astfe_rt_set_memory(int64_t bytes) {
  if (bytes >= 0)
    memorySetting = bytes;
  else
    rt::setLastError("expected bytes >= 0 but got " + std::to_string(bytes));
}

extern "C" int64_t _mlir_ciface_astfe_rt_threads(void) { return rt::threads(); }

extern "C" int64_t _mlir_ciface_astfe_rt_workers(void) {
  int64_t set = workerSetting;
  return set ? set : rt::threads();
}

extern "C" int64_t _mlir_ciface_astfe_rt_device_workers(void) {
  if (int64_t set = workerSetting)
    return set;
  core::Result<int64_t> warps = rt::deviceWarps();
  if (warps)
    return *warps;
  rt::setLastError(warps.message());
  return 1;
}

extern "C" int64_t _mlir_ciface_astfe_rt_row_teams(int64_t rows,
                                                   int64_t nonzeros,
                                                   int64_t lanes,
                                                   int64_t warps) {
  return core::teamsOfRow(rows, nonzeros, lanes, warps);
}

extern "C" int64_t _mlir_ciface_astfe_rt_grid(int64_t blocks, int64_t tiles,
                                              int64_t together, int64_t axis) {
  const core::GPUGrid grid =
      core::gpuGrid(blocks, tiles, together, rt::multiprocessors());
  return axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
}
