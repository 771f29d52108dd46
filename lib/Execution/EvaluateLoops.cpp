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
  return number.getType().isInteger(1)
             ? double(number.getValue().getZExtValue())
             : double(number.getValue().getSExtValue());
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

/// Outputs that are overwritten hold the combiner's identity first, or what
/// they begin with.
static void clearOverwritten(ComputeOp op,
                             ArrayRef<std::shared_ptr<DenseArray>> outputs) {
  if (!op.getOverwrite())
    return;
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, output] : llvm::enumerate(outputs)) {
    // Complex numbers are only added up.
    output->imaginaries.clear();
    const bool isComplex = isa<ComplexType>(yield.getValues()[i].getType());
    double identity = isComplex ? 0 : asDouble(yield.getStart(i));
    llvm::fill(output->values, identity);
    llvm::fill(output->magnitudes, std::fabs(identity));
    if (!output->integers.empty())
      llvm::fill(output->integers,
                 cast<IntegerAttr>(yield.getStart(i)).getInt());
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

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// The inputs that are stored at the same places as input `i` is, and read
/// there: itself too.
SmallVector<unsigned> Evaluator::alikeInputs(linalg::LinalgOp op, unsigned i) {
  auto storage = [&](unsigned input) {
    const Cell &cell = cells[op->getOperand(input)];
    return cell.dense ? nullptr : cell.sparse.get();
  };
  auto map = [&](unsigned input) {
    return op.getMatchingIndexingMap(&op->getOpOperand(input));
  };
  SmallVector<unsigned> alike;
  for (unsigned other = 0; other < op.getNumDpsInputs(); ++other)
    if (storage(other) && map(other) == map(i) &&
        storage(other)->coordinates == storage(i)->coordinates)
      alike.push_back(other);
  return alike;
}

/// The inputs that are walked nonzero by nonzero: sparse tensors' whose zeros
/// contribute nothing; none where there are no such.
SmallVector<unsigned> Evaluator::walkedInputs(linalg::LinalgOp op) {
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    OpOperand &operand = op->getOpOperand(i);
    const Cell &cell = cells[operand.get()];
    if (!cell.sparse || cell.dense ||
        !op.getMatchingIndexingMap(&operand).isProjectedPermutation())
      continue;
    SmallVector<unsigned> alike = alikeInputs(op, i);
    if (zerosContributeNothing(op, alike))
      return alike;
  }
  return {};
}

/// The pattern that the output gets: that of a walked input, whose places it
/// has and which alone it is written at.
std::shared_ptr<SparseArray>
Evaluator::outputPattern(linalg::LinalgOp op, ArrayRef<unsigned> walked) {
  if (walked.empty() || op.getNumDpsInits() != 1)
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(0);
  const Cell &cell = cells[init->get()];
  const bool isEmpty =
      cell.sparse && !cell.dense && cell.sparse->values.empty();
  if (!isEmpty ||
      op.getMatchingIndexingMap(init) !=
          op.getMatchingIndexingMap(&op->getOpOperand(walked.front())))
    return nullptr;
  auto pattern = std::make_shared<SparseArray>(
      *cells[op->getOperand(walked.front())].sparse);
  llvm::fill(pattern->values, 0);
  llvm::fill(pattern->magnitudes, 0);
  pattern->imaginaries.clear();
  pattern->integers.clear();
  return pattern;
}

/// Calls `body` at each iteration, with the number of the nonzero that it is
/// of as the last index; 0 where no input is walked by nonzeros.
static void forEachIteration(const LoopNest &nest, AffineMap map,
                             const SparseArray *walked,
                             std::vector<int64_t> &index,
                             llvm::function_ref<void()> body) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop + 1 < index.size(); ++loop)
    if (!walked || !map.isFunctionOfDim(loop))
      loops.push_back(loop);
  const size_t count = walked ? walked->values.size() : 1;
  for (size_t n = 0; n < count; ++n) {
    if (walked)
      for (auto [k, at] : llvm::enumerate(walked->coordinates))
        index[map.getDimPosition(k)] = at[n];
    index.back() = int64_t(n);
    nest.forEach(loops, index, body);
  }
}

/// One value for each nonzero.
static std::shared_ptr<DenseArray> entriesOf(const SparseArray &array) {
  return std::make_shared<DenseArray>(DenseArray{{int64_t(array.values.size())},
                                                 array.values,
                                                 array.magnitudes,
                                                 array.integers,
                                                 array.imaginaries});
}

/// Arrays of all operands, bound to the loops of `nest`, the last of which are
/// the nonzeros: of the walked inputs and an output with their pattern, an
/// element for each nonzero.
FailureOr<SmallVector<std::shared_ptr<DenseArray>>>
Evaluator::bindLinalg(linalg::LinalgOp op, ArrayRef<unsigned> walked,
                      bool toEntries, LoopNest &nest) {
  const unsigned nonzero = op.getNumLoops();
  auto byNonzero = AffineMap::get(nonzero + 1, 0,
                                  getAffineDimExpr(nonzero, op.getContext()));
  if (walked.empty() && failed(nest.setExtent(nonzero, 1)))
    return failure();
  SmallVector<std::shared_ptr<DenseArray>> arrays;
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    const bool init = op.isDpsInit(&operand);
    if (llvm::is_contained(walked, i) || (init && toEntries)) {
      auto of = sparse(op->getOperand(walked.front()));
      for (auto [k, extent] : llvm::enumerate(of->shape))
        if (failed(nest.setExtent(map.getDimPosition(k), extent)))
          return failure();
      map = byNonzero;
      arrays.push_back(init ? zeros({int64_t(of->values.size())})
                            : entriesOf(*sparse(operand.get())));
    } else {
      arrays.push_back(init ? destination(operand.get())
                            : dense(operand.get()));
    }
    if (!arrays.back())
      return op.emitOpError("expected operands that are known");
    if (init)
      makeExact(*arrays.back(), getElementTypeOrSelf(operand.get()));
    if (failed(nest.bind(map, *arrays.back())))
      return failure();
  }
  if (failed(nest.check()))
    return failure();
  return arrays;
}

LogicalResult Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  LoopNest nest(op, op.getNumLoops() + 1);
  const SmallVector<unsigned> walked = walkedInputs(op);
  if (walked.empty() && readsEntries(op))
    return op.emitOpError("expected a sparse operand whose entries that are "
                          "not stored contribute nothing");
  std::shared_ptr<SparseArray> pattern = outputPattern(op, walked);
  auto program = ScalarProgram::compile(
      *op.getBlock(), [&](Value value) { return scalar(value); });
  auto arrays = bindLinalg(op, walked, bool(pattern), nest);
  if (failed(program) || failed(arrays))
    return failure();
  const SparseArray *nonzeros = nullptr;
  AffineMap map;
  if (!walked.empty()) {
    OpOperand &operand = op->getOpOperand(walked.front());
    nonzeros = cells[operand.get()].sparse.get();
    map = op.getMatchingIndexingMap(&operand);
  }
  const unsigned inputs = op.getNumDpsInputs();
  program->index.resize(op.getNumLoops() + 1);
  forEachIteration(nest, map, nonzeros, program->index, [&] {
    for (unsigned i = 0; i < arrays->size(); ++i)
      program->argument(i) = nest.load(i, program->index);
    if (!program->run())
      return;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      nest.store(inputs + i, program->index, program->yielded(i));
  });
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    cells[result] = {(*arrays)[inputs + i], nullptr};
  if (pattern) {
    pattern->values = arrays->back()->values;
    pattern->magnitudes = arrays->back()->magnitudes;
    pattern->imaginaries = arrays->back()->imaginaries;
    pattern->integers = arrays->back()->integers;
    cells[op->getResult(0)] = {nullptr, pattern};
  }
  return success();
}
