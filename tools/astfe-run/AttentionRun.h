//===- AttentionRun.h - runs sparse attention, checks and times it --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ATTENTIONRUN_H
#define ASTFE_TOOLS_RUN_ATTENTIONRUN_H

#include "ASTFE/Emulator/Emulator.h"
#include "ModelledRun.h"
#include "Report.h"
#include "Settings.h"

namespace astfe::run {

/// Fills the report, but for what the command line alone says. With gradients,
/// the times are those of forward and backward together.
/// `emulator` is null for other devices; `modelled` learns where runs begin and
/// end.
core::Status runAttention(const Settings &settings, emu::Emulator *emulator,
                          ModelledRun &modelled, Report &report);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ATTENTIONRUN_H
