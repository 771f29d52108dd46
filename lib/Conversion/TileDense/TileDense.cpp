//===- TileDense.cpp - dense products to loops over register tiles --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each block of rows, in parallel, and each tile of columns, rows in steps
// of a tile's height: the tile's sums are loaded, the depth is walked once, and
// they are stored. A panel of the right operand (depth x columns of a tile)
// stays in the second cache while the rows of a block pass by. What is left of
// columns is a masked vector, what is left of rows are tiles of one row.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/Passes.h"
#include "DenseContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <map>

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_TILEDENSEPASS
#include "ASTFE/Conversion/Passes.h.inc"

namespace {
/// Rows that a worker takes at a time: the left operand's fit the caches beside
/// a panel.
constexpr int64_t kBlockRows = 64;
/// Sums of a tile: enough chains to hide a multiply-add's latency, and
/// registers left for a row of the right operand.
constexpr int64_t kSums = 12;
constexpr int64_t kMostVectors = 4;

/// Rows times vectors of a tile.
struct TileShape {
  int64_t rows, vectors;
};

/// One tile at `row`, `column`; with a mask, of one vector.
class Tile {
public:
  Tile(ImplicitLocOpBuilder &b, DenseContraction &contraction,
       VectorType vectorType, bool contract, TileShape shape, Value row,
       Value column, Value mask)
      : b(b), c(contraction), vectorType(vectorType), contract(contract),
        shape(shape), row(row), column(column), mask(mask) {}

  void emit(Value depth);

private:
  bool dependsOn(Value value, unsigned loop) const;
  Value rowAt(int64_t r);
  Value columnAt(int64_t v);
  Value load(OpOperand &operand, int64_t r, int64_t v, Value depth);
  Value loadVector(Value buffer, ValueRange at);
  Value element(Value value, int64_t r, int64_t v, Value depth);
  Value asVector(Value value);

  ImplicitLocOpBuilder &b;
  DenseContraction &c;
  VectorType vectorType;
  const bool contract;
  const TileShape shape;
  Value row, column, mask;
  /// By value, row and vector. References into it stay.
  std::map<std::tuple<void *, int64_t, int64_t>, Value> made;
};
} // namespace

/// Whether a value of the body differs along a loop.
bool Tile::dependsOn(Value value, unsigned loop) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == c.op.getBlock())
    return c.mapOf(c.op->getOpOperand(argument.getArgNumber()))
        .isFunctionOfDim(loop);
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == c.op.getBlock() &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, loop); });
}

Value Tile::rowAt(int64_t r) {
  return b.createOrFold<arith::AddIOp>(row,
                                       arith::ConstantIndexOp::create(b, r));
}

Value Tile::columnAt(int64_t v) {
  return b.createOrFold<arith::AddIOp>(
      column,
      arith::ConstantIndexOp::create(b, v * vectorType.getNumElements()));
}

Value Tile::loadVector(Value buffer, ValueRange at) {
  if (!mask)
    return vector::LoadOp::create(b, vectorType, buffer, at);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  return vector::MaskedLoadOp::create(b, vectorType, buffer, at, mask, zero);
}

Value Tile::load(OpOperand &operand, int64_t r, int64_t v, Value depth) {
  AffineMap map = c.mapOf(operand);
  SmallVector<Value> at;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    const unsigned loop = map.getDimPosition(i);
    at.push_back(loop == c.row      ? rowAt(r)
                 : loop == c.column ? columnAt(v)
                                    : depth);
  }
  if (map.isFunctionOfDim(c.column))
    return loadVector(operand.get(), at);
  return memref::LoadOp::create(b, operand.get(), at);
}

Value Tile::asVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = vectorType.clone(value.getType());
  return vector::BroadcastOp::create(b, type, value);
}

/// A value of the body at a row and vector, made once where it is the same for
/// several.
Value Tile::element(Value value, int64_t r, int64_t v, Value depth) {
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  const bool isInside = argument ? argument.getOwner() == c.op.getBlock()
                                 : op->getBlock() == c.op.getBlock();
  if (!isInside)
    return value;
  const bool isVector = dependsOn(value, c.column);
  Value &known = made[{value.getAsOpaquePointer(),
                       dependsOn(value, c.row) ? r : 0, isVector ? v : 0}];
  if (known)
    return known;
  if (argument)
    return known =
               load(c.op->getOpOperand(argument.getArgNumber()), r, v, depth);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value at = element(operand, r, v, depth);
    mapping.map(operand, isVector ? asVector(at) : at);
  }
  Operation *clone = b.clone(*op, mapping);
  if (isVector)
    clone->getResult(0).setType(vectorType.clone(op->getResult(0).getType()));
  if (contract)
    allowContraction(clone);
  return known = clone->getResult(0);
}

void Tile::emit(Value depth) {
  OpOperand &output = *c.op.getDpsInitOperand(0);
  SmallVector<Value> sums;
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t v = 0; v < shape.vectors; ++v)
      sums.push_back(load(output, r, v, Value()));
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, zero, depth, one, sums,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        SmallVector<Value> next;
        for (int64_t r = 0; r < shape.rows; ++r)
          for (int64_t v = 0; v < shape.vectors; ++v) {
            Value term = asVector(element(c.contribution, r, v, k));
            auto sum = arith::AddFOp::create(b, carried[next.size()], term);
            if (contract)
              allowContraction(sum);
            next.push_back(sum);
          }
        scf::YieldOp::create(b, next);
      });
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t v = 0; v < shape.vectors; ++v) {
      Value sum = loop.getResult(unsigned(r * shape.vectors + v));
      SmallVector<Value> at{rowAt(r), columnAt(v)};
      if (mask)
        vector::MaskedStoreOp::create(b, output.get(), at, mask, sum);
      else
        vector::StoreOp::create(b, sum, output.get(), at);
    }
}

namespace {
/// All loops of one product.
class TiledLoops {
public:
  TiledLoops(ImplicitLocOpBuilder &b, DenseContraction contraction,
             int64_t vectorBytes, bool contract);
  void emit();

private:
  Value extent(unsigned loop);
  void forEach(Value from, Value to, int64_t step,
               function_ref<void(Value)> body);
  Value multipleBelow(Value from, Value to, int64_t step);
  void emitRows(Value first, Value last, Value column, int64_t vectors,
                Value mask);
  void emitBlock(Value first, Value last);

  ImplicitLocOpBuilder &b;
  DenseContraction c;
  VectorType vectorType;
  const bool contract;
  Value rows, columns, depth;
};
} // namespace

TiledLoops::TiledLoops(ImplicitLocOpBuilder &b, DenseContraction contraction,
                       int64_t vectorBytes, bool contract)
    : b(b), c(contraction), contract(contract) {
  Type element = getElementTypeOrSelf(c.op.getDpsInits().front().getType());
  vectorType = VectorType::get(
      {vectorBytes * 8 / int64_t(element.getIntOrFloatBitWidth())}, element);
  rows = extent(c.row);
  columns = extent(c.column);
  depth = extent(c.depth);
}

/// The extent of a loop, by the first operand that it indexes.
Value TiledLoops::extent(unsigned loop) {
  for (OpOperand &operand : c.op->getOpOperands()) {
    AffineMap map = c.mapOf(operand);
    for (unsigned r = 0; r < map.getNumResults(); ++r)
      if (map.getDimPosition(r) == loop)
        return b.createOrFold<memref::DimOp>(
            operand.get(), arith::ConstantIndexOp::create(b, r));
  }
  llvm_unreachable("a loop that no operand has");
}

void TiledLoops::forEach(Value from, Value to, int64_t step,
                         function_ref<void(Value)> body) {
  scf::ForOp::create(b, from, to, arith::ConstantIndexOp::create(b, step),
                     ValueRange(),
                     [&](OpBuilder &, Location, Value at, ValueRange) {
                       body(at);
                       scf::YieldOp::create(b);
                     });
}

/// The last of from, from + step, ... that is not above `to`.
Value TiledLoops::multipleBelow(Value from, Value to, int64_t step) {
  Value size = b.createOrFold<arith::SubIOp>(to, from);
  Value rest = b.createOrFold<arith::RemUIOp>(
      size, arith::ConstantIndexOp::create(b, step));
  return b.createOrFold<arith::SubIOp>(to, rest);
}

void TiledLoops::emitRows(Value first, Value last, Value column,
                          int64_t vectors, Value mask) {
  const int64_t height = std::max<int64_t>(1, kSums / vectors);
  Value whole = multipleBelow(first, last, height);
  auto tiles = [&](Value from, Value to, int64_t rowsOfTile) {
    forEach(from, to, rowsOfTile, [&](Value row) {
      Tile(b, c, vectorType, contract, {rowsOfTile, vectors}, row, column, mask)
          .emit(depth);
    });
  };
  tiles(first, whole, height);
  if (height > 1)
    tiles(whole, last, 1);
}

void TiledLoops::emitBlock(Value first, Value last) {
  const int64_t lanes = vectorType.getNumElements();
  std::optional<int64_t> known = getConstantIntValue(columns);
  // As many vectors as there are whole ones, where that is known.
  int64_t vectors = kMostVectors;
  while (known && vectors > 1 && *known < vectors * lanes)
    vectors /= 2;
  Value from = arith::ConstantIndexOp::create(b, 0);
  for (int64_t width : {vectors, int64_t(1)}) {
    Value to = multipleBelow(from, columns, width * lanes);
    forEach(from, to, width * lanes, [&](Value column) {
      emitRows(first, last, column, width, Value());
    });
    from = to;
    if (width == 1)
      break;
  }
  if (known && *known % lanes == 0)
    return;
  forEach(from, columns, lanes, [&](Value column) {
    Value left = b.createOrFold<arith::SubIOp>(columns, column);
    Value mask =
        vector::CreateMaskOp::create(b, vectorType.clone(b.getI1Type()), left);
    emitRows(first, last, column, 1, mask);
  });
}

void TiledLoops::emit() {
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1),
        step = arith::ConstantIndexOp::create(b, kBlockRows);
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(rows, step);
  scf::ParallelOp::create(
      b, ValueRange{zero}, ValueRange{blocks}, ValueRange{one},
      [&](OpBuilder &, Location, ValueRange at) {
        Value first = arith::MulIOp::create(b, at.front(), step);
        Value last = arith::MinUIOp::create(
            b, arith::AddIOp::create(b, first, step), rows);
        emitBlock(first, last);
      });
}

namespace {
struct TileDensePass : CheckedOptions<impl::TileDensePassBase<TileDensePass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    if (llvm::is_contained({16, 32, 64}, vectorBytes))
      return core::Success();
    return optionError("vector-bytes", "16, 32 or 64",
                       std::to_string(vectorBytes));
  }

  void runOnOperation() override {
    SmallVector<DenseContraction> found;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (auto contraction = DenseContraction::match(op))
        found.push_back(*contraction);
    });
    for (DenseContraction &contraction : found) {
      ImplicitLocOpBuilder b(contraction.op.getLoc(), contraction.op);
      TiledLoops(b, contraction, vectorBytes, fma).emit();
      remark::passed(contraction.op.getLoc(),
                     remarkOf(contraction.op, getArgument(), "tiled"))
          << "runs in tiles of rows and vectors, in parallel";
      contraction.op->erase();
      ++numTiled;
    }
  }
};
} // namespace
} // namespace astfe
