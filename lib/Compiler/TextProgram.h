//===- TextProgram.h - the text of a module, compiled ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_COMPILER_TEXTPROGRAM_H
#define ASTFE_LIB_COMPILER_TEXTPROGRAM_H

#include "ASTFE/Product/CompilerLibrary.h"

namespace astfe::compiler {

/// Parses `text`, runs `pipeline` and compiles, or takes what the process's
/// cache has of it. Each call has a context of its own, so that threads compile
/// side by side.
core::Result<std::shared_ptr<const product::Program>>
compileText(std::string_view text, std::string_view pipeline);

} // namespace astfe::compiler

#endif // ASTFE_LIB_COMPILER_TEXTPROGRAM_H
