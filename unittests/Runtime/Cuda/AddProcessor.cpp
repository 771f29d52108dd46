//===- AddProcessor.cpp - host memory and one kernel ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every module has the kernel `add` alone: x[i] += value for i < block.x.
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include <cstdlib>
#include <cstring>

using namespace fakecuda;

namespace {

char theKernel;

class AddProcessor final : public Processor {
public:
  void *allocate(size_t bytes) override { return std::malloc(bytes); }
  void free(void *memory) override { std::free(memory); }
  void *load(const char *, std::string &) override { return std::malloc(1); }
  void unload(void *module) override { std::free(module); }
  void *kernel(void *, const char *name) override {
    return std::strcmp(name, "add") ? nullptr : &theKernel;
  }
  int residentBlocks(const std::string &, int threads) override {
    return 2048 / threads;
  }
  std::string launch(void *, const Grid &grid, void **params) override {
    int *x = *static_cast<int **>(params[0]);
    for (unsigned i = 0; i < grid.block[0]; ++i)
      x[i] += *static_cast<int *>(params[1]);
    return {};
  }
};

} // namespace

Processor &fakecuda::processor() {
  static auto *made = new AddProcessor;
  return *made;
}
