//===- ModelledRun.cpp - the time that a GPU would take for a run ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelledRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::run {

core::Status ModelledRun::record(emu::Emulator &emulator,
                                 const std::string &name) {
  auto numbers = emu::gpuNumbers(name);
  if (!numbers)
    return numbers.error();
  gpu = *numbers;
  emu::Options options = emulator.options();
  options.recordTraces = true;
  options.multiprocessors = gpu.multiprocessors;
  options.warpsPerMultiprocessor = gpu.warps / 2; // kernels of 64 registers
  options.launched = [this](const emu::LaunchReport &launch) { add(launch); };
  emulator.setOptions(options);
  return core::Success();
}

void ModelledRun::begin() {
  launches.clear();
  knowsRuns = true;
}

void ModelledRun::add(const emu::LaunchReport &launch) {
  if (isOver)
    return;
  auto known = llvm::find_if(launches, [&](const emu::LaunchReport &other) {
    return !knowsRuns && other.kernel == launch.kernel;
  });
  if (known == launches.end())
    launches.push_back(launch);
  else
    *known = launch;
}

core::Status ModelledRun::print() const {
  const auto before =
      launches.size() > 1 ? emu::Before::Another : emu::Before::Same;
  emu::Prediction all;
  for (const emu::LaunchReport &launch : launches) {
    auto registers = emu::kernelRegisters(launch.kernel);
    if (!registers)
      return registers.error();
    auto prediction = emu::predict(gpu, launch, *registers, before);
    if (!prediction)
      return prediction.error();
    llvm::outs() << "model " << gpu.name << " of kernel '" << launch.kernel
                 << "', not measured:\n"
                 << emu::describe(*prediction);
    all += *prediction;
  }
  if (launches.size() > 1)
    llvm::outs() << "model " << gpu.name << " of " << launches.size()
                 << " kernels, one after the other: "
                 << llvm::format("%.2f us\n", all.seconds * 1e6);
  return core::Success();
}

} // namespace astfe::run
