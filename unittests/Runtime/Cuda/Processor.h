//===- Processor.h - what the driver's stand-in computes with -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FakeCuda.cpp has the driver's functions and rules. What is behind them
// differs: host memory and one kernel (AddProcessor.cpp), or the emulator
// (EmulatedProcessor.cpp), which needs LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_RUNTIME_CUDA_PROCESSOR_H
#define ASTFE_UNITTESTS_RUNTIME_CUDA_PROCESSOR_H

#include <cstddef>
#include <string>

namespace fakecuda {

struct Grid {
  unsigned grid[3], block[3], sharedBytes;
};

class Processor {
public:
  virtual ~Processor() = default;

  virtual void *allocate(size_t bytes) = 0;
  virtual void free(void *memory) = 0;
  /// A module of this PTX, or null and why not.
  virtual void *load(const char *ptx, std::string &problem) = 0;
  virtual void unload(void *module) = 0;
  /// Null where the module has no such kernel.
  virtual void *kernel(void *module, const char *name) = 0;
  /// Of the blocks of a kernel that a multiprocessor holds.
  virtual int residentBlocks(const std::string &kernel, int threads) = 0;
  /// Empty, or what the kernel did wrong.
  virtual std::string launch(void *kernel, const Grid &grid, void **params) = 0;
};

/// The one processor; made by the first call.
Processor &processor();

} // namespace fakecuda

#endif // ASTFE_UNITTESTS_RUNTIME_CUDA_PROCESSOR_H
