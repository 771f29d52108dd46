//===- ModuleText.h - the program that is run, as MLIR --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_MODULETEXT_H
#define ASTFE_TOOLS_RUN_MODULETEXT_H

#include "Problem.h"

namespace astfe::run {

/// Whether the types have A's extents, as upstream's sparsifier and kernels for
/// a GPU need for good code, or fit any matrix. Columns are always there.
enum class Extents { Fixed, Any };

/// What C holds before: what is added to; nothing, as the attribute
/// `astfe.undefined` says; or zeros that the function fills it with, for a
/// compiler that does not know the attribute: by linalg.fill, or all threads
/// do where it is large.
enum class Start { Added, Undefined, Filled, FilledByThreads };

/// `func.func @product(%A, %B, %C)` with linalg.matvec or linalg.matmul over a
/// CSR operand with 32-bit indices; C is written in place. For samples,
/// `@product(%A, %X, %Y, %C)`, whose %C gets the values of the sparse result.
std::string moduleText(const Settings &settings, const Problem &problem,
                       Extents extents, Start start);

/// The body of a linalg.generic: `sum` plus the product of `factors`, of which
/// the first is sparse, yielded. Only stored entries take part.
std::string bodyText(const core::Arithmetic &arithmetic,
                     const std::vector<std::string> &factors,
                     const std::string &sum);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_MODULETEXT_H
