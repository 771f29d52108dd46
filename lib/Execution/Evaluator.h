//===- Evaluator.h - one call of a function, interpreted ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_EVALUATOR_H
#define ASTFE_LIB_EXECUTION_EVALUATOR_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Execution/Interpreter.h"
#include "LoopNest.h"
#include "StoredValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <memory>

namespace astfe {

/// What an SSA value holds: at most one of the two. Neither where the value
/// only steers execution (profiles, graphs).
struct Cell {
  std::shared_ptr<DenseArray> dense;
  std::shared_ptr<SparseArray> sparse;
};

/// The value of a float or integer attribute.
double asDouble(mlir::Attribute attribute);

class Evaluator {
public:
  /// Of a function that the one is called by whose buffers are `stored`.
  explicit Evaluator(std::shared_ptr<StoredValues> stored)
      : stored(std::move(stored)) {}
  mlir::FailureOr<mlir::SmallVector<Cell>> call(mlir::func::FuncOp function,
                                                mlir::ArrayRef<Cell> arguments);

private:
  mlir::LogicalResult evaluate(mlir::Operation *op);
  mlir::LogicalResult evaluateCompute(ComputeOp op);
  /// Inputs and outputs, bound to the loops of `nest`.
  mlir::FailureOr<mlir::SmallVector<std::shared_ptr<DenseArray>>>
  bindCompute(ComputeOp op, const SparseArray &pattern, LoopNest &nest);
  mlir::LogicalResult evaluateFused(FusedOp op);
  mlir::LogicalResult evaluateLocal(LocalOp op);
  mlir::LogicalResult evaluateLinalg(mlir::linalg::LinalgOp op);
  mlir::SmallVector<unsigned> alikeInputs(mlir::linalg::LinalgOp op,
                                          unsigned i);
  mlir::SmallVector<unsigned> walkedInputs(mlir::linalg::LinalgOp op);
  std::shared_ptr<SparseArray> outputPattern(mlir::linalg::LinalgOp op,
                                             mlir::ArrayRef<unsigned> walked);
  mlir::FailureOr<mlir::SmallVector<std::shared_ptr<DenseArray>>>
  bindLinalg(mlir::linalg::LinalgOp op, mlir::ArrayRef<unsigned> walked,
             bool toEntries, LoopNest &nest);
  mlir::LogicalResult evaluateCall(mlir::func::CallOp op);
  mlir::LogicalResult evaluateConstant(mlir::arith::ConstantOp op);
  mlir::LogicalResult evaluateValues(ValuesOp op);
  mlir::LogicalResult evaluateStored(mlir::sparse_tensor::ToValuesOp op);
  mlir::LogicalResult evaluateUnpack(UnpackOp op);
  mlir::LogicalResult evaluateMatricize(MatricizeOp op);
  mlir::LogicalResult evaluateScalar(mlir::Operation *op);
  mlir::LogicalResult evaluateDim(mlir::Operation *op, mlir::Value source,
                                  mlir::Value index);
  mlir::LogicalResult allocate(mlir::Operation *op, mlir::ShapedType type,
                               mlir::ValueRange sizes);
  mlir::LogicalResult passThrough(mlir::Operation *op);
  /// The result is what the operand is, in memory of its own.
  mlir::LogicalResult copyThrough(mlir::Operation *op);

  // Loops, branches and slices (EvaluateControl.cpp).
  mlir::LogicalResult evaluateFor(mlir::scf::ForOp op);
  mlir::LogicalResult evaluateWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult evaluateIf(mlir::scf::IfOp op);
  mlir::LogicalResult evaluateSwitch(mlir::scf::IndexSwitchOp op);
  /// The block that is taken, whose terminator has the results of `op`.
  mlir::LogicalResult evaluateBranch(mlir::Operation *op, mlir::Block &taken);
  mlir::LogicalResult evaluateForall(mlir::scf::ForallOp op);
  mlir::LogicalResult evaluateForeach(mlir::sparse_tensor::ForeachOp op);
  mlir::LogicalResult evaluateExtractSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult evaluateInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult evaluateRead(mlir::Operation *op, mlir::Value from,
                                   mlir::ValueRange at);
  /// Into a tensor's copy, or a buffer.
  mlir::LogicalResult evaluateWrite(mlir::Operation *op, mlir::Value number,
                                    mlir::Value into, mlir::ValueRange at);
  /// Other shapes of a tensor (EvaluateShapes.cpp).
  mlir::LogicalResult reshape(mlir::Operation *op, mlir::Value from,
                              mlir::ArrayRef<int64_t> shape);
  mlir::LogicalResult evaluateCollapse(mlir::tensor::CollapseShapeOp op);
  mlir::LogicalResult evaluateExpand(mlir::tensor::ExpandShapeOp op);
  mlir::LogicalResult evaluatePad(mlir::tensor::PadOp op);
  mlir::LogicalResult
  evaluateConcatenate(mlir::sparse_tensor::ConcatenateOp op);
  mlir::LogicalResult evaluateBlock(mlir::Block &block);
  mlir::SmallVector<Cell> cellsOf(mlir::ValueRange values);
  void assign(mlir::ValueRange values, mlir::ArrayRef<Cell> from);
  /// Constants, and scalars that are known.
  mlir::FailureOr<mlir::SmallVector<int64_t>>
  integers(mlir::Operation *op, mlir::ArrayRef<mlir::OpFoldResult> values);
  mlir::LogicalResult forEachOfSlice(mlir::OffsetSizeAndStrideOpInterface op,
                                     const DenseArray &array,
                                     llvm::function_ref<void(size_t)> body);
  mlir::LogicalResult insertSlice(mlir::OffsetSizeAndStrideOpInterface op,
                                  mlir::Value source, DenseArray &into);

  std::shared_ptr<DenseArray> dense(mlir::Value value);
  std::shared_ptr<SparseArray> sparse(mlir::Value value);
  std::optional<Number> scalar(mlir::Value value);
  /// The array that an op writes for an output: a tensor's copy, or the buffer.
  std::shared_ptr<DenseArray> destination(mlir::Value value);

  llvm::DenseMap<mlir::Value, Cell> cells;
  std::shared_ptr<StoredValues> stored;
};

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_EVALUATOR_H
