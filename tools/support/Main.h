//===- Main.h - a tool from its command line to its exit status -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worked example:
//   int main(int argc, char **argv) {
//     Request request;
//     Options options = declare(request);
//     return tools::runTool(options, argc, argv, [&] { return run(request); });
//   }
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_SUPPORT_MAIN_H
#define ASTFE_TOOLS_SUPPORT_MAIN_H

#include "Options.h"

namespace astfe::tools {

/// Parses the command line and runs the tool, or prints the help where that is
/// asked for. The result is 0, or 1 after "TOOL: error: ..." on standard error:
/// where the command line is wrong, `run` fails or lacks memory, or what was
/// printed did not get out.
int runTool(Options &options, int argc, const char *const *argv,
            const std::function<core::Status()> &run);

} // namespace astfe::tools

#endif // ASTFE_TOOLS_SUPPORT_MAIN_H
