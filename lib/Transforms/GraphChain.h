//===- GraphChain.h - profiles, graphs and what is known of them ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is made by a chain: profile, partition, then refine and fuse. Each
// link is either an op, evaluated at run time, or constant. A constant graph
// keeps the profile that it was made from in the discardable attribute
// `astfe.profile`, so that the next pass can go on from it; the same name marks
// function arguments whose profile is attached. `astfe.refined` and
// `astfe.fused` say of a constant graph what the ops before it would have said.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_GRAPHCHAIN_H
#define ASTFE_LIB_TRANSFORMS_GRAPHCHAIN_H

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"

namespace astfe {

constexpr llvm::StringLiteral kProfileAttrName = "astfe.profile";

constexpr llvm::StringLiteral kRefinedAttrName = "astfe.refined";
constexpr llvm::StringLiteral kFusedAttrName = "astfe.fused";

/// The steps after partition that the chain of a graph has.
struct StepsTaken {
  bool refined = false, fused = false;
};
StepsTaken stepsTaken(mlir::Value graph);

/// What a graph can be refined by: an SSA profile, or one that is known.
struct ProfileSource {
  mlir::Value profile;
  ProfileAttr known;
};
ProfileSource findProfile(mlir::Value graph);

/// The profile attached to a tensor that is a function's argument, or null.
ProfileAttr attachedProfile(mlir::Value tensor);

/// The packs in `root` that have a graph, by graph, in program order.
llvm::MapVector<mlir::Value, llvm::SmallVector<PackOp>>
packsByGraph(mlir::Operation *root);

/// Whether the type of `pack`'s result may change: ops other than ours (a call,
/// a return, a loop) fix it.
bool isUsedByOursOnly(PackOp pack);

/// All packs of the tensor, `pack` among them: where what is chosen for them
/// agrees, they become one (astfe-merge-inspectors).
llvm::SmallVector<PackOp> packsOfTensor(PackOp pack);

/// A constant graph that keeps `known`.
GraphOp createConstantGraph(mlir::OpBuilder &builder, mlir::Location loc,
                            GraphType type, const core::Graph &graph,
                            ProfileAttr known);

/// "auto" or tau as an attribute; an error names what is wrong.
mlir::FloatAttr toThreshold(mlir::MLIRContext *context,
                            std::optional<double> tau);

core::PartitionOptions optionsOf(PartitionOp op);
core::RefineOptions optionsOf(RefineOp op);
core::FuseOptions optionsOf(FuseOp op);

/// Evaluates a partition, refine or fuse op whose profile is known and whose
/// graph, if it takes one, is constant; replaces it by a constant. Nothing
/// happens to others. Fails, with a diagnostic, where Core refuses.
llvm::LogicalResult evaluateIfKnown(mlir::Operation *op,
                                    llvm::StringRef passName);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_GRAPHCHAIN_H
