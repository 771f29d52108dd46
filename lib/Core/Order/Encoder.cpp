//===- Encoder.cpp - keys of many points at once --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Encoder.h"
#include "Order/Deposit.h"
#include "Order/HilbertLanes.h"
#include "Order/HilbertTables.h"
#include <variant>

using namespace astfe::core;

struct Encoder::Tables {
  std::variant<Deposit, HilbertLanes, HilbertTables> way;

  static std::variant<Deposit, HilbertLanes, HilbertTables>
  choose(const Order &order) {
    if (Deposit::handles(order))
      return Deposit(order, Deposit::processorHasPdep());
    if (HilbertLanes::handles(order) && HilbertLanes::processorHasVbmi())
      return HilbertLanes(order);
    return HilbertTables(order, HilbertTables::processorHasAvx2());
  }
};

Encoder::Encoder(const Order &order)
    : tables(new Tables{Tables::choose(order)}) {}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder &&) = default;

void Encoder::encode(ArrayRef<const int32_t *> coordinates, size_t count,
                     uint64_t *keys) const {
  std::visit([&](const auto &way) { way.encode(coordinates, count, keys); },
             tables->way);
}

void Encoder::encode(ArrayRef<const int64_t *> coordinates, size_t count,
                     uint64_t *keys) const {
  std::visit([&](const auto &way) { way.encode(coordinates, count, keys); },
             tables->way);
}
