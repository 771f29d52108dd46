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

/// Writes `text` to a temporary file beside `path` and renames it.
Status writeFile(const std::string &path, std::string_view text);
Result<std::string> readFile(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_FILETEXT_H
