//===- Encoder.h - keys of many points at once ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns coordinates into keys of an Order, fast: closed forms for Rows, bit
// deposits or table steps for Morton, state tables for Hilbert (2-D and 3-D),
// and the definition itself for the rest. Whatever the path, the keys are those
// of Order::key, bit for bit; the tests compare them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_ENCODER_H
#define ASTFE_CORE_ENCODER_H

#include "ASTFE/Core/Order.h"
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

#endif // ASTFE_CORE_ENCODER_H
