//===- GPUConstants.h - the numbers that decide for a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUConstants.def says what each is for, as Constants.def does of those that
// hosts share.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TARGET_GPUCONSTANTS_H
#define ASTFE_CORE_TARGET_GPUCONSTANTS_H

#include "ASTFE/Core/Target/Constants.h"

namespace astfe::core::rules {

#define ASTFE_CONSTANT(Type, Name, Unit, Source, Reason, Decides, Value)       \
  inline constexpr Type Name = Value;
#define ASTFE_CONSTANT_LIST(Type, Count, Name, Unit, Source, Reason, Decides,  \
                            ...)                                               \
  inline constexpr std::array<Type, Count> Name = {__VA_ARGS__};
#include "ASTFE/Core/Target/GPUConstants.def"

} // namespace astfe::core::rules

#endif // ASTFE_CORE_TARGET_GPUCONSTANTS_H
