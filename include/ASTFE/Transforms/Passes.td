//===- Passes.td - passes on the astfe dialect -------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file for each group of passes; whoever adds a pass adds it there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_PASSES_TD
#define ASTFE_TRANSFORMS_PASSES_TD

include "ASTFE/Transforms/BufferPasses.td"
include "ASTFE/Transforms/ChainPasses.td"
include "ASTFE/Transforms/CheckPasses.td"
include "ASTFE/Transforms/GraphPasses.td"
include "ASTFE/Transforms/InspectorPasses.td"
include "ASTFE/Transforms/KernelPasses.td"
include "ASTFE/Transforms/RaisePasses.td"

#endif // ASTFE_TRANSFORMS_PASSES_TD
