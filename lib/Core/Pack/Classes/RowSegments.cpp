//===- RowSegments.cpp - rows with explicit columns -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes every row that no other class does, where rows have more nonzeros than
// their ends would cost.
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"

namespace astfe::core {

const BlockClass kRowSegmentsBlocks{};

} // namespace astfe::core
