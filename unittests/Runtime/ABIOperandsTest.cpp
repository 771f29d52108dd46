//===- ABIOperandsTest.cpp - what is asked of operands on a device --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Mgpu.h"
#include "gtest/gtest.h"

using namespace astfe;

TEST(ABIOperands, ThoseThatWereCheckedAreNotLookedAtAgain) {
  char text[] = "input";
  AstfeMemRef1D name{text, text, 0, 5, 1};
  auto areApart = [&] {
    return _mlir_ciface_astfe_rt_apart(&name, /*address=*/64, /*bytes=*/64,
                                       /*output=*/96, /*outputBytes=*/64);
  };
  auto isReachable = [&] {
    return _mlir_ciface_astfe_rt_reachable(&name, /*address=*/66, /*bytes=*/64,
                                           /*alignment=*/4);
  };
  astfe_rt_clear_error();
  {
    rt::StreamScope outer(nullptr);
    EXPECT_FALSE(areApart());
    EXPECT_FALSE(isReachable());
    astfe_rt_clear_error();
    rt::StreamScope scope(nullptr, /*isChecked=*/true);
    EXPECT_TRUE(areApart());
    EXPECT_TRUE(isReachable());
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
  }
  EXPECT_FALSE(areApart());
  astfe_rt_clear_error();
}
