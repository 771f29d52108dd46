//===- EncoderTest.cpp - encoders against the definition ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Encoder.h"
#include "Deposit.h"
#include "HilbertTables.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

const OrderKind kKinds[] = {OrderKind::Rows, OrderKind::Morton,
                            OrderKind::Hilbert, OrderKind::Panels};

/// Random points of a shape, one array per mode.
template <typename T>
struct Points {
  std::vector<std::vector<T>> modes;
  std::vector<const T *> pointers;

  Points(ArrayRef<int64_t> shape, size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int64_t extent : shape) {
      modes.emplace_back(count);
      for (T &x : modes.back())
        x = T(random() % uint64_t(extent));
      pointers.push_back(modes.back().data());
    }
  }
  std::vector<int64_t> point(size_t i) const {
    std::vector<int64_t> result;
    for (const auto &mode : modes)
      result.push_back(mode[i]);
    return result;
  }
};

template <typename T, typename EncoderT>
void expectDefinition(const Order &order, const EncoderT &encoder) {
  // More points than one stretch, and a rest that no vector takes.
  const size_t count = 1103;
  Points<T> points(order.extents(), count, 7);
  std::vector<uint64_t> keys(count, ~uint64_t(0));
  encoder.encode(points.pointers, count, keys.data());
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(keys[i], order.key(points.point(i)))
        << orderName(order.kind()) << " of rank " << order.rank()
        << " at point " << i;
}

void expectDefinition(ArrayRef<int64_t> shape, unsigned panelLog2 = 3) {
  for (OrderKind kind : kKinds) {
    Order order = *Order::get(kind, shape, panelLog2);
    Encoder encoder(order);
    expectDefinition<int32_t>(order, encoder);
    expectDefinition<int64_t>(order, encoder);
  }
}

} // namespace

TEST(Encoder, AgreesWithTheDefinitionInEveryRank) {
  std::mt19937_64 random(1);
  for (unsigned rank = 1; rank <= kMaxRank; ++rank) {
    for (unsigned trial = 0; trial < 4; ++trial) {
      std::vector<int64_t> shape(rank);
      for (int64_t &extent : shape)
        extent = 1 + int64_t(random() % (uint64_t(1) << (random() % 14)));
      SCOPED_TRACE(testing::PrintToString(shape));
      expectDefinition(shape, unsigned(random() % 12));
    }
  }
}

TEST(Encoder, AgreesOnOddMatrixShapes) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{1, 1},
                                         {1, 9},
                                         {9, 1},
                                         {3, 5},
                                         {70000, 70000},
                                         {1 << 20, 3},
                                         {3, 1 << 20},
                                         {4039, 4039},
                                         {2147483647, 2147483647}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    expectDefinition(shape, 10);
  }
}

TEST(Encoder, DropsWhatAKeyHasNoRoomFor) {
  const int64_t large = int64_t(1) << 31;
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {large, large, large},
           {large, 5, large, large - 1, 1},
           {large, large, large, large, large, large, large, large}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    ASSERT_GT(Order::get(OrderKind::Hilbert, shape)->keyBits(), 64u);
    expectDefinition(shape, 20);
  }
}

TEST(Encoder, TakesCoordinatesAbove32Bits) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{3000000000, 5},
                                         {5, 3000000000},
                                         {int64_t(1) << 62, int64_t(1) << 62},
                                         {int64_t(1) << 62}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    for (OrderKind kind : kKinds) {
      Order order = *Order::get(kind, shape);
      expectDefinition<int64_t>(order, Encoder(order));
    }
  }
}

TEST(Encoder, WorksWithoutPdep) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {70000, 300},
           {5, 17, 1 << 20},
           {2147483647, 2147483647, 2147483647}}) {
    Order order = *Order::get(OrderKind::Morton, shape);
    expectDefinition<int32_t>(order, Deposit(order, false));
  }
}

TEST(Encoder, WorksWithoutAvx2) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {70000, 300}, {5, 17, 1 << 20}, {9, 9, 9, 9}, {4, 5, 4, 5, 4, 5}}) {
    Order order = *Order::get(OrderKind::Hilbert, shape);
    expectDefinition<int32_t>(order, HilbertTables(order, false));
    expectDefinition<int64_t>(order, HilbertTables(order, false));
  }
}

TEST(Encoder, TakesNoPointsAndCanBeMoved) {
  Order order = *Order::get(OrderKind::Hilbert, {8, 8});
  Encoder first(order);
  Encoder second(std::move(first));
  expectDefinition<int32_t>(order, second);
  std::vector<const int32_t *> none{nullptr, nullptr};
  second.encode(none, 0, nullptr);
}
