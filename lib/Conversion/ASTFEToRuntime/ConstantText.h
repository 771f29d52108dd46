//===- ConstantText.h - constants as text in the module -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant graph or known profile crosses to the runtime as the text of its
// file, in a private global: one format, versioned and checked, that compile
// time and run time share.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETORUNTIME_CONSTANTTEXT_H
#define ASTFE_LIB_CONVERSION_ASTFETORUNTIME_CONSTANTTEXT_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// The text of the file as a memref<?xi8>.
mlir::Value textOf(mlir::ImplicitLocOpBuilder &b, GraphAttr graph);
mlir::Value textOf(mlir::ImplicitLocOpBuilder &b, ProfileAttr profile);
mlir::Value textOf(mlir::ImplicitLocOpBuilder &b, const core::Layout &layout);

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_ASTFETORUNTIME_CONSTANTTEXT_H
