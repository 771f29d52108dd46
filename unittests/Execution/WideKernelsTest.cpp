//===- WideKernelsTest.cpp - kernels whose offsets have 64 bits -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code chooses them for dense operands of 2^32 vectors and more. They are
// forced on small ones, and one gets an operand of that size, most of which is
// memory that nobody touches.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/ABI.h"
#include "GPUPipeline.h"
#include "HostKernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <sys/mman.h>

using namespace astfe;

namespace {

struct WideKernels : HostKernelTest {
  WideKernels() {
    rt::setDevice(&emulator);
    astfe_rt_set_workers(13);
    emu::Options options;
    options.launched = [this](const emu::LaunchReport &launch) {
      launched.push_back(launch.kernel);
    };
    emulator.setOptions(options);
  }
  ~WideKernels() override {
    astfe_rt_set_workers(0);
    rt::setDevice(nullptr);
  }

  bool launchedWide() const {
    return llvm::any_of(launched, [](const std::string &kernel) {
      return kernel.find("_wide") != kernel.npos;
    });
  }

  emu::Emulator emulator;
  std::vector<std::string> launched;
};

KernelCase gpuCase(const char *layout, int64_t columns) {
  KernelCase kernel;
  kernel.layout = layout;
  if (kernel.layout != "view")
    kernel.layout += ", target = gpu, deterministic";
  kernel.denseColumns = columns;
  return kernel;
}

} // namespace

/// Launches the wide one of each kernel that has one.
static void takeWideKernels(mlir::ModuleOp module) {
  module.walk([&](mlir::gpu::LaunchFuncOp launch) {
    auto kernels = module.lookupSymbol<mlir::gpu::GPUModuleOp>(
        launch.getKernelModuleName());
    std::string wide = launch.getKernelName().str();
    wide.insert(std::min(wide.find("_cut"), wide.size()), "_wide");
    if (kernels.lookupSymbol(wide))
      launch.setKernelAttr(mlir::SymbolRefAttr::get(
          launch.getKernelModuleName(),
          {mlir::FlatSymbolRefAttr::get(module.getContext(), wide)}));
  });
}

TEST_F(WideKernels, GiveTheBitsOfTheNarrowOnes) {
  const char *packed =
      "packed, columns = 16, classes = [row_segments, scattered, dense_tile]";
  for (const char *layout : {"view", packed})
    for (int64_t columns : {3, 62}) {
      KernelCase kernel = gpuCase(layout, columns);
      std::vector<float> results[2];
      for (bool wide : {false, true}) {
        auto module = mlir::parseSourceString<mlir::ModuleOp>(
            moduleText(kernel), &context);
        ASSERT_TRUE(module);
        ASSERT_TRUE(bool(runPipeline(*module, kToKernels)));
        if (wide)
          takeWideKernels(*module);
        JitOptions options;
        options.pipeline = kToHost;
        auto jit = Jit::compile(*module, options);
        ASSERT_TRUE(bool(jit)) << jit.message();
        auto entry = (*jit)->lookup("_mlir_ciface_f");
        ASSERT_TRUE(bool(entry)) << entry.message();
        launched.clear();
        results[wide] = resultOf(*entry, kernel, oneDenseRow(40, 300, 17));
        EXPECT_EQ(launchedWide(), wide) << layout << ", " << columns;
      }
      EXPECT_EQ(results[0], results[1]) << layout << ", " << columns;
    }
}

TEST_F(WideKernels, ReadOperandsOfMoreThanFourGigaelements) {
  const int64_t columns = 129, depth = 33400000;
  const size_t bytes = size_t(depth) * columns * 4;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "no address space for " << bytes << " bytes";
  auto *b = static_cast<float *>(memory);
  // One nonzero reads the first row of B, one the last.
  std::vector<int32_t> positions{0, 1, 1, 2}, coordinates{0, int(depth - 1)};
  std::vector<float> values{2, 3}, c(3 * size_t(columns), 0.5f);
  for (int64_t j = 0; j < columns; ++j) {
    b[j] = float(j);
    b[(depth - 1) * columns + j] = float(1000 + j);
  }
  auto vectorOf = [&](auto &data) {
    const size_t size = data.size() * sizeof(data[0]);
    EXPECT_TRUE(bool(emulator.registerHost(data.data(), size)));
    return Descriptor<1>{
        data.data(), data.data(), 0, {int64_t(data.size())}, {1}};
  };
  auto positionsOf = vectorOf(positions), coordinatesOf = vectorOf(coordinates),
       valuesOf = vectorOf(values);
  vectorOf(c);
  ASSERT_TRUE(bool(emulator.registerHost(memory, bytes)));
  Descriptor<2> operand{b, b, 0, {depth, columns}, {columns, 1}},
      output{c.data(), c.data(), 0, {3, columns}, {columns, 1}}, result;

  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      moduleText(gpuCase("view", columns)), &context);
  ASSERT_TRUE(module);
  JitOptions options;
  options.pipeline = kToKernels + "{device-operands=true}," + kToHost;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(bool(jit)) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  ASSERT_TRUE(bool(entry)) << entry.message();
  using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                         void *, void *);
  astfe_rt_clear_error();
  reinterpret_cast<Entry> (*entry)(&result, &positionsOf, &coordinatesOf,
                                   &valuesOf, 3, depth, &operand, &output);
  EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  EXPECT_TRUE(launchedWide());
  for (int64_t j : {int64_t(0), int64_t(64), columns - 1}) {
    EXPECT_EQ(c[size_t(j)], 0.5f + 2 * float(j));
    EXPECT_EQ(c[size_t(columns + j)], 0.5f);
    EXPECT_EQ(c[size_t(2 * columns + j)], 0.5f + 3 * float(1000 + j));
  }
  for (void *registered : {static_cast<void *>(positions.data()),
                           static_cast<void *>(coordinates.data()),
                           static_cast<void *>(values.data()),
                           static_cast<void *>(c.data()), memory})
    EXPECT_TRUE(bool(emulator.unregisterHost(registered)));
  munmap(memory, bytes);
}
