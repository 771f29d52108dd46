//===- RuntimeSymbols.cpp - the runtime of this process, for the linker ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeSymbols.h"
#include "ASTFE/Runtime/ABISymbols.h"
#include "ASTFE/Runtime/Parallel.h"
#include "RunnerFunctions.h"

using namespace astfe;

llvm::orc::SymbolMap
astfe::runtimeSymbols(llvm::orc::MangleAndInterner interner, bool together) {
  llvm::orc::SymbolMap map;
  for (const rt::Symbol *list :
       {rt::abiSymbols(), rt::mgpuSymbols(), rt::openMPSymbols(together)})
    for (; list->name; ++list)
      map[interner(list->name)] = {
          llvm::orc::ExecutorAddr::fromPtr(list->address),
          llvm::JITSymbolFlags::Exported};
  for (const RunnerFunction &function : runnerFunctions())
    map[interner(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported};
  return map;
}
