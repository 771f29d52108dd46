//===- LastError.h - the text of the thread's last error ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that generated code calls cannot return an error: they leave a text
// here and go on with null handles. The first text is kept until it is cleared:
// what fails afterwards usually fails because of it. `astfe_rt_last_error()` of
// ABI.h is the C view of the same text.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_LASTERROR_H
#define ASTFE_RUNTIME_LASTERROR_H

#include <string>

namespace astfe::rt {

/// Sets the thread's error, unless one is set already.
void setLastError(std::string text);
/// The thread's error, or null when all went well. Valid until the next call of
/// setLastError or clearLastError by this thread.
const char *lastError();
void clearLastError();

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_LASTERROR_H
