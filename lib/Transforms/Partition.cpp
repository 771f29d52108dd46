//===- Partition.cpp - packs by graph instead of viewing ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "ASTFE/Transforms/Passes.h"
#include "GraphChain.h"
#include "PackedRows.h"
#include "Repartition.h"
#include "SearchedProducts.h"
#include "WrittenValues.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_PARTITIONPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct PartitionPass : CheckedOptions<impl::PartitionPassBase<PartitionPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    std::optional<Storage> kind = symbolizeStorage(storage);
    if (!kind)
      return optionError("storage", core::storageNames().text(), storage);
    keepViews = *kind == Storage::View;
    search.orders = order == "auto";
    search.reorderings = reorder == "auto";
    if (!search.orders && !core::parseOrder(order.getValue()))
      return optionError("order", core::orderNames().text("auto"), order);
    if (!search.reorderings && !core::parseReorder(reorder.getValue()))
      return optionError("reorder", core::reorderNames().text("auto"), reorder);
    StringRef most = hubs.getValue();
    if (most == "default")
      most = search.reorderings && !keepViews ? "auto" : "none";
    auto parsed = parseArrangement(
        search.orders ? StringRef("rows") : order.getValue(), panel,
        search.reorderings ? StringRef("none") : reorder.getValue(), most);
    if (!parsed)
      return parsed.error();
    if (keepViews && parsed->order != core::OrderKind::Rows)
      return optionError("order", "rows for storage=view", order);
    if (keepViews && !parsed->isPlain())
      return optionError("storage", "packed for numbers that change", storage);
    arrangement = *parsed;
    search.assumedColumns = columns;
    search.gpu = forGPU;
    // What a graph is to be cut by is not ignored.
    search.whole = wholeRows && leaf == 0 && min == core::rules::kLeastSplit;
    return allOf({checkAtLeast("leaf", 0, leaf), checkAtLeast("min", 1, min),
                  checkAtLeast("workers", 1, workers),
                  checkAtLeast("columns", 1, columns),
                  checkAtLeast("expected-runs", 0, expectedRuns),
                  checkAtLeast("search-runs", 1, searchRuns)});
  }

  void runOnOperation() override {
    SmallVector<PackOp> views;
    SmallVector<Operation *> steps;
    getOperation()->walk([&](Operation *op) {
      if (isa<PartitionOp, RefineOp, FuseOp>(op))
        steps.push_back(op);
      else if (auto pack = dyn_cast<PackOp>(op); pack && !pack.getGraph())
        views.push_back(pack);
    });
    for (Operation *step : steps)
      if (failed(evaluateIfKnown(step, getArgument())))
        return signalPassFailure();
    written.emplace(getOperation());
    for (PackOp view : views)
      if (keepViews)
        reportIgnoredProfile(view, "kept",
                             "the argument's profile says nothing for "
                             "storage=view; storage=packed partitions by it");
      else if (failed(partition(view)))
        return signalPassFailure();
  }

  LogicalResult partition(PackOp pack);
  void reportIgnoredProfile(PackOp pack, StringRef name, StringRef why);
  FailureOr<bool> pays(PackOp pack, ProfileAttr known, bool transposed);
  LogicalResult checkFits(PackOp pack, ProfileAttr known);
  SearchAttr searchOf(PackOp pack) const;

  core::Arrangement arrangement;
  ArrangementSearch search;
  std::optional<WrittenValues> written;
  bool keepViews = false;
};
} // namespace

/// Whoever attached a profile expects that it is used.
void PartitionPass::reportIgnoredProfile(PackOp pack, StringRef name,
                                         StringRef why) {
  if (attachedProfile(pack.getTensor()))
    remark::missed(pack.getLoc(), remarkOf(pack, getArgument(), name))
        << remark::reason("{0}", why);
}

static ArrayRef<int64_t> shapeOf(PackOp pack) {
  return cast<RankedTensorType>(pack.getTensor().getType()).getShape();
}

LogicalResult PartitionPass::checkFits(PackOp pack, ProfileAttr known) {
  auto type = cast<RankedTensorType>(pack.getTensor().getType());
  auto fits = checkExtents(type.getShape(), known.getSpace().getShape());
  if (fits)
    fits = checkOrder(known, toAttr(arrangement.order), panel);
  if (!fits)
    return pack.emitOpError("has a known profile that does not fit: ")
           << fits.message();
  return success();
}

/// How often the loops around `pack` run it, as far as their bounds are known
/// and the tensor comes from outside of them: its inspector will leave them.
static int64_t tripsAround(PackOp pack) {
  constexpr int64_t kMost = int64_t(1) << 30;
  Value tensor = pack.getTensor();
  if (auto named = tensor.getDefiningOp<sparse_tensor::ReinterpretMapOp>())
    tensor = named.getSource();
  int64_t trips = 1;
  for (auto loop = pack->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    if (!loop.isDefinedOutsideOfLoop(tensor))
      break;
    if (std::optional<llvm::APInt> count = loop.getStaticTripCount())
      trips = std::min(
          kMost, trips * std::clamp<int64_t>(count->getLimitedValue(kMost), 1,
                                             kMost / trips));
  }
  return trips;
}

/// So many runs, each as often as the loops around `pack` say.
static int64_t runsOf(PackOp pack, int64_t runs) {
  const int64_t trips = tripsAround(pack);
  return std::min(runs, std::numeric_limits<int64_t>::max() / trips) * trips;
}

/// Views exist of these only.
static bool hasView(PackOp pack) {
  return CompressedMatrix::of(pack.getTensor().getType()) &&
         !pack.getTensor().getDefiningOp<sparse_tensor::ReinterpretMapOp>();
}

/// Whether the expected runs pay for packing; true where nobody says how many
/// there are, and for tensors of other ranks than two, which nothing predicts.
FailureOr<bool> PartitionPass::pays(PackOp pack, ProfileAttr known,
                                    bool transposed) {
  if (expectedRuns == 0 || !hasView(pack) || isAloneAsStored(pack))
    return true;
  const int64_t runs = runsOf(pack, expectedRuns);
  core::PartitionOptions options;
  options.leaf = leaf;
  options.workers = workers;
  auto verdict = predictRepartition(pack, known, transposed, core::Machine(),
                                    columns, options, runs);
  if (!verdict)
    return pack.emitOpError(verdict.message());
  auto nanoseconds = [](double seconds) {
    return int64_t(std::min(seconds * 1e9, 0x1p62));
  };
  const int64_t even = verdict->breakEven();
  remark::RemarkOpts named = remarkOf(pack, getArgument(), "repartition");
  auto print = [&](remark::detail::InFlightRemark out) {
    out << remark::metric("view-ns", nanoseconds(verdict->viewSeconds))
        << remark::metric("packed-ns", nanoseconds(verdict->packedSeconds))
        << remark::metric("set-up-ns", nanoseconds(verdict->setUpSeconds))
        << remark::metric("break-even", even ? std::to_string(even) : "never")
        << remark::metric("pattern", known ? "profiled" : "nominal")
        << remark::metric("expected-runs", runs)
        << remark::metric("trips", tripsAround(pack));
  };
  if (verdict->pays)
    print(remark::passed(pack.getLoc(), named));
  else
    print(remark::missed(pack.getLoc(), named));
  return verdict->pays;
}

/// Why the matrix is best read where it is stored, whatever packing costs;
/// empty where it is not.
static std::string whyStored(PackOp pack, const PackedRows &rows,
                             const WrittenValues &written) {
  if (llvm::any_of(pack->getUsers(),
                   [](Operation *user) { return isa<FusedOp>(user); }))
    return "a chain over it is one kernel, which reads the matrix where it is "
           "stored";
  if (hasView(pack) && written.mayHold(pack.getTensor()))
    return (kWrittenValuesText + ", which packed ones do not see").str();
  return rows.whyStored;
}

/// What the arrangement is chosen for at run time; null where nothing is.
SearchAttr PartitionPass::searchOf(PackOp pack) const {
  ArrangementSearch here = search;
  for (PackOp one : packsOfTensor(pack))
    here.runs = std::max(here.runs,
                         runsOf(one, expectedRuns ? expectedRuns : searchRuns));
  return searchedProducts(pack, here);
}

LogicalResult PartitionPass::partition(PackOp pack) {
  const PackedRows rows = choosePackedRows(pack);
  if (std::string why = whyStored(pack, rows, *written); !why.empty()) {
    remark::missed(pack.getLoc(), remarkOf(pack, getArgument(), "kept"))
        << remark::reason("{0}", why);
    ++numKept;
    return success();
  }
  if (!isUsedByOursOnly(pack)) {
    remark::missed(pack.getLoc(), remarkOf(pack, getArgument(), "kept"))
        << remark::reason("the pattern leaves the function");
    ++numKept;
    return success();
  }
  OpBuilder b(pack);
  Location loc = pack.getLoc();
  ArrayRef<int64_t> shape = shapeOf(pack);
  ProfileAttr known = attachedProfile(pack.getTensor());
  if (known && failed(checkFits(pack, known)))
    return failure();
  FailureOr<bool> worthIt = pays(pack, known, rows.transposed);
  if (failed(worthIt))
    return failure();
  if (!*worthIt) {
    ++numKept;
    return success();
  }
  if (rows.transposed) {
    reportIgnoredProfile(pack, "profile-ignored",
                         "the argument's profile is not that of its "
                         "transpose, which is packed");
    known = {};
    transposePattern(pack);
    shape = shapeOf(pack);
  }

  // Only matrices are renumbered.
  core::Arrangement chosen = arrangement;
  const SearchAttr searched = known ? SearchAttr() : searchOf(pack);
  if (shape.size() != 2 || (search.reorderings && !searched)) {
    chosen.reorder = core::ReorderKind::None;
    chosen.hubs = core::kNoHubs;
  }
  auto profile = ProfileOp::create(
      b, loc, ProfileType::get(b.getContext(), shape), pack.getTensor(),
      toAttr(chosen.order), panel, toAttr(chosen.reorder), chosen.hubs, min,
      known, searched);
  auto graph = PartitionOp::create(
      b, loc, GraphType::get(b.getContext(), shape), profile, leaf, workers);
  pack.getGraphMutable().assign(graph);
  core::Layout layout;
  pack.getResult().setType(
      BlockedType::get(b.getContext(), shape, toAttr(b.getContext(), layout)));
  remark::passed(loc, remarkOf(pack, getArgument(), "partitioned"))
      << "packs by a graph"
      << remark::metric("order", searched ? "chosen at run time"
                                          : core::arrangementName(chosen));
  ++numPartitioned;
  if (failed(evaluateIfKnown(graph, getArgument())))
    return failure();
  if (profile->use_empty())
    profile->erase();
  return success();
}

} // namespace astfe
