//===- TurnedOperands.cpp - copies whose columns lie side by side ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TurnedOperands.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Runtime/ABI.h"
#include "PackedLoops.h"
#include "TurnedInput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Elements of as many bytes in memory as they have bits.
static bool hasWholeBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return element.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u, 64u},
                            element.getIntOrFloatBitWidth());
}

/// Where the columns are in an input in which they do not lie side by side.
/// Parts of a view load what rows of its storage name once, in order, and such
/// inputs stay; segments load a row's own for each of its nonzeros.
static std::optional<unsigned>
turnedPlace(ComputeOp op, const ComputePlan &plan, unsigned input) {
  const AffineMap map = op.getMapArray()[input];
  auto place =
      map.getResultPosition(getAffineDimExpr(plan.laneDim, map.getContext()));
  if (!place || *place + 1 == map.getNumResults() ||
      !hasWholeBytes(getElementTypeOrSelf(op.getInputs()[input].getType())))
    return std::nullopt;
  if (plan.walk == Walk::Parts &&
      llvm::none_of(plan.walked,
                    [&](unsigned mode) { return map.isFunctionOfDim(mode); }))
    return std::nullopt;
  return *place;
}

/// The input with an element for each nonzero.
static std::optional<unsigned> storedInput(ComputeOp op) {
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    AffineMap map = op.getMapArray()[i];
    if (map.getNumResults() == 1 && map.getDimPosition(0) == 0)
      return i;
  }
  return std::nullopt;
}

bool host::mayTurn(ComputeOp op, const ComputePlan &plan) {
  return plan.lanes == Lanes::Dense && storedInput(op) &&
         llvm::any_of(
             llvm::seq<unsigned>(0, op.getInputs().size()),
             [&](unsigned i) { return turnedPlace(op, plan, i).has_value(); });
}

namespace {
/// The inputs that are copied, together.
struct TurnedInputs {
  SmallVector<std::pair<unsigned, TurnedInput>> inputs;
  SmallVector<Value> first; ///< bytes before each one's copy
  Value bytes, rows;        ///< of all copies

  TurnedInputs(ImplicitLocOpBuilder &b, ComputeOp op, const ComputePlan &plan,
               ArrayRef<Value> buffers);
};
} // namespace

TurnedInputs::TurnedInputs(ImplicitLocOpBuilder &b, ComputeOp op,
                           const ComputePlan &plan, ArrayRef<Value> buffers) {
  bytes = rows = arith::ConstantIndexOp::create(b, 0);
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    std::optional<unsigned> place = turnedPlace(op, plan, unsigned(i));
    if (!place)
      continue;
    TurnedInput input(b, buffer, op.getMapArray()[i], *place);
    first.push_back(bytes);
    bytes = b.createOrFold<arith::AddIOp>(bytes, input.bytes());
    rows = b.createOrFold<arith::AddIOp>(rows, input.rows());
    inputs.emplace_back(unsigned(i), input);
  }
}

/// The coordinates along which nonzeros of a matrix lie anywhere; none of
/// tensors.
static std::optional<StoredColumns> columnsOf(ImplicitLocOpBuilder &b,
                                              ComputeOp op) {
  if (op.getPatternRank() != 2)
    return std::nullopt;
  if (auto view = op.getPattern().getDefiningOp<ViewOp>())
    return StoredColumns{view.getCoordinates(), {}, {}};
  LayoutAttr layout = op.getPattern().getType().getLayout();
  if (layout.isView())
    return std::nullopt;
  return StoredColumns{packedTable(b, handleOf(b, op.getPattern()),
                                   ASTFE_COLUMNS, layout.getColumns()),
                       {},
                       {}};
}

/// i1: rows of the copies that nonzeros next to each other ask for are not in
/// the second cache together.
static Value areFar(ImplicitLocOpBuilder &b, const StoredColumns &columns,
                    Value count, const TurnedInputs &turned) {
  Value reach = arith::MulIOp::create(
      b, sampledRanges(b, columns, count),
      arith::DivUIOp::create(b, turned.bytes, turned.rows));
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ugt, reach,
      arith::ConstantIndexOp::create(b, core::rules::kFarSamples *
                                            core::rules::kCacheBytes[1]));
}

/// i1: a tensor's bricks do not part the coordinates that index the inputs, as
/// they would in a mesh: a coordinate is in several, and so are the lines that
/// it names. All inputs that one mode and the columns index have to be so;
/// others are taken to be far.
static Value areFarInBricks(ImplicitLocOpBuilder &b, ComputeOp op,
                            const TurnedInputs &turned) {
  Value handle = handleOf(b, op.getPattern());
  auto times = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(b, value,
                                 arith::ConstantIndexOp::create(b, factor));
  };
  Value far = arith::ConstantIntOp::create(b, 1, 1);
  for (const auto &[i, input] : turned.inputs) {
    const AffineMap map = op.getMapArray()[i];
    // The columns are first, as they are not last.
    if (map.getNumResults() != 2 || map.getDimPosition(1) > op.getPatternRank())
      continue;
    Value mode = integer(b, map.getDimPosition(1) - 1);
    Value reach = arith::IndexCastOp::create(
        b, b.getIndexType(),
        callRuntime(b, "astfe_rt_brick_reach", b.getI64Type(), {handle, mode})
            .getResult(0));
    Value isInSeveral = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ugt, times(reach, 2), times(input.rows(), 3));
    far = arith::AndIOp::create(b, far, isInSeveral);
  }
  return far;
}

/// i1: the copies take less time than they save. Elements that lie apart are a
/// load each, and a line each where rows are far. Where they are not, as in
/// meshes, the next nonzeros are in the same lines.
static Value doPay(ImplicitLocOpBuilder &b, ComputeOp op, Value uses,
                   const TurnedInputs &turned) {
  auto reaches = [&](Value a, Value c) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, a, c);
  };
  auto both = [&](Value a, Value c) -> Value {
    return arith::AndIOp::create(b, a, c);
  };
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value areMany =
      reaches(uses, arith::MulIOp::create(b, turned.rows,
                                          index(core::rules::kTurnedUses)));
  Value mayBeFar =
      both(reaches(uses, turned.rows),
           reaches(turned.bytes, index(core::rules::kCacheBytes[1])));
  // Before there is a region, which is in no module yet.
  std::optional<StoredColumns> columns = columnsOf(b, op);
  if (!columns)
    return arith::OrIOp::create(b, areMany,
                                both(mayBeFar, areFarInBricks(b, op, turned)));
  // A pattern that could not be made has no table.
  Value count = memref::DimOp::create(b, columns->array, index(0));
  Value looks =
      both(both(mayBeFar, notOf(b, areMany)), reaches(count, index(1)));
  auto sample = scf::IfOp::create(
      b, looks,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, areFar(b, *columns, count, turned));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, areMany); });
  return sample.getResult(0);
}

/// How often rows of a copy are read, all together: by each nonzero, for each
/// point of the dense dimensions of inputs other than the lanes'.
static Value countUses(ImplicitLocOpBuilder &b, ComputeOp op,
                       const ComputePlan &plan, ArrayRef<Value> inputs) {
  SmallVector<AffineMap> maps = op.getMapArray();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value uses =
      b.createOrFold<memref::DimOp>(inputs[*storedInput(op)], index(0));
  for (unsigned dim = 1 + op.getPatternRank(); dim < maps[0].getNumDims();
       ++dim)
    for (auto [i, input] : llvm::enumerate(inputs)) {
      auto place =
          maps[i].getResultPosition(getAffineDimExpr(dim, b.getContext()));
      if (dim == plan.laneDim || !place)
        continue;
      uses = arith::MulIOp::create(
          b, uses, b.createOrFold<memref::DimOp>(input, index(*place)));
      break;
    }
  return uses;
}

/// Memory for a call: the pattern's, or, of a view, which has none, fresh.
static Value borrow(ImplicitLocOpBuilder &b, ComputeOp op, Value bytes) {
  if (!op.getPattern().getType().getLayout().isView())
    return lendSpareBytes(b, handleOf(b, op.getPattern()), bytes);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  return memref::AllocOp::create(b, type, ValueRange{bytes},
                                 b.getI64IntegerAttr(core::rules::kLineBytes));
}

/// i1: there are bytes, and somewhere.
static Value isThere(ImplicitLocOpBuilder &b, Value memory) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto isSome = [&](Value number) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number, zero);
  };
  return arith::AndIOp::create(
      b, isSome(memref::DimOp::create(b, memory, zero)),
      isSome(memref::ExtractAlignedPointerAsIndexOp::create(b, memory)));
}

static void giveBack(ImplicitLocOpBuilder &b, ComputeOp op, Value memory) {
  if (op.getPattern().getType().getLayout().isView())
    memref::DeallocOp::create(b, memory);
  else
    takeBack(b, memory);
}

SmallVector<ComputeOp> host::makeTurned(ImplicitLocOpBuilder &b, ComputeOp op,
                                        const ComputePlan &plan,
                                        ArrayRef<Value> inputs,
                                        ArrayRef<Value> outputs, bool serial) {
  SmallVector<AffineMap> maps = op.getMapArray();
  TurnedInputs turned(b, op, plan, inputs);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value pays = doPay(b, op, countUses(b, op, plan, inputs), turned);
  Value memory =
      borrow(b, op, arith::SelectOp::create(b, pays, turned.bytes, zero));
  SmallVector<ComputeOp> made;
  auto onCopies = [&](OpBuilder &, Location) {
    SmallVector<Value> copies(inputs);
    SmallVector<AffineMap> copiedMaps(maps);
    for (auto [entry, first] : llvm::zip(turned.inputs, turned.first)) {
      auto &[i, input] = entry;
      copies[i] = input.copy(memory, first, serial);
      copiedMaps[i] = input.copiedMap();
    }
    made.push_back(remade(b, op, copies, outputs, copiedMaps));
    scf::YieldOp::create(b);
  };
  auto asTheyAre = [&](OpBuilder &, Location) {
    made.push_back(remade(b, op, inputs, outputs, maps));
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(b, isThere(b, memory), onCopies, asTheyAre);
  giveBack(b, op, memory);
  return made;
}
