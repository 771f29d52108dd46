//===- Constants.h - the numbers that decide ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants.def says what each is for and where it is from. Rules use them by
// their names, `rules::kWinnerShare`; no rule has a number of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TARGET_CONSTANTS_H
#define ASTFE_CORE_TARGET_CONSTANTS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace astfe::core::rules {

#define ASTFE_CONSTANT(Type, Name, Unit, Source, Reason, Decides, Value)       \
  inline constexpr Type Name = Value;
#define ASTFE_CONSTANT_LIST(Type, Count, Name, Unit, Source, Reason, Decides,  \
                            ...)                                               \
  inline constexpr std::array<Type, Count> Name = {__VA_ARGS__};
#include "ASTFE/Core/Target/Constants.def"

} // namespace astfe::core::rules

#endif // ASTFE_CORE_TARGET_CONSTANTS_H
