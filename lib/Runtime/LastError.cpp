//===- LastError.cpp - the text of the thread's last error ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/LastError.h"

using namespace astfe;

/// The thread has ended, as far as objects of its own go: modules of generated
/// code are unloaded after that, by then without a driver, which is an error
/// that nobody can ask for. A plain truth value outlives the text.
static thread_local bool ended = false;

namespace {
struct LastText {
  std::string text; ///< empty: no error (one without a text helps nobody)
  ~LastText() { ended = true; }
};
} // namespace

static thread_local LastText last;

void rt::setLastError(std::string text) {
  if (!ended && last.text.empty())
    last.text = std::move(text);
}

const char *rt::lastError() {
  return ended || last.text.empty() ? nullptr : last.text.c_str();
}

void rt::clearLastError() {
  if (!ended)
    last.text.clear();
}
