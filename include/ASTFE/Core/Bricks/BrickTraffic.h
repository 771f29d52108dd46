//===- BrickTraffic.h - bytes that a product over bricks moves ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// traffic(product) = slots + inputs + 2 x output, in bytes, as that of matrices
// (Graph/Traffic.h): slots are what the walked copy streams and the values,
// inputs are the rows of the dense operands that each brick meets, once for the
// brick, as they fit a second-level cache, and outputs the rows that it adds
// to. A row is what the modes of an operand leave: of one without modes, all of
// it.
//
// Worked example (Bricks.h, one brick, mode 0, f32): MTTKRP with 4 columns
// reads 4 slots of 4 + 2 bytes and two segments of 3 bytes, two rows of 16
// bytes of each factor, and adds to two rows of as many: 30 + 64 + 2 x 32
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKTRAFFIC_H
#define ASTFE_CORE_BRICKS_BRICKTRAFFIC_H

#include "ASTFE/Core/Bricks/Bricks.h"
#include "ASTFE/Core/Graph/Traffic.h"

namespace astfe::core {

/// A dense operand: the modes that index it, and bytes of what they leave.
struct BrickOperand {
  std::vector<unsigned> modes;
  int64_t rowBytes = 0;
};

struct BrickProduct {
  unsigned key = 0; ///< whose copy is walked
  int64_t valueBytes = 4;
  std::vector<BrickOperand> inputs;
  BrickOperand output;
};

/// The copy of the key is there. Nothing is shared: each row has one writer.
/// O(slots x operands x modes of each x log slots of a brick) time.
Traffic countTraffic(const Bricks &bricks, const BrickProduct &product,
                     unsigned threads = 1);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKTRAFFIC_H
