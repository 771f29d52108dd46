//===- Output.h - what a tool has printed ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_SUPPORT_OUTPUT_H
#define ASTFE_TOOLS_SUPPORT_OUTPUT_H

#include "ASTFE/Core/Support/Status.h"

namespace astfe::tools {

/// Whether all that was printed to standard output got there: called last, as
/// printing keeps text back. A full disk must not look like success.
core::Status flushOutput();

} // namespace astfe::tools

#endif // ASTFE_TOOLS_SUPPORT_OUTPUT_H
