//===- ValueType.h - types and semirings as callers say them --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_VALUETYPE_H
#define ASTFE_LIB_CAPI_VALUETYPE_H

#include "ASTFE-c/Support.h"
#include "ASTFE/Core/Kernel/Arithmetic.h"

namespace astfe::capi {

/// What an AstfeValueType and an AstfeSemiring say, checked.
core::Result<core::Arithmetic> arithmeticOf(int32_t valueType,
                                            int32_t semiring);

/// Those of chains: any floats.
core::Result<core::Element> chainElement(int32_t valueType);

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_VALUETYPE_H
