//===- ModelledRun.h - the time that a GPU would take for a run -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --model: the emulator records what each kernel does, and the model of a GPU
// (Emulator/Model.h) says how long that would take it, kernel after kernel. A
// built-in product launches each of its kernels once in a run, so that its last
// launches are those of its last run. A program of a file may launch a kernel
// of one name many times, and says where a run begins; what all launches of a
// run did is kept until it is printed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_MODELLEDRUN_H
#define ASTFE_TOOLS_RUN_MODELLEDRUN_H

#include "ASTFE/Emulator/Model.h"

namespace astfe::run {

class ModelledRun {
public:
  /// Has `emulator` record launches, with as many workers as the GPU of that
  /// name runs at a time. The emulator must not launch once this is gone.
  core::Status record(emu::Emulator &emulator, const std::string &name);

  /// A run begins: what was launched before is none of it.
  void begin();
  /// The last run has ended: what is launched from now on is none of it.
  void end() { isOver = true; }

  /// Prints the limits and the time of each kernel, and of all.
  core::Status print() const;

private:
  void add(const emu::LaunchReport &launch);

  emu::GpuNumbers gpu{};
  std::vector<emu::LaunchReport> launches;
  bool knowsRuns = false; ///< else each kernel is there by its last launch
  bool isOver = false;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_MODELLEDRUN_H
