//===- KernelsTest.cpp - kernels while memory is short --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "RefusingMalloc.h"
#include <gtest/gtest.h>

using namespace astfe;
using namespace astfe::product;

TEST(Kernels, WhatFailsForWantOfMemoryIsMadeAnew) {
  KernelCache cache{CacheSettings()};
  compiler::KernelCompiler source({"", "isa", &cache});
  KernelRequest request;
  request.layout.storage = core::Storage::View;
  request.classes = core::ClassSet::of(core::SegmentClass::RowSegments);
  request.view.emplace();
  auto first = source.get(request); // Makes what is made once a process.
  ASSERT_TRUE(first) << first.message();
  request.columns = 3;
  {
    NoPages none;
    auto made = source.get(request);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.message(), "out of memory linking a module");
    EXPECT_GT(none.refused(), 0);
  }
  auto made = source.get(request);
  ASSERT_TRUE(made) << made.message();
  EXPECT_NE((*made)->entry, nullptr);
  EXPECT_EQ((*made)->origin, CodeOrigin::Compiled);
}
