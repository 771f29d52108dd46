//===- HostTargetTest.cpp - the CPU that code is compiled for -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Pipelines/HostTraits.h"
#include <gtest/gtest.h>

using namespace astfe;

static std::string refused(const char *cpu, const char *features = "") {
  auto target = hostTarget(cpu, features);
  return target ? "fine" : target.message();
}

TEST(HostTarget, NativeIsThisMachine) {
  auto target = hostTarget();
  ASSERT_TRUE(target) << target.message();
  EXPECT_NE(target->cpu, "native");
  EXPECT_GE(target->vectorBytes, 16);
}

TEST(HostTarget, WhatNobodyKnowsIsAnError) {
  EXPECT_EQ(refused("pentium9"),
            "expected 'native' or a CPU that LLVM knows but got 'pentium9'");
  EXPECT_EQ(refused(""),
            "expected 'native' or a CPU that LLVM knows but got ''");
  EXPECT_EQ(refused("native", "+warp"),
            "expected features like '+avx2' that LLVM knows but got '+warp'");
}

#ifdef __x86_64__
TEST(HostTarget, LanesFollowTheVectors) {
  struct {
    const char *cpu, *features;
    int64_t bytes;
  } cases[] = {{"x86-64", "", 16}, {"x86-64-v2", "", 16}};
  for (auto [cpu, features, bytes] : cases) {
    auto target = hostTarget(cpu, features);
    ASSERT_TRUE(target) << target.message();
    EXPECT_EQ(target->vectorBytes, bytes);
  }
  // Where the machine has more, less can be asked for.
  auto native = hostTarget("native", "-avx512f");
  ASSERT_TRUE(native) << native.message();
  EXPECT_LE(native->vectorBytes, 32);
  if (auto wide = hostTarget("x86-64-v3")) {
    EXPECT_EQ(wide->vectorBytes, 32);
  }
  if (auto wide = hostTarget("x86-64-v4")) {
    EXPECT_EQ(wide->vectorBytes, 64);
  }
}

TEST(HostTarget, TraitsAreThoseOfTheCPU) {
  // Those of AVX2 have no masks.
  for (const char *cpu : {"x86-64", "x86-64-v3"}) {
    if (auto target = hostTarget(cpu)) {
      EXPECT_FALSE(target->traits.fastGathers) << cpu;
    }
  }
  for (bool isFast : {false, true}) {
    auto target =
        hostTarget("x86-64-v4", isFast ? "+fast-gather" : "-fast-gather");
    if (target) {
      EXPECT_EQ(target->traits.fastGathers, isFast);
      EXPECT_EQ(target->traits.farStrips, isFast);
      EXPECT_EQ(target->traits.text(),
                isFast ? ", gathers, far strips, wide masks" : ", wide masks");
    }
  }
  auto native = hostTarget();
  ASSERT_TRUE(native) << native.message();
  EXPECT_EQ(native->traits.text(), hostTraits().text());
}

TEST(HostTarget, LessThanCodeNeedsIsAnError) {
  EXPECT_EQ(refused("pentium"),
            "expected a CPU with '64bit' but got 'pentium' without it");
  EXPECT_EQ(refused("x86-64", "-sse2"),
            "expected a CPU with 'sse2' but got 'x86-64' without it");
}

TEST(HostTarget, MoreThanTheMachineHasIsAnError) {
  // No CPU has the instructions of both.
  std::string one = refused("x86-64", "+tbm,+xop,+fma4");
  std::string other = refused("x86-64", "+amx-fp16,+avx10.2");
  EXPECT_TRUE(one != "fine" || other != "fine");
}
#endif
