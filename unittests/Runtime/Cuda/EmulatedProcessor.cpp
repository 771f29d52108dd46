//===- EmulatedProcessor.cpp - the emulator behind the stand-in -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator runs bitcode, and the driver takes PTX: the folder that
// ASTFE_FAKE_CUDA_BITCODE names has both of each module, X.ptx and X.bc. What
// is loaded is looked up among the X.ptx, and X.bc is run.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Emulator/Model.h"
#include "Processor.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace astfe;
using namespace fakecuda;
namespace fs = std::filesystem;

static std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The bitcode of the same module; empty where the folder has none.
static std::string bitcodeOf(const std::string &ptx) {
  const char *folder = std::getenv("ASTFE_FAKE_CUDA_BITCODE");
  if (!folder || !*folder)
    return {};
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".ptx" && readFile(entry.path()) == ptx)
      return readFile(fs::path(entry.path()).replace_extension(".bc"));
  return {};
}

namespace {

class EmulatedProcessor final : public Processor {
public:
  void *allocate(size_t bytes) override {
    return orNull(emulator.allocate(bytes, false));
  }
  void free(void *memory) override { (void)bool(emulator.free(memory)); }
  void *load(const char *ptx, std::string &problem) override {
    std::string bitcode = bitcodeOf(ptx);
    if (bitcode.empty()) {
      problem = "no bitcode of this PTX in ASTFE_FAKE_CUDA_BITCODE";
      return nullptr;
    }
    auto module = emulator.loadModule(bitcode.data(), bitcode.size());
    if (!module)
      problem = module.message();
    return orNull(module);
  }
  void unload(void *module) override {
    (void)bool(emulator.unloadModule(module));
  }
  void *kernel(void *module, const char *name) override {
    return orNull(emulator.kernel(module, name));
  }
  int residentBlocks(const std::string &kernel, int threads) override {
    auto gpu = emu::gpuNumbers("h200");
    auto registers = emu::kernelRegisters(kernel);
    int64_t fitting = std::min(gpu->blocks, gpu->warps * 32 / threads);
    if (registers)
      fitting = std::min(fitting, gpu->registers / (*registers * threads));
    return int(fitting);
  }
  std::string launch(void *kernel, const Grid &grid, void **params) override {
    rt::LaunchShape shape;
    shape.grid = {grid.grid[0], grid.grid[1], grid.grid[2]};
    shape.block = {grid.block[0], grid.block[1], grid.block[2]};
    shape.sharedBytes = grid.sharedBytes;
    core::Status status = emulator.launch(kernel, shape, nullptr, params);
    return status ? std::string() : status.message();
  }

private:
  static void *orNull(const core::Result<void *> &made) {
    return made ? *made : nullptr;
  }

  emu::Emulator emulator;
};

} // namespace

Processor &fakecuda::processor() {
  // Never destroyed: modules of generated code are unloaded at exit.
  static auto *made = new EmulatedProcessor;
  return *made;
}
