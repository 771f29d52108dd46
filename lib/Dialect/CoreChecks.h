//===- CoreChecks.h - Core's rules as verifiers ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a layout, a derivation, a space, a profile or a graph sound is
// said once, in Core. Verifiers of attributes turn their parameters into Core's
// values and ask there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_DIALECT_CORECHECKS_H
#define ASTFE_LIB_DIALECT_CORECHECKS_H

#include "ASTFE/Core/Graph.h"
#include "ASTFE/Core/Kernel.h"
#include "ASTFE/Core/Neighbors.h"
#include "ASTFE/Core/Profile.h"
#include "ASTFE/Core/Reorder.h"
#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Emits the text of an error that Core found.
mlir::LogicalResult report(EmitError emitError, const core::Status &status);

core::Layout coreLayout(Storage storage, uint32_t columns, uint32_t classes,
                        bool deterministic, bool assumeFinite);

core::Space coreSpace(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<PartAttr> parts,
                      llvm::ArrayRef<mlir::DenseI64ArrayAttr> permutations);

/// A copy of what an array attribute holds, as Core's own integers.
template <typename To, typename From>
std::vector<To> coreVector(llvm::ArrayRef<From> from) {
  return std::vector<To>(from.begin(), from.end());
}

} // namespace astfe

#endif // ASTFE_LIB_DIALECT_CORECHECKS_H
