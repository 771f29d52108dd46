//===- GraphChain.cpp - profiles, graphs and what is known of them --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphChain.h"
#include "ASTFE/Analysis/Remark.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace astfe {

ProfileSource findProfile(Value graph) {
  Operation *op = graph.getDefiningOp();
  Value profile;
  if (auto constant = dyn_cast_or_null<GraphOp>(op))
    return {Value(), constant->getAttrOfType<ProfileAttr>(kProfileAttrName)};
  if (auto partition = dyn_cast_or_null<PartitionOp>(op))
    profile = partition.getProfile();
  else if (auto refine = dyn_cast_or_null<RefineOp>(op))
    profile = refine.getProfile();
  else if (auto fuse = dyn_cast_or_null<FuseOp>(op))
    profile = fuse.getProfile();
  if (!profile)
    return {};
  auto source = profile.getDefiningOp<ProfileOp>();
  return {profile, source ? source.getKnownAttr() : ProfileAttr()};
}

StepsTaken stepsTaken(Value graph) {
  StepsTaken taken;
  // In a graph region a value may define itself.
  SmallPtrSet<Operation *, 4> seen;
  for (Operation *op = graph.getDefiningOp(); op && seen.insert(op).second;
       op = graph.getDefiningOp()) {
    taken.refined |= isa<RefineOp>(op) || op->hasAttr(kRefinedAttrName);
    taken.fused |= isa<FuseOp>(op) || op->hasAttr(kFusedAttrName);
    if (auto refine = dyn_cast<RefineOp>(op))
      graph = refine.getGraph();
    else if (auto fuse = dyn_cast<FuseOp>(op))
      graph = fuse.getGraph();
    else
      break;
  }
  return taken;
}

ProfileAttr attachedProfile(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  return function.getArgAttrOfType<ProfileAttr>(argument.getArgNumber(),
                                                kProfileAttrName);
}

llvm::MapVector<Value, SmallVector<PackOp>> packsByGraph(Operation *root) {
  llvm::MapVector<Value, SmallVector<PackOp>> packs;
  root->walk([&](PackOp pack) {
    if (pack.getGraph())
      packs[pack.getGraph()].push_back(pack);
  });
  return packs;
}

bool isUsedByOursOnly(PackOp pack) {
  return llvm::all_of(
      pack->getUsers(),
      llvm::IsaPred<ValuesOp, UnpackOp, UnpackValuesOp, IsStoredOp, ComputeOp>);
}

SmallVector<PackOp> packsOfTensor(PackOp pack) {
  SmallVector<PackOp> packs;
  for (Operation *user : pack.getTensor().getUsers())
    if (auto other = dyn_cast<PackOp>(user))
      packs.push_back(other);
  return packs;
}

GraphOp createConstantGraph(OpBuilder &builder, Location loc, GraphType type,
                            const core::Graph &graph, ProfileAttr known) {
  auto constant =
      GraphOp::create(builder, loc, type, toAttr(builder.getContext(), graph));
  constant->setAttr(kProfileAttrName, known);
  return constant;
}

FloatAttr toThreshold(MLIRContext *context, std::optional<double> tau) {
  return tau ? FloatAttr::get(Float64Type::get(context), *tau) : FloatAttr();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

core::PartitionOptions optionsOf(PartitionOp op) {
  core::PartitionOptions options;
  options.leaf = op.getLeaf();
  options.workers = op.getWorkers();
  return options;
}

/// tau of an op, or "auto".
static std::optional<double> thresholdOf(FloatAttr threshold) {
  if (!threshold)
    return std::nullopt;
  return threshold.getValueAsDouble();
}

core::RefineOptions optionsOf(RefineOp op) {
  core::RefineOptions options;
  options.threshold = thresholdOf(op.getThresholdAttr());
  options.workers = op.getWorkers();
  options.waves = op.getWaves();
  options.min = op.getMin();
  options.steps = op.getSteps();
  return options;
}

core::FuseOptions optionsOf(FuseOp op) {
  core::FuseOptions options;
  options.threshold = thresholdOf(op.getThresholdAttr());
  options.workers = op.getWorkers();
  options.waves = op.getWaves();
  options.cache = op.getCache();
  options.columns = op.getColumns();
  options.elementBytes = op.getElementBytes();
  return options;
}

static core::Result<core::Graph> evaluate(PartitionOp op, ProfileAttr known,
                                          StringRef pass) {
  auto graph = core::partition(toCore(known), optionsOf(op));
  if (graph)
    remark::analysis(op.getLoc(), remarkOf(op, pass, "partitioned"))
        << remark::metric("blocks", int64_t(graph->size()))
        << remark::metric("nonzeros", graph->totalNonzeros());
  return graph;
}

static core::Result<core::Graph> evaluate(RefineOp op, const core::Graph &from,
                                          ProfileAttr known, StringRef pass) {
  core::RefineLog log;
  auto graph = core::refine(from, toCore(known), optionsOf(op), &log);
  if (graph)
    remark::analysis(op.getLoc(), remarkOf(op, pass, "refined"))
        << remark::metric("blocks", int64_t(graph->size()))
        << remark::metric("split", log.split)
        << remark::metric("steps", log.steps)
        << remark::metric("limit", log.limit)
        << remark::metric("hottest-before", log.hottest)
        << remark::metric("hottest-after", log.hottestAfter);
  return graph;
}

static core::Result<core::Graph> evaluate(FuseOp op, const core::Graph &from,
                                          ProfileAttr known, StringRef pass) {
  core::FuseLog log;
  auto graph = core::fuse(from, toCore(known), optionsOf(op), &log);
  if (graph)
    remark::analysis(op.getLoc(), remarkOf(op, pass, "fused"))
        << remark::metric("blocks", int64_t(graph->size()))
        << remark::metric("groups", int64_t(graph->groupCount()))
        << remark::metric("merged", log.merged)
        << remark::metric("joined", log.joined)
        << remark::metric("traffic-before", log.trafficBefore)
        << remark::metric("traffic-after", log.trafficAfter);
  return graph;
}

/// What the profile operand of `op` is known to be, or null.
static ProfileAttr knownOperand(Value profile) {
  auto source = profile.getDefiningOp<ProfileOp>();
  return source ? source.getKnownAttr() : ProfileAttr();
}

LogicalResult evaluateIfKnown(Operation *op, StringRef pass) {
  core::Result<core::Graph> graph = core::Error{};
  ProfileAttr known;
  GraphOp from;
  auto apply = [&](auto step) {
    from = step.getGraph().template getDefiningOp<GraphOp>();
    known = knownOperand(step.getProfile());
    if (from && known)
      graph = evaluate(step, toCore(from.getValue()), known, pass);
    else
      known = {};
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<PartitionOp>([&](PartitionOp partition) {
        if ((known = knownOperand(partition.getProfile())))
          graph = evaluate(partition, known, pass);
      })
      .Case<RefineOp, FuseOp>(apply);
  if (!known)
    return success();
  if (!graph)
    return op->emitOpError(graph.message());

  OpBuilder builder(op);
  auto type = cast<GraphType>(op->getResult(0).getType());
  StepsTaken taken = stepsTaken(op->getResult(0));
  GraphOp constant =
      createConstantGraph(builder, op->getLoc(), type, *graph, known);
  if (taken.refined)
    constant->setAttr(kRefinedAttrName, builder.getUnitAttr());
  if (taken.fused)
    constant->setAttr(kFusedAttrName, builder.getUnitAttr());
  op->replaceAllUsesWith(constant);
  op->erase();
  if (from && from->use_empty())
    from->erase();
  return success();
}

} // namespace astfe
