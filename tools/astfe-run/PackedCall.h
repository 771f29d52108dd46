//===- PackedCall.h - the arguments of a compiled entry, by address -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PACKEDCALL_H
#define ASTFE_TOOLS_RUN_PACKEDCALL_H

#include "ASTFE/Product/PackedCall.h"

namespace astfe::run {
using product::describe;
using product::Descriptor;
using product::PackedCall;
} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PACKEDCALL_H
