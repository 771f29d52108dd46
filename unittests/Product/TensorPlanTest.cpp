//===- TensorPlanTest.cpp - the plan for bricks ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Product/PackedTensor.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

/// Half of the nonzeros are in one corner.
CooTensor crowded(int64_t nonzeros) {
  CooTensor tensor;
  tensor.shape = {1 << 10, 1 << 10, 1 << 10};
  tensor.coordinates.resize(3);
  uint64_t state = 1;
  for (int64_t n = 0; n < nonzeros; ++n) {
    for (auto &mode : tensor.coordinates) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      mode.push_back(int64_t(state >> (n % 2 ? 54 : 57)));
    }
    tensor.values.push_back(1);
  }
  return tensor;
}

/// One block, of which refine splits what has more than a brick.
TEST(TensorPlan, RefineSplitsTheOnlyBlock) {
  const CooTensor tensor = crowded(300000);
  auto options =
      astfe::product::tensorPlanOptions(tensor.nonzeros(), 32, Element::F32);
  options.profile.threads = 1;
  auto plan = makePlan(tensor.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->initial.size(), 1u);
  EXPECT_GT(plan->refineLog.steps, 0);
  EXPECT_GT(plan->refined.size(), 4u);
  EXPECT_LE(*std::max_element(plan->refined.nonzeros.begin(),
                              plan->refined.nonzeros.end()),
            kBrickSlots);
}

TEST(TensorPlan, FewNonzerosStayOneBlock) {
  const CooTensor tensor = crowded(1000);
  auto plan = makePlan(
      tensor.view(), astfe::product::tensorPlanOptions(1000, 32, Element::F32));
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->refined.size(), 1u);
}

} // namespace
