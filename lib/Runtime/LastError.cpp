//===- LastError.cpp - the text of the thread's last error ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/LastError.h"

using namespace astfe;

/// Empty text: no error (an error without a text would help nobody).
static thread_local std::string lastErrorText;

void rt::setLastError(std::string text) {
  if (lastErrorText.empty())
    lastErrorText = std::move(text);
}

const char *rt::lastError() {
  return lastErrorText.empty() ? nullptr : lastErrorText.c_str();
}

void rt::clearLastError() { lastErrorText.clear(); }
