//===- RuntimeSymbols.h - the runtime of this process, for the linker -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_RUNTIMESYMBOLS_H
#define ASTFE_LIB_EXECUTION_RUNTIMESYMBOLS_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace astfe {

/// Functions of Runtime/ABI.h and Runtime/Mgpu.h, linked in or not, and those
/// of OpenMP (Runtime/Parallel.h), for threads that meet or do not, and those
/// that upstream's lowerings call (RunnerFunctions.h).
llvm::orc::SymbolMap runtimeSymbols(llvm::orc::MangleAndInterner interner,
                                    bool together);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_RUNTIMESYMBOLS_H
