//===- HostGathers.cpp - whether a CPU gathers fast -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/HostGathers.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <memory>

using namespace astfe;

bool astfe::hasFastGathers(const llvm::MCSubtargetInfo &cpu) {
  return cpu.getTargetTriple().isX86() && cpu.checkFeatures("+avx512f") &&
         cpu.checkFeatures("+fast-gather");
}

static bool look() {
  const auto features = llvm::sys::getHostCPUFeatures();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  // A hypervisor may hide what the name promises.
  if (!triple.isX86() || !features.lookup("avx512f"))
    return false;
  llvm::InitializeNativeTarget();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target->createMCSubtargetInfo(triple, llvm::sys::getHostCPUName(), ""));
  return cpu && hasFastGathers(*cpu);
}

bool astfe::hostHasFastGathers() {
  static const bool fast = look();
  return fast;
}
