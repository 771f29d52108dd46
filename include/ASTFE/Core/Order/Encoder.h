//===- Encoder.h - keys of many points at once ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns coordinates into keys of an Order, fast: shifts for Rows, bit deposits
// (pdep, or a table for each byte) for Morton, state tables of several rounds
// for Hilbert up to six modes, round by round above. The processor's vector and
// deposit instructions are used where a check at run time finds them. Whatever
// the path, the keys are those of Order::key, bit for bit; the tests compare.
//
// O(count x keyBits / bits per step); building the tables takes up to some
// hundred microseconds, so make one encoder for many points.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_ORDER_ENCODER_H
#define ASTFE_CORE_ORDER_ENCODER_H

#include "ASTFE/Core/Order/Order.h"
#include <memory>

namespace astfe::core {

class Encoder {
public:
  explicit Encoder(const Order &order);
  ~Encoder();
  Encoder(Encoder &&);

  /// keys[i] = order.key({coordinates[0][i], coordinates[1][i], ...}) for
  /// i < count. One array per mode, 32 or 64-bit coordinates, all in range.
  void encode(ArrayRef<const int32_t *> coordinates, size_t count,
              uint64_t *keys) const;
  void encode(ArrayRef<const int64_t *> coordinates, size_t count,
              uint64_t *keys) const;

private:
  struct Tables;
  std::unique_ptr<Tables> tables;
};

} // namespace astfe::core

#endif // ASTFE_CORE_ORDER_ENCODER_H
