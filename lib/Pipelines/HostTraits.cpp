//===- HostTraits.cpp - what a CPU does fast ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/HostTraits.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <memory>

using namespace astfe;

std::string HostTraits::text() const {
  return std::string(fastGathers ? ", gathers" : "") +
         (farStrips ? ", far strips" : "") + (wideMasks ? ", wide masks" : "");
}

HostTraits astfe::hostTraits(const llvm::MCSubtargetInfo &cpu) {
  HostTraits traits;
  if (!cpu.getTargetTriple().isX86())
    return traits;
  traits.farStrips = cpu.checkFeatures("+fast-gather");
  traits.fastGathers = traits.farStrips && cpu.checkFeatures("+avx512f");
  traits.wideMasks = cpu.checkFeatures("+avx512bw,+avx512vl");
  return traits;
}

static HostTraits look() {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  if (!triple.isX86())
    return {};
  llvm::InitializeNativeTarget();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return {};
  std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target->createMCSubtargetInfo(triple, llvm::sys::getHostCPUName(), ""));
  HostTraits traits = cpu ? hostTraits(*cpu) : HostTraits();
  // A hypervisor may hide what the name promises.
  const auto features = llvm::sys::getHostCPUFeatures();
  traits.fastGathers &= features.lookup("avx512f");
  traits.wideMasks &=
      features.lookup("avx512bw") && features.lookup("avx512vl");
  return traits;
}

const HostTraits &astfe::hostTraits() {
  static const HostTraits traits = look();
  return traits;
}
