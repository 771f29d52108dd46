//===- Main.cpp - a tool from its command line to its exit status ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Output.h"
#include <cstdio>

using namespace astfe;
using namespace astfe::tools;

static core::Status parseAndRun(Options &options, int argc,
                                const char *const *argv,
                                const std::function<core::Status()> &run) {
  core::Result<bool> go = options.parse(argc, argv);
  if (!go)
    return go.error();
  if (!*go)
    std::fputs(options.help().c_str(), stdout);
  else if (auto status = core::withinMemory({"out of memory"}, run); !status)
    return status;
  return flushOutput();
}

int astfe::tools::runTool(Options &options, int argc, const char *const *argv,
                          const std::function<core::Status()> &run) {
  core::failBeyondSizeLimit();
  core::Status status = parseAndRun(options, argc, argv, run);
  if (status)
    return 0;
  std::fprintf(stderr, "%s: error: %s\n", options.name().c_str(),
               status.message().c_str());
  return 1;
}
