//===- HostTarget.cpp - the CPU that host code is compiled for ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/HostTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace astfe;

static core::Result<const llvm::Target *> findTarget() {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)initialized;
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(
      llvm::Triple(llvm::sys::getProcessTriple()), error);
  if (!target)
    return core::Error{"cannot generate code for this CPU: " + error};
  return target;
}

static std::unique_ptr<llvm::MCSubtargetInfo>
subtarget(const llvm::Target &target, const std::string &cpu,
          const std::string &features) {
  return std::unique_ptr<llvm::MCSubtargetInfo>(target.createMCSubtargetInfo(
      llvm::Triple(llvm::sys::getProcessTriple()), cpu, features));
}

/// LLVM prints a line for a feature that it does not know, and goes on.
static core::Status checkNames(const llvm::MCSubtargetInfo &any,
                               llvm::StringRef cpu, llvm::StringRef features) {
  if (!any.isCPUStringValid(cpu))
    return core::Error{"expected 'native' or a CPU that LLVM knows but got '" +
                       cpu.str() + "'"};
  const llvm::SubtargetFeatures list(features);
  for (const std::string &flag : list.getFeatures()) {
    llvm::StringRef name = flag;
    bool isFlag = name.consume_front("+") || name.consume_front("-");
    auto known = [&](const llvm::SubtargetFeatureKV &feature) {
      return name == feature.Key;
    };
    if (!isFlag || llvm::none_of(any.getAllProcessorFeatures(), known))
      return core::Error{"expected features like '+avx2' that LLVM knows but "
                         "got '" +
                         flag + "'"};
  }
  return core::Success();
}

/// LLVM ends the program where it finds that it cannot generate code.
static core::Status checkGenerates(const llvm::MCSubtargetInfo &wanted,
                                   llvm::StringRef cpu) {
  if (!wanted.getTargetTriple().isX86())
    return core::Success();
  for (const char *flag : {"+64bit", "+sse2"})
    if (!wanted.checkFeatures(flag))
      return core::Error{"expected a CPU with '" + std::string(flag).substr(1) +
                         "' but got '" + cpu.str() + "' without it"};
  return core::Success();
}

/// Code for more than this machine has would end in an illegal instruction.
static core::Status checkRuns(const llvm::MCSubtargetInfo &wanted,
                              llvm::StringRef cpu) {
  const auto here = llvm::sys::getHostCPUFeatures();
  for (const llvm::SubtargetFeatureKV &feature :
       wanted.getAllProcessorFeatures()) {
    auto found = here.find(feature.Key);
    if (wanted.getFeatureBits().test(feature.Value) && found != here.end() &&
        !found->second)
      return core::Error{"expected a CPU whose instructions this machine has "
                         "but '" +
                         cpu.str() + "' has '" + feature.Key + "'"};
  }
  return core::Success();
}

static int64_t vectorBytesOf(const llvm::MCSubtargetInfo &info) {
  if (!info.getTargetTriple().isX86())
    return 16;
  return info.checkFeatures("+avx512f") ? 64
         : info.checkFeatures("+avx")   ? 32
                                        : 16;
}

/// All that this machine has, said one by one: names promise too much or too
/// little where a hypervisor hides some of it.
static std::string nativeFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  std::vector<std::string> flags = features.getFeatures();
  std::sort(flags.begin(), flags.end());
  return llvm::join(flags, ",");
}

static core::Result<HostTarget> findHost(llvm::StringRef cpu,
                                         llvm::StringRef features) {
  auto target = findTarget();
  if (!target)
    return target.error();
  HostTarget result;
  result.cpu = cpu.str();
  result.features = features.str();
  if (cpu == "native") {
    result.cpu = llvm::sys::getHostCPUName().str();
    result.features = nativeFeatures();
    if (!features.empty())
      result.features += "," + features.str();
  }
  auto any = subtarget(**target, "", "");
  if (auto status = checkNames(*any, result.cpu, features); !status)
    return status.error();
  auto info = subtarget(**target, result.cpu, result.features);
  if (auto status = checkGenerates(*info, cpu); !status)
    return status.error();
  if (auto status = checkRuns(*info, cpu); !status)
    return status.error();
  result.vectorBytes = vectorBytesOf(*info);
  result.traits = hostTraits(*info);
  return result;
}

core::Result<HostTarget> astfe::hostTarget(llvm::StringRef cpu,
                                           llvm::StringRef features) {
  // Each kernel is compiled for one, mostly for this. Never destroyed: threads
  // may compile while the process ends.
  static const auto &native =
      *new core::Result<HostTarget>(findHost("native", ""));
  return cpu == "native" && features.empty() ? native : findHost(cpu, features);
}

core::Result<std::unique_ptr<llvm::TargetMachine>>
astfe::createMachine(const HostTarget &host, unsigned optLevel, bool contract) {
  auto target = findTarget();
  if (!target)
    return target.error();
  llvm::TargetOptions options;
  if (contract)
    options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      llvm::Triple(llvm::sys::getProcessTriple()), host.cpu, host.features,
      options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optLevel ? llvm::CodeGenOptLevel::Aggressive
               : llvm::CodeGenOptLevel::None,
      /*JIT=*/true));
  if (!machine)
    return core::Error{"cannot generate code for '" + host.cpu + "'"};
  return machine;
}
