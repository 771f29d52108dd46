//===- GraphBridge.h - attributes of the dialect <-> values of Core -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only bridge between IR and Core. Constant graphs, profiles, spaces,
// layouts and kernels exist twice: as attributes, which the compiler
// uniques, prints and verifies, and as plain structs, on which the algorithms
// run. `toCore` copies an attribute into a struct, `toAttr` a struct into an
// attribute; toAttr(toCore(a)) == a and toCore(toAttr(s)) == s. All are linear
// in the number of blocks or bins.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_GRAPHBRIDGE_H
#define ASTFE_ANALYSIS_GRAPHBRIDGE_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Reorder/Reorder.h"
#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

core::OrderKind toCore(Order order);
Order toAttr(core::OrderKind kind);
core::ReorderKind toCore(Reorder reorder);
Reorder toAttr(core::ReorderKind kind);

core::Space toCore(SpaceAttr attr);
SpaceAttr toAttr(mlir::MLIRContext *context, const core::Space &space);

core::Profile toCore(ProfileAttr attr);
ProfileAttr toAttr(mlir::MLIRContext *context, const core::Profile &profile);

core::Graph toCore(GraphAttr attr);
GraphAttr toAttr(mlir::MLIRContext *context, const core::Graph &graph);

/// The same graph with its edges written down. Edges are no part of Core's
/// graph: they do not survive the way there and back, so none are ever stale.
GraphAttr withEdges(GraphAttr attr);

core::Layout toCore(LayoutAttr attr);
LayoutAttr toAttr(mlir::MLIRContext *context, const core::Layout &layout);

core::Kernel toCore(KernelAttr attr);
KernelAttr toAttr(mlir::MLIRContext *context, const core::Kernel &kernel);

/// The classes that code is emitted for: those that the layout permits and the
/// kernel, where there is one, lists.
core::ClassSet compiledClasses(ComputeOp op);
/// The classes of a layout that there is code for, whatever kernel is chosen.
core::ClassSet runnableClasses(ComputeOp op, const core::Layout &layout);

/// Whether concrete extents fit a type's shape (`?` fits all); the error names
/// both: "expected shape 4x? but got 5x7".
core::Status checkExtents(llvm::ArrayRef<int64_t> typeShape,
                          llvm::ArrayRef<int64_t> extents);

} // namespace astfe

#endif // ASTFE_ANALYSIS_GRAPHBRIDGE_H
