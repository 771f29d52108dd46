//===- ChainEmitter.h - the device code of a chain --------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ChainRows.cpp walks rows, ChainCut.cpp pieces of long ones, ChainEmitter.cpp
// their nonzeros, ChainBody.cpp evaluates bodies.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINEMITTER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINEMITTER_H

#include "ChainKernel.h"
#include "Emitter.h"
#include "RowPieces.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace astfe::gpukernel {

/// Lanes that share a nonzero of a sample, and nonzeros in flight.
constexpr int64_t kSharing = core::rules::kSampleLanes;
constexpr int64_t kTogether = kLanes / kSharing;

class ChainEmitter {
public:
  ChainEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const ChainKernelPlan &plan, ChainPart part);

  void bind(llvm::ArrayRef<ChainArgument> arguments, mlir::ValueRange values);
  void emit();

private:
  using Value = mlir::Value;
  /// What a body reads: the value of an input.
  using ReadInput = llvm::function_ref<Value(unsigned)>;
  using Steps = llvm::ArrayRef<const ChainStep *>;

  // Bodies (ChainBody.cpp).
  /// `value` of the step's body, with what `read` gives; in the sweep that
  /// makes it without its scale.
  Value evaluate(const ChainStep &step, Value value, ReadInput read);
  Value evaluate(const ChainStep &step, Value value, ReadInput read,
                 mlir::IRMapping &known);
  Value cloneInner(const ChainStep &step, mlir::OpResult value, ReadInput read,
                   mlir::IRMapping &known);
  /// A half as a body computes with it that widens them; all else as it is.
  Value asComputed(Value value, bool widens);
  /// Copies an op of a body on what is known, which its results become.
  void cloneComputed(mlir::Operation &inner, mlir::IRMapping &known,
                     bool widens);
  /// The reference of an exponential, or the divisor of a division, for values
  /// of the key.
  Value ofKeys(mlir::Operation *inner, Value value,
               llvm::function_ref<Value(Value)> key);
  Value exponential(Value difference);
  /// Changes elements of the key; of a row those from column `at` on.
  void applyEpilogue(mlir::linalg::GenericOp op, Value at, Values &elements);
  void moveReference(const ChainStep &maximum, Value before, Value now);

  // Operands.
  /// Where the element of an input's row begins that the nonzero names.
  Value rowStart(const ChainStep &step, unsigned input, Value column);
  bool isOfKey(const OperandPlan &operand) const;
  Value pitchOf(Value origin);
  /// Index: where element, or row, `at` of an operand begins.
  Value placeOf(Value origin, Value at);
  Value loadScalar(const ChainStep &step, unsigned input, Value slot,
                   Value column);
  Value loadVector(Value buffer, Value at, unsigned size);
  /// This lane's columns from `at` on of an operand with one for each.
  Value loadColumns(Value origin, Value at);
  /// Element `u` of what loadVector() has loaded.
  Value elementOf(Value loaded, unsigned u);
  bool isDense(const ChainStep &step, unsigned input) const;
  mlir::AffineMap mapOf(const ChainStep &step, unsigned input) const;

  // Nonzeros.
  Value valueOf(const ChainStep &step);
  Value readSlot(const ChainStep &step, unsigned input);
  Value sample(const ChainStep &step);
  /// Rows of dense operands, by input: none, one, or one for each nonzero.
  struct SampleRows {
    llvm::SmallVector<Values> starts; ///< index
    Value extent;                     ///< index
  };
  SampleRows rowsOfSample(const ChainStep &step, llvm::ArrayRef<Value> columns);
  llvm::SmallVector<Values> loadSampleRows(const ChainStep &step,
                                           const SampleRows &rows, Value at,
                                           unsigned vector);
  int64_t sampledExtent(const ChainStep &step);
  int64_t sampleSteps(const ChainStep &step);
  int64_t roundsTogether(const ChainStep &step);
  Values sampleSums(const ChainStep &step, llvm::ArrayRef<Value> columns,
                    llvm::function_ref<Value(unsigned, unsigned)> shuffled);
  Value across(Value value, int64_t from, int64_t to,
               mlir::arith::AtomicRMWKind kind);
  Value roundsOf(Value count);
  Value identity(const ChainStep &step);
  Value combine(const ChainStep &step, Value a, Value c);
  Values rescaled(const ChainStep &step, Values sums);
  Values reduce(const ChainStep &step, Values sums);
  Values multiply(const ChainStep &step, Values sums);
  void storeSlot(const ChainStep &step);

  // Rows.
  bool isRunning(const ChainStep &step) const;
  Values openStep(const ChainStep &step);
  std::pair<Value, Value> boundsOfRow();
  void overTiles(llvm::function_ref<void()> run);
  void emitRow(Value row);
  void emitSweeps(unsigned first);
  Values emitChunk(unsigned sweep, Value begin, Values sums);
  Value completed(const ChainStep &step, Value sum, Value divisor);
  Value overLanes(const ChainStep &step, Value sum);
  void closeReduction(const ChainStep &step, Value sum);
  void closeProduct(const ChainStep &step, const Values &sums);
  void close(Steps steps, const Values &sums);
  Value asStored(Value value, Value buffer);
  void storeScalar(Value value, Value buffer, Value at);
  void storeVector(mlir::ArrayRef<Value> sums, Value buffer, Value at);
  Value widened(Value value);
  llvm::SmallVector<const ChainStep *> stepsOf(unsigned sweep) const;
  unsigned sumsOf(const ChainStep &step) const;
  Values identities(Steps steps);
  /// Those of each step that reduces.
  void forEachSum(
      Steps steps, const Values &sums,
      llvm::function_ref<void(const ChainStep &, const Values &)> run) const;
  Value columnAt(unsigned vector);
  /// The same, or 0 where there is none.
  Value loadedColumn(const ChainStep &step, unsigned vector);

  // Rows that are cut (ChainCut.cpp).
  Value partialsOf(Value first);
  Value partialAt(Value number);
  Value partialOffset(const ChainStep &step);
  Value keyOffset(const ChainStep &step);
  void storePartials(Steps steps, const Values &sums);
  void loadKeys(Value rowBegin);
  Values rowOfPiece(Value worker, Value isTail);
  void emitPieces(Value worker);
  Values addPartials(Steps steps, Value at, const Values &sums);
  Values loadPartials(const ChainStep &step, Value at);
  void combineRow(Value worker, Value rowBegin, Value rowEnd);
  void emitCombine(Value worker);

  Emitter e;
  mlir::ImplicitLocOpBuilder &b;
  const ChainKernelPlan &plan;
  const ChainPart part;
  llvm::DenseMap<Value, Value> buffers; ///< of the chain's arguments; scalars
  llvm::DenseMap<Value, Value> pitches; ///< last extents; index
  llvm::DenseMap<Value, Value> offsets; ///< of strided ones; index
  llvm::DenseMap<Value, Value> strides; ///< of strided ones; index
  Value head; ///< i32: of the block; null where there is one
  llvm::DenseMap<Value, Value> headRows; ///< second extents; i32
  Value partialRows;   ///< i32: of a head; null where there is one
  Value workers, rows; ///< i32
  Value group, within; ///< i32: lane / 8, lane % 8
  Value own;           ///< i32: this lane's nonzero of 32
  Value firstColumn;   ///< index: of the tile

  // Where rows are cut.
  Value partials;                  ///< what pieces have reduced
  Value least, piece;              ///< i32: nonzeros of such a row, of a piece
  std::optional<RowPieces> pieces; ///< of which the worker has one
  Value isPiece; ///< i1: the row is a part of one; null: never

  // The row, or a piece of one.
  Value row, begin;                  ///< index
  Value length;                      ///< i32
  llvm::DenseMap<Value, Value> keys; ///< complete values of the key, by origin

  // 32 nonzeros.
  unsigned sweep = 0;
  Value count;  ///< i32: of them there are
  Value valid;  ///< i1: this lane has one
  Value slot;   ///< index: of this lane's, or of the last one
  Value column; ///< i32: the same
  llvm::DenseMap<Value, Value> made; ///< values of this lane's, by origin
  struct Reference {
    Value now;    ///< what exponentials subtract
    Value factor; ///< what sums are multiplied by
  };
  llvm::DenseMap<mlir::Operation *, Reference> references;
  /// r(m), at the end of the row.
  llvm::DenseMap<mlir::Operation *, Value> lastReferences;
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINEMITTER_H
