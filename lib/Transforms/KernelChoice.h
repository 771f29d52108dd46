//===- KernelChoice.h - the cost model of layouts and kernels -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What astfe-select-kernels decides, as functions of numbers; the description
// of the pass states the rules.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_KERNELCHOICE_H
#define ASTFE_LIB_TRANSFORMS_KERNELCHOICE_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Kernel/Kernel.h"

namespace astfe {

/// The fewest bits of 8, 16 and 32 that number `columns`; 0 columns: unknown.
uint8_t bitsForColumns(int64_t columns);

/// Columns between the first and the last of a group, at most; 0 without
/// blocks or where the space is not a plain matrix.
int64_t widestGroup(const core::Graph &graph);

/// Nonzeros per cell of the fullest block, boxes clipped to the shape.
double fullestBlock(const core::Graph &graph);

/// The column tile of a kernel: 0 without dense columns.
int64_t chooseColumnTile(std::optional<int64_t> columns, unsigned elementBytes,
                         bool gpu);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_KERNELCHOICE_H
