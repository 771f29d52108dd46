//===- EvaluateLoops.cpp - ops that are loops over arrays -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Evaluator.h"
#include "SparseInput.h"
#include <cmath>

using namespace mlir;
using namespace astfe;

double astfe::asDouble(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  IntegerAttr number = cast<IntegerAttr>(attribute);
  return number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                       : number.getValue().getSExtValue();
}

static FailureOr<SmallVector<ScalarFunction>> combinersOf(ComputeOp op) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  SmallVector<ScalarFunction> combiners;
  for (unsigned i = 0; i < op.getOutputs().size(); ++i) {
    std::optional<ScalarFunction> function =
        combiner(yield.getKind(i), yield.getValues()[i].getType());
    if (!function)
      return yield.emitOpError("expected a combiner the interpreter knows");
    combiners.push_back(*function);
  }
  return combiners;
}

/// Calls `body` at each iteration (n, i1..iD, dense...) of a pattern.
static void forEachNonzero(const LoopNest &nest, const SparseArray &pattern,
                           std::vector<int64_t> &index,
                           llvm::function_ref<void()> body) {
  unsigned rank = unsigned(pattern.shape.size());
  for (int64_t n = 0; n < nest.extent(0); ++n) {
    index[0] = n;
    for (unsigned k = 0; k < rank; ++k)
      index[1 + k] = pattern.coordinates[k][size_t(n)];
    nest.forEach(1 + rank, index, body);
  }
}

FailureOr<SmallVector<std::shared_ptr<DenseArray>>>
Evaluator::bindCompute(ComputeOp op, const SparseArray &pattern,
                       LoopNest &nest) {
  if (failed(nest.setExtent(0, int64_t(pattern.values.size()))))
    return failure();
  for (auto [k, extent] : llvm::enumerate(pattern.shape))
    if (failed(nest.setExtent(1 + k, extent)))
      return failure();
  SmallVector<std::shared_ptr<DenseArray>> arrays;
  for (Value input : op.getInputs())
    arrays.push_back(dense(input));
  for (Value output : op.getOutputs()) {
    arrays.push_back(destination(output));
    if (arrays.back())
      makeExact(*arrays.back(), getElementTypeOrSelf(output));
  }
  for (auto [map, array] : llvm::zip_equal(op.getMapArray(), arrays))
    if (failed(nest.bind(map, *array)))
      return failure();
  if (failed(nest.check()))
    return failure();
  return arrays;
}

/// Outputs that are overwritten hold the combiner's identity first.
static void clearOverwritten(ComputeOp op,
                             ArrayRef<std::shared_ptr<DenseArray>> outputs) {
  if (!op.getOverwrite())
    return;
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, output] : llvm::enumerate(outputs)) {
    double identity = asDouble(yield.getIdentity(i));
    llvm::fill(output->values, identity);
    llvm::fill(output->magnitudes, std::fabs(identity));
    if (!output->integers.empty())
      llvm::fill(output->integers,
                 cast<IntegerAttr>(yield.getIdentity(i)).getInt());
  }
}

LogicalResult Evaluator::evaluateCompute(ComputeOp op) {
  std::shared_ptr<SparseArray> pattern = sparse(op.getPattern());
  if (!pattern)
    return op.emitOpError("expected a pattern that was packed");
  LoopNest nest(op, op.getIterationRank());
  auto arrays = bindCompute(op, *pattern, nest);
  FailureOr<SmallVector<ScalarFunction>> combiners = combinersOf(op);
  auto program = ScalarProgram::compile(
      op.getBody().front(), [&](Value value) { return scalar(value); });
  if (failed(arrays) || failed(combiners) || failed(program))
    return failure();

  unsigned inputs = op.getInputs().size();
  clearOverwritten(op, ArrayRef(*arrays).drop_front(inputs));
  std::vector<int64_t> index(op.getIterationRank());
  forEachNonzero(nest, *pattern, index, [&] {
    for (unsigned i = 0; i < inputs; ++i)
      program->argument(i) = nest.load(i, index);
    (void)program->run();
    for (auto [i, combine] : llvm::enumerate(*combiners))
      nest.store(inputs + i, index,
                 combine(nest.load(inputs + i, index), program->yielded(i)));
  });
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    cells[result] = {(*arrays)[inputs + i], nullptr};
  return success();
}

/// The input that is walked nonzero by nonzero: a sparse tensor's whose zeros
/// contribute nothing; none where there is no such.
std::optional<unsigned> Evaluator::sparseInput(linalg::LinalgOp op) {
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    OpOperand &operand = op->getOpOperand(i);
    const Cell &cell = cells[operand.get()];
    if (cell.sparse && !cell.dense &&
        op.getMatchingIndexingMap(&operand).isProjectedPermutation() &&
        zerosContributeNothing(op, i))
      return i;
  }
  return std::nullopt;
}

/// Calls `body` at each iteration, with the number of the nonzero that it is
/// of; 0 where no input is walked by nonzeros.
static void forEachIteration(const LoopNest &nest, AffineMap map,
                             const SparseArray *walked,
                             std::vector<int64_t> &index,
                             llvm::function_ref<void(size_t)> body) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < index.size(); ++loop)
    if (!walked || !map.isFunctionOfDim(loop))
      loops.push_back(loop);
  const size_t count = walked ? walked->values.size() : 1;
  for (size_t n = 0; n < count; ++n) {
    if (walked)
      for (auto [k, at] : llvm::enumerate(walked->coordinates))
        index[map.getDimPosition(k)] = at[n];
    nest.forEach(loops, index, [&] { body(n); });
  }
}

LogicalResult
Evaluator::bindLinalg(linalg::LinalgOp op, std::optional<unsigned> walked,
                      LoopNest &nest,
                      SmallVectorImpl<std::shared_ptr<DenseArray>> &arrays) {
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
    const AffineMap map = op.getMatchingIndexingMap(&operand);
    if (walked == i) {
      for (auto [k, extent] : llvm::enumerate(sparse(operand.get())->shape))
        if (failed(nest.setExtent(map.getDimPosition(k), extent)))
          return failure();
      continue;
    }
    const bool init = op.isDpsInit(&operand);
    arrays.push_back(init ? destination(operand.get()) : dense(operand.get()));
    if (!arrays.back())
      return op.emitOpError("expected operands that are known");
    if (init)
      makeExact(*arrays.back(), getElementTypeOrSelf(operand.get()));
    if (failed(nest.bind(map, *arrays.back())))
      return failure();
  }
  return nest.check();
}

LogicalResult Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  LoopNest nest(op, op.getNumLoops());
  const std::optional<unsigned> walked = sparseInput(op);
  if (!walked && readsEntries(op))
    return op.emitOpError("expected a sparse operand whose entries that are "
                          "not stored contribute nothing");
  SmallVector<std::shared_ptr<DenseArray>> arrays; // all but the walked
  auto program = ScalarProgram::compile(
      *op.getBlock(), [&](Value value) { return scalar(value); });
  if (failed(program) || failed(bindLinalg(op, walked, nest, arrays)))
    return failure();
  const SparseArray *nonzeros =
      walked ? cells[op->getOperand(*walked)].sparse.get() : nullptr;
  const AffineMap map =
      walked ? op.getMatchingIndexingMap(&op->getOpOperand(*walked))
             : AffineMap();
  const unsigned outputs = op.getNumDpsInits();
  const unsigned inputs = unsigned(arrays.size()) - outputs;
  program->index.resize(op.getNumLoops());
  forEachIteration(nest, map, nonzeros, program->index, [&](size_t n) {
    for (unsigned i = 0; i < arrays.size(); ++i)
      program->argument(i + (walked && i >= *walked)) =
          nest.load(i, program->index);
    if (walked)
      program->argument(*walked) = {nonzeros->values[n],
                                    nonzeros->magnitudes[n]};
    if (!program->run())
      return;
    for (unsigned i = 0; i < outputs; ++i)
      nest.store(inputs + i, program->index, program->yielded(i));
  });
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    cells[result] = {arrays[inputs + i], nullptr};
  return success();
}
