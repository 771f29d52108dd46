//===- KernelTableTest.cpp - kernels are made once ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Product/TensorRequest.h"
#include <gtest/gtest.h>
#include <thread>

using namespace astfe;
using namespace astfe::product;

namespace {

/// Counts what it makes; fails for 13 columns, and waits where it is told to.
class Counting : public KernelSource {
public:
  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    ++made;
    if (held.valid() && request.columns == waitsAt)
      held.wait();
    if (request.columns == 13)
      return core::Error{"13 columns"};
    return std::make_shared<const Kernel>();
  }
  std::atomic<int> made{0};
  std::shared_future<void> held;
  int64_t waitsAt = 0;
};

KernelRequest columns(int64_t number) {
  KernelRequest request;
  request.columns = number;
  return request;
}

TEST(KernelTable, MakesAKernelOnce) {
  Counting source;
  KernelTable table(source);
  auto first = table.get(columns(7)), second = table.get(columns(7));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
  EXPECT_EQ(source.made, 1);
  EXPECT_TRUE(bool(table.get(columns(8))));
  EXPECT_EQ(source.made, 2);
}

TEST(KernelTable, KeepsThoseAskedForLast) {
  Counting source;
  KernelTable table(source, 2);
  for (int64_t number : {1, 2, 1, 3, 1})
    ASSERT_TRUE(bool(table.get(columns(number))));
  EXPECT_EQ(source.made, 3);
  ASSERT_TRUE(bool(table.get(columns(2))));
  EXPECT_EQ(source.made, 4);
}

TEST(KernelTable, TriesAgainAfterAFailure) {
  Counting source;
  KernelTable table(source);
  for (int i = 1; i < 4; ++i) {
    auto made = table.get(columns(13));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.message(), "13 columns");
    EXPECT_EQ(source.made, i);
  }
}

TEST(KernelTable, OthersGoOnWhileOneIsMade) {
  Counting source;
  std::promise<void> open;
  source.held = open.get_future().share();
  source.waitsAt = 5;
  KernelTable table(source);
  std::vector<std::thread> waiting;
  std::atomic<int> got{0};
  for (int i = 0; i < 3; ++i)
    waiting.emplace_back([&] { got += bool(table.get(columns(5))); });
  // One of the three makes it, whichever; this thread waits for none of them.
  while (source.made == 0)
    std::this_thread::yield();
  EXPECT_TRUE(bool(table.get(columns(6))));
  EXPECT_EQ(got, 0);
  open.set_value();
  for (std::thread &thread : waiting)
    thread.join();
  EXPECT_EQ(got, 3);
  EXPECT_EQ(source.made, 2);
}

TEST(KernelRequest, EveryFieldIsInTheKey) {
  std::vector<KernelRequest> requests(14);
  requests[1].chip = "sm_90";
  requests[2].cpu = "x86-64";
  requests[3].features = "+avx2";
  requests[4].arithmetic.element = core::Element::F64;
  requests[5].layout.columnBits = 16;
  requests[6].layout.classes =
      core::ClassSet::of(core::SegmentClass::RowSegments);
  requests[7].classes = core::ClassSet::of(core::SegmentClass::RowSegments);
  requests[8].columns = 1;
  requests[9].strided = true;
  requests[10].overwrite = false;
  requests[11].extents = {3, 4};
  requests[12].computation = Computation::Samples;
  requests[13].arithmetic.semiring = core::Semiring::MinPlus;
  for (size_t i = 0; i < requests.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(requests[i].key(), requests[j].key()) << i << ' ' << j;
}

TEST(TensorRequest, OnlyHalvesHaveCodeOfTheirOwnWhereWidened) {
  TensorRequest request, widened;
  widened.widened = true;
  request.product = widened.product = {3, {}, {0}, {}};
  EXPECT_EQ(request.key(), widened.key());
  request.arithmetic.element = widened.arithmetic.element = core::Element::F16;
  EXPECT_NE(request.key(), widened.key());
}

} // namespace
