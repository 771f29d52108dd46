//===- LastErrorTest.cpp - the text of the thread's last error ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/LastError.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace astfe;

namespace {

/// Too long for the room inside of a string.
constexpr const char *kText =
    "expected operands of a computation whose extents agree";

/// Of another length: it does not get the memory of the first again.
constexpr const char *kLastText =
    "cuModuleUnload failed: CUDA_ERROR_DEINITIALIZED (driver shutting down)";

/// As generated code, whose modules are unloaded when the process ends, after
/// the objects of its threads are gone.
struct FailsAtExit {
  ~FailsAtExit() {
    rt::setLastError(kLastText);
    rt::clearLastError();
    if (rt::lastError())
      std::abort();
  }
};

void failAtExitAfterAnError() {
  static FailsAtExit atExit;
  rt::setLastError(kText);
  rt::clearLastError();
  std::exit(0);
}

TEST(LastErrorTest, MayFailWhenTheProcessEnds) {
  EXPECT_EXIT(failAtExitAfterAnError(), testing::ExitedWithCode(0), "");
}

TEST(LastErrorTest, TheFirstTextIsKept) {
  rt::clearLastError();
  rt::setLastError(kText);
  rt::setLastError("another");
  EXPECT_STREQ(rt::lastError(), kText);
  rt::clearLastError();
  EXPECT_EQ(rt::lastError(), nullptr);
}

} // namespace
