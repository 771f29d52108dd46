//===- Output.cpp - what a tool has printed -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

astfe::core::Status astfe::tools::flushOutput() {
  errno = 0;
  bool flushed = std::fflush(stdout) == 0;
  if (flushed && !std::ferror(stdout))
    return core::Success{};
  // An earlier failure left no number.
  return core::Error{"cannot write to standard output" +
                     (errno ? std::string(": ") + std::strerror(errno) : "")};
}
