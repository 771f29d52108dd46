//===- KernelFixture.h - runs kernels written as LLVM IR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every test runs under both schedules.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EMULATOR_KERNELFIXTURE_H
#define ASTFE_UNITTESTS_EMULATOR_KERNELFIXTURE_H

#include "ASTFE/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace astfe::emu {

/// What most kernels begin with: %t = thread, %b = block, both i64.
inline const char *prologue() {
  return R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
@tile = internal addrspace(3) global [256 x float] undef
)";
}

class KernelTest : public testing::TestWithParam<Schedule> {
protected:
  KernelTest() { setSeed(7); }

  void setSeed(uint64_t seed) {
    Options options;
    options.schedule = GetParam();
    options.seed = seed;
    emulator.setOptions(options);
  }

  /// Device memory with these contents.
  template <typename T>
  T *device(const std::vector<T> &values) {
    size_t bytes = values.size() * sizeof(T);
    core::Result<void *> memory = emulator.allocate(bytes, false);
    EXPECT_TRUE(bool(memory));
    EXPECT_TRUE(bool(emulator.copy(*memory, values.data(), bytes, nullptr)));
    return static_cast<T *>(*memory);
  }

  /// The kernel `k` of this code; `text` follows the prologue.
  void *load(const std::string &text) {
    std::string code = prologue() + text;
    core::Result<void *> module = emulator.loadModule(code.c_str(), 0);
    if (!module) {
      ADD_FAILURE() << module.message();
      return nullptr;
    }
    return *emulator.kernel(*module, "k");
  }

  /// The error of a launch, or an empty text.
  template <typename... Args>
  std::string launch(void *kernel, int64_t blocks, int64_t threads,
                     Args... arguments) {
    void *params[] = {&arguments..., nullptr};
    rt::LaunchShape shape{{blocks, 1, 1}, {threads, 1, 1}, dynamicShared};
    core::Status status = emulator.launch(kernel, shape, nullptr, params);
    return status ? "" : status.message();
  }

  Emulator emulator;
  int64_t dynamicShared = 0;
};

inline std::string scheduleName(const testing::TestParamInfo<Schedule> &info) {
  return info.param == Schedule::InOrder ? "InOrder" : "Random";
}

#define ASTFE_BOTH_SCHEDULES(fixture)                                          \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Schedules, fixture,                                                      \
      testing::Values(Schedule::InOrder, Schedule::Random), scheduleName)

/// That a text has a part, and the whole text if not.
inline testing::AssertionResult has(const std::string &text,
                                    const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "expected '" << part << "' in '" << text << "'";
}

} // namespace astfe::emu

#endif // ASTFE_UNITTESTS_EMULATOR_KERNELFIXTURE_H
