//===- ASTFEVerify.cpp - verifiers of ops up to values and unpack ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels such as pack_c3 are those of the op descriptions; test/Dialect has an
// invalid module of that name for each.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Dialect/CoreValues.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static LogicalResult expectShape(Operation *op, StringRef what,
                                 ArrayRef<int64_t> expected,
                                 ArrayRef<int64_t> got) {
  if (succeeded(verifyCompatibleShape(expected, got)))
    return success();
  return op->emitOpError("expected a ")
         << what << " of shape " << core::shapeText(expected) << " but got "
         << core::shapeText(got);
}

static LogicalResult expectSparse(Operation *op, Type type) {
  if (sparse_tensor::getSparseTensorEncoding(type))
    return success();
  return op->emitOpError("expected a tensor with a sparse encoding but got ")
         << type;
}

static LogicalResult expectAtLeast(Operation *op, StringRef what, int64_t least,
                                   int64_t got) {
  if (got >= least)
    return success();
  return op->emitOpError("expected ")
         << what << " of at least " << least << " but got " << got;
}

static LogicalResult expectThreshold(Operation *op,
                                     std::optional<APFloat> threshold) {
  if (!threshold)
    return success();
  double tau = threshold->convertToDouble();
  if (tau > 0.5 && tau < 1)
    return success();
  return op->emitOpError("expected a threshold between 0.5 and 1 but got ")
         << tau;
}

static ArrayRef<int64_t> shapeOf(Type type) {
  return cast<ShapedType>(type).getShape();
}

//===----------------------------------------------------------------------===//
// From a tensor to a graph
//===----------------------------------------------------------------------===//

/// A known profile is of this tensor's space and along the op's order.
static LogicalResult checkKnown(ProfileOp op, ProfileAttr known) {
  // profile_c5
  if (failed(expectShape(op, "known profile",
                         op.getResult().getType().getShape(),
                         known.getSpace().getShape())))
    return failure();
  // profile_c6
  auto fits = checkOrder(known, op.getOrder(), op.getPanel());
  if (!fits)
    return op.emitOpError("has a known profile that does not fit: ")
           << fits.message();
  return success();
}

static LogicalResult checkSearch(ProfileOp op, SearchAttr search) {
  // profile_c9
  if (op.getKnown())
    return op.emitOpError("expected no search of a profile that is known");
  // profile_c8
  if (size_t rank = op.getResult().getType().getShape().size(); rank != 2)
    return op.emitOpError("expected a matrix to search an order for but got "
                          "rank ")
           << rank;
  // profile_c10
  if (search.getOrders() && op.getOrder() != Order::Rows)
    return op.emitOpError("expected the order rows to compare others with but "
                          "got ")
           << stringifyOrder(op.getOrder());
  // profile_c11
  if (search.getReorderings() && op.getReorder() != Reorder::None)
    return op.emitOpError("expected no reordering to compare others with but "
                          "got ")
           << stringifyReorder(op.getReorder());
  return success();
}

LogicalResult ProfileOp::verify() {
  // profile_c1, profile_c2, profile_c3
  if (failed(expectSparse(*this, getTensor().getType())) ||
      failed(expectShape(*this, "result", shapeOf(getTensor().getType()),
                         getResult().getType().getShape())) ||
      failed(expectAtLeast(*this, "min", 1, getMin())))
    return failure();
  // profile_c4
  if (int64_t(getPanel()) < 0 || int64_t(getPanel()) > 62)
    return emitOpError("expected a panel in 0..62 but got ")
           << int64_t(getPanel());
  // profile_c7
  if (failed(expectAtLeast(*this, "hubs", -1, getHubs())))
    return failure();
  // profile_c8
  bool isPlain = getReorder() == Reorder::None && getHubs() == 0;
  if (size_t rank = getResult().getType().getShape().size();
      !isPlain && rank != 2)
    return emitOpError("expected a matrix to reorder but got rank ") << rank;
  if (SearchAttr search = getSearchAttr();
      search && failed(checkSearch(*this, search)))
    return failure();
  std::optional<ProfileAttr> known = getKnown();
  return known ? checkKnown(*this, *known) : success();
}

LogicalResult PartitionOp::verify() {
  // partition_c1, partition_c2, partition_c3
  return failure(
      failed(expectAtLeast(*this, "leaf", 0, getLeaf())) ||
      failed(expectAtLeast(*this, "workers", 1, getWorkers())) ||
      failed(expectShape(*this, "result", getProfile().getType().getShape(),
                         getResult().getType().getShape())));
}

/// What refinements and fusions are both told.
template <typename Op>
static LogicalResult verifyStep(Op op) {
  // refine_c1 to refine_c4, fuse_c1 to fuse_c4
  return failure(
      failed(expectShape(op, "profile", op.getGraph().getType().getShape(),
                         op.getProfile().getType().getShape())) ||
      failed(expectThreshold(op, op.getThreshold())) ||
      failed(expectAtLeast(op, "workers", 1, op.getWorkers())) ||
      failed(expectAtLeast(op, "waves", 1, op.getWaves())));
}

LogicalResult RefineOp::verify() {
  // refine_c5, refine_c6
  return failure(failed(verifyStep(*this)) ||
                 failed(expectAtLeast(*this, "min", 1, getMin())) ||
                 failed(expectAtLeast(*this, "steps", -1, getSteps())));
}

LogicalResult FuseOp::verify() {
  // fuse_c5 to fuse_c7
  return failure(
      failed(verifyStep(*this)) ||
      failed(expectAtLeast(*this, "cache", 1, getCache())) ||
      failed(expectAtLeast(*this, "columns", 1, getColumns())) ||
      failed(expectAtLeast(*this, "element_bytes", 1, getElementBytes())));
}

LogicalResult GraphOp::verify() {
  // graph_c1
  return expectShape(*this, "graph", getResult().getType().getShape(),
                     getValue().getSpace().getShape());
}

//===----------------------------------------------------------------------===//
// Patterns and values
//===----------------------------------------------------------------------===//

/// The order of the graph where it is in sight, and not chosen at run time.
static std::optional<Order> orderOf(Value graph) {
  // In a graph region a value may define itself.
  SmallPtrSet<Operation *, 4> seen;
  for (Operation *op = graph.getDefiningOp(); op && seen.insert(op).second;
       op = graph.getDefiningOp()) {
    if (auto constant = dyn_cast<GraphOp>(op))
      return constant.getValue().getSpace().getParts().front().getOrder();
    if (auto refine = dyn_cast<RefineOp>(op)) {
      graph = refine.getGraph();
    } else if (auto fuse = dyn_cast<FuseOp>(op)) {
      graph = fuse.getGraph();
    } else {
      auto partition = dyn_cast<PartitionOp>(op);
      auto profile = partition
                         ? partition.getProfile().getDefiningOp<ProfileOp>()
                         : nullptr;
      if (!profile || (profile.getSearch() && profile.getSearch()->getOrders()))
        return std::nullopt;
      return profile.getOrder();
    }
  }
  return std::nullopt;
}

LogicalResult ViewOp::verify() {
  // view_c1
  if (!getResult().getType().getLayout().isView())
    return emitOpError("expected the layout of a view but got ")
           << getResult().getType().getLayout();
  // view_c2
  if (size_t rank = getResult().getType().getShape().size(); rank != 2)
    return emitOpError("expected a pattern of rank 2 but got rank ") << rank;
  return success();
}

LogicalResult PackOp::verify() {
  // pack_c1, pack_c2
  if (failed(expectSparse(*this, getTensor().getType())) ||
      failed(expectShape(*this, "result", shapeOf(getTensor().getType()),
                         getResult().getType().getShape())))
    return failure();
  bool isView = getResult().getType().getLayout().isView();
  // pack_c6
  const bool isMatrix = getTensor().getType().getRank() == 2;
  const bool isHosts =
      getResult().getType().getLayout().getTarget() == PackTarget::Host;
  if (getUnlessStored() && (isView || !isMatrix || !isHosts))
    return emitOpError("expected a packed matrix of a host with unless_stored "
                       "but got ")
           << (isView      ? "a view"
               : !isMatrix ? "a tensor of another rank"
                           : "one of a GPU");
  if (!getGraph()) {
    // pack_c3
    if (!isView)
      return emitOpError("expected a graph for a packed layout but got none");
    return success();
  }
  // pack_c4
  if (failed(expectShape(*this, "graph", shapeOf(getTensor().getType()),
                         getGraph().getType().getShape())))
    return failure();
  // pack_c5
  std::optional<Order> order = orderOf(getGraph());
  if (isView && order && *order != Order::Rows)
    return emitOpError("expected the order rows for a view but got ")
           << stringifyOrder(*order);
  return success();
}

LogicalResult MatricizeOp::verify() {
  // matricize_c1
  if (failed(expectSparse(*this, getTensor().getType())))
    return failure();
  // matricize_c2
  const auto rank = int64_t(getTensor().getType().getShape().size());
  SmallVector<int64_t> modes(getRows());
  modes.push_back(int64_t(getColumn()));
  llvm::sort(modes);
  if (modes.size() < 2 || !llvm::equal(modes, llvm::seq<int64_t>(0, rank)))
    return emitOpError("expected rows and column to be the modes 0 to ")
           << rank - 1 << ", each once, but got rows [" << getRows()
           << "] and column " << getColumn();
  // matricize_c3
  const Type got = getResult().getType();
  if (failed(expectSparse(*this, got)) ||
      failed(expectShape(
          *this, "matrix",
          matrixShape(getTensor().getType(), getRows(), int64_t(getColumn())),
          shapeOf(got))))
    return failure();
  const Type expected = getElementTypeOrSelf(getTensor());
  if (expected != getElementTypeOrSelf(got))
    return emitOpError("expected a matrix of ")
           << expected << " but got " << getElementTypeOrSelf(got);
  return success();
}

static LogicalResult expectKey(Operation *op, BlockedType pattern,
                               int64_t key) {
  const size_t rank = pattern.getShape().size();
  const int64_t last = rank == 2 ? 0 : int64_t(rank) - 1;
  if (key < 0 || key > last)
    return op->emitOpError("expected a key in 0..")
           << last << " but got " << key;
  return success();
}

static LogicalResult expectValuesOf(Operation *op, Type expected, Type values) {
  const Type got = getElementTypeOrSelf(values);
  if (expected != got)
    return op->emitOpError("expected values of type ")
           << expected << " but got " << got;
  return success();
}

/// What values and unpack share: `values` holds the elements of `tensor`.
static LogicalResult checkValues(Operation *op, Type tensor,
                                 BlockedType pattern, Type values,
                                 int64_t key) {
  if (failed(expectSparse(op, tensor)) ||
      failed(expectShape(op, "pattern", shapeOf(tensor), pattern.getShape())))
    return failure();
  if (failed(expectValuesOf(op, getElementTypeOrSelf(tensor), values)))
    return failure();
  return expectKey(op, pattern, key);
}

LogicalResult ValuesOp::verify() {
  // values_c1 to values_c4
  return checkValues(*this, getTensor().getType(), getPattern().getType(),
                     getResult().getType(), int64_t(getKey()));
}

LogicalResult UnpackOp::verify() {
  // unpack_c1 to unpack_c4
  return checkValues(*this, getTensor().getType(), getPattern().getType(),
                     getValues().getType(), int64_t(getKey()));
}

LogicalResult UnpackValuesOp::verify() {
  // unpack_values_c1
  if (failed(expectValuesOf(*this, getElementTypeOrSelf(getValues()),
                            getResult().getType())))
    return failure();
  // unpack_values_c2
  if (failed(expectKey(*this, getPattern().getType(), int64_t(getKey()))))
    return failure();
  // unpack_values_c3
  if (!getResult().getType().isDynamicDim(0))
    return emitOpError("expected a result of any length, as the pattern "
                       "decides it, but got ")
           << getResult().getType();
  return success();
}
