//===- CoreValues.h - parameters of attributes as values of Core ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of layouts, kernels, spaces, profiles and graphs hold what
// Core's structs hold. These copy their parameters over: verifiers ask Core
// whether they are sound before there is an attribute, and Analysis/GraphBridge
// reads attributes that exist. Numbers too large for Core's integers become the
// largest one, which Core refuses.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_COREVALUES_H
#define ASTFE_DIALECT_COREVALUES_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Profile/Profile.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// Of a type that values are packed and computed in; none of any other.
std::optional<core::Element> coreElement(mlir::Type type);

core::Layout coreLayout(Storage storage, uint32_t columns, uint32_t classes,
                        PackTarget target, int64_t window, int64_t denseBytes,
                        int64_t columnTile, bool deterministic,
                        bool assumeFinite);

core::Space coreSpace(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<PartAttr> parts,
                      llvm::ArrayRef<mlir::DenseI64ArrayAttr> permutations);

/// Without the names of kernel and target.
core::Profile
coreProfile(SpaceAttr space, uint64_t fingerprint, llvm::ArrayRef<int32_t> part,
            llvm::ArrayRef<int8_t> length, llvm::ArrayRef<int64_t> prefix,
            llvm::ArrayRef<int64_t> nonzeros, llvm::ArrayRef<int64_t> cycles,
            llvm::ArrayRef<int64_t> bytes);

/// Whether a known profile lies along the order that is asked for, with panels
/// of 2^panel rows. One that sets hubs apart has parts along other orders
/// besides. The error names both: "expected order hilbert but got rows".
core::Status checkOrder(ProfileAttr known, Order order, int64_t panel);

core::Graph coreGraph(SpaceAttr space, llvm::ArrayRef<int32_t> part,
                      llvm::ArrayRef<int8_t> length,
                      llvm::ArrayRef<int64_t> prefix,
                      llvm::ArrayRef<int64_t> nonzeros,
                      llvm::ArrayRef<int64_t> groups, int64_t limit,
                      mlir::FloatAttr threshold);

} // namespace astfe

#endif // ASTFE_DIALECT_COREVALUES_H
