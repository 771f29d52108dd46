//===- ABISymbols.h - the runtime's functions by name ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_ABISYMBOLS_H
#define ASTFE_RUNTIME_ABISYMBOLS_H

#include "ASTFE/Runtime/Mgpu.h"

namespace astfe::rt {

/// Every function of ABI.h that generated code may call, for a compiler that
/// resolves symbols itself; ends with a null name.
const Symbol *abiSymbols();

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_ABISYMBOLS_H
