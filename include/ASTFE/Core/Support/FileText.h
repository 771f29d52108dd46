//===- FileText.h - whole files in and out --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are written to a temporary name beside their own and renamed: a reader
// never sees half of one. O(bytes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_FILETEXT_H
#define ASTFE_CORE_SUPPORT_FILETEXT_H

#include "ASTFE/Core/Support/Status.h"
#include <string>
#include <string_view>

namespace astfe::core {

/// From now on, what this process writes beyond the limit of a file's size
/// fails like a write to a full disk. The system's signal would end it before
/// it removes what it has written. For main(): a library's users decide.
void failBeyondSizeLimit();

/// Writes `text` to a temporary file beside `path` and renames it.
Status writeFile(const std::string &path, std::string_view text);
Result<std::string> readFile(const std::string &path);

/// Fails where something else than a regular file is at `path`: pipes and
/// devices may have no end, or wait for ever. Nothing at all is no failure.
Status checkRegular(const std::string &path);
/// Makes the folder and those above it, the last for its user alone, unless
/// they are there. Who uses the folder finds out what failed.
void makePrivateFolder(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_FILETEXT_H
