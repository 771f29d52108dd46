//===- Remark.h - remarks of the transforms -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_REMARK_H
#define ASTFE_LIB_TRANSFORMS_REMARK_H

#include "ASTFE/Analysis/Remark.h"

#endif // ASTFE_LIB_TRANSFORMS_REMARK_H
