//===- FileResults.cpp - what a file's function returns -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileResults.h"
#include "ASTFE/Analysis/NeutralZeros.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "Elements.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <limits>
#include <map>

using namespace mlir;

namespace astfe::run {
namespace {

bool isSparse(Type type) {
  return bool(sparse_tensor::getSparseTensorEncoding(type));
}

bool isResult(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isElement(tensor.getElementType());
  return type.isIndex() || (isElement(type) && !isa<ComplexType>(type));
}

size_t bytesOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return 8 * size_t(3 + 2 * tensor.getRank());
  return bytesOfElement(type);
}

/// What a result may differ by, of the sum of |terms|: what it is rounded to.
double boundOf(Type element, bool isDouble) {
  if (element.isF16() || element.isBF16())
    return element.isF16() ? 0x1p-9 : 0x1p-6;
  // The interpreter does not count terms. n u with n = 2^10 bounds sums of up
  // to 2^10 terms in any order, and longer ones in all likelihood, as their
  // errors grow with the square root (Higham, section 2.8).
  return isDouble ? 0x1p-43 : 0x1p-14;
}

/// Below it rounding is absolute, so that errors are relative to it: to n u of
/// it n roundings add up.
double leastNormal(Type element, bool isDouble) {
  return element.isF16() ? 0x1p-14 : isDouble ? 0x1p-1022 : 0x1p-126;
}

/// The error of a float whose magnitude the interpreter says; elements without
/// terms are exact.
double errorOf(double got, double want, double magnitude, double least) {
  return core::relativeError(
      got, want, magnitude > 0 ? std::max(magnitude, least) : magnitude);
}

bool computesInSingle(func::FuncOp function) {
  auto isSingle = [](Type type) {
    type = getElementTypeOrSelf(type);
    if (auto complex = dyn_cast<ComplexType>(type))
      type = complex.getElementType();
    auto element = dyn_cast<FloatType>(type);
    return element && element.getWidth() <= 32;
  };
  return function
      ->walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isSingle)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

/// Whether an op of a body stores nothing for some entries, or something where
/// there are none.
static bool changesPattern(Operation &op) {
  if (isa<sparse_tensor::SelectOp>(op))
    return true;
  if (auto unary = dyn_cast<sparse_tensor::UnaryOp>(op))
    return unary.getPresentRegion().empty() || !unary.getAbsentRegion().empty();
  auto binary = dyn_cast<sparse_tensor::BinaryOp>(op);
  return binary &&
         (binary.getOverlapRegion().empty() ||
          !binary.getLeftRegion().empty() || !binary.getRightRegion().empty() ||
          binary.getLeftIdentity() || binary.getRightIdentity());
}

/// Such an op in the bodies whose patterns a result has, or null.
static Operation *patternChangeOf(Value result) {
  SmallVector<Value> values = {result};
  SmallPtrSet<Operation *, 8> seen;
  while (!values.empty()) {
    auto op = values.pop_back_val().getDefiningOp<linalg::LinalgOp>();
    if (!op || !seen.insert(op).second)
      continue;
    for (Operation &inner : *op.getBlock())
      if (changesPattern(inner))
        return &inner;
    const AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (OpOperand *input : op.getDpsInputOperands())
      if (isSparse(input->get().getType()) &&
          op.getMatchingIndexingMap(input) == map)
        values.push_back(input->get());
  }
  return nullptr;
}

/// Whether nothing is stored where no sparse operand is. Other `sparse_tensor`
/// ops than those that change a pattern store what they are given.
static bool addsNoEntries(linalg::LinalgOp op) {
  SmallVector<BlockArgument> entries;
  for (OpOperand &operand : op->getOpOperands())
    if (isSparse(operand.get().getType()))
      entries.push_back(op.getMatchingBlockArgument(&operand));
  Block *body = op.getBlock();
  if (llvm::any_of(*body, [](Operation &inner) {
        return isa<sparse_tensor::SparseTensorDialect>(inner.getDialect());
      }))
    return true;
  const Value yielded = body->getTerminator()->getOperand(0);
  const TypedAttr rest = valueAtZero(yielded, entries);
  if (auto number = dyn_cast_or_null<FloatAttr>(rest))
    return number.getValue().isZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(rest))
    return number.getValue().isZero();
  // Of complex numbers nothing is folded here.
  return isa<ComplexType>(yielded.getType());
}

/// The sparse operand that is indexed as the output is, which has its pattern.
static Value samePattern(linalg::LinalgOp op) {
  if (!addsNoEntries(op))
    return {};
  OpOperand *output = op.getDpsInitOperand(0);
  for (OpOperand *input : op.getDpsInputOperands())
    if (isSparse(input->get().getType()) &&
        sparse_tensor::getSparseTensorEncoding(input->get().getType()) ==
            sparse_tensor::getSparseTensorEncoding(output->get().getType()) &&
        op.getMatchingIndexingMap(input) == op.getMatchingIndexingMap(output))
      return input->get();
  return {};
}

/// The argument that has the pattern of a result.
static std::optional<unsigned> patternOf(Value result) {
  while (auto op = result ? result.getDefiningOp<linalg::LinalgOp>()
                          : linalg::LinalgOp())
    result = samePattern(op);
  auto argument = dyn_cast_or_null<BlockArgument>(result);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return argument.getArgNumber();
}

static RankedTensorType valuesOf(Type sparse) {
  return RankedTensorType::get({ShapedType::kDynamic},
                               getElementTypeOrSelf(sparse));
}

void FileResults::returnValues(func::FuncOp function) {
  Operation *returned = function.getBody().back().getTerminator();
  function.getContext()->loadDialect<bufferization::BufferizationDialect>();
  ImplicitLocOpBuilder b(function.getLoc(), returned);
  for (OpOperand &operand : returned->getOpOperands()) {
    const Type type = operand.get().getType();
    if (!isSparse(type))
      continue;
    auto buffer =
        MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(type));
    Value values = sparse_tensor::ToValuesOp::create(b, buffer, operand.get());
    operand.set(bufferization::ToTensorOp::create(b, valuesOf(type), values,
                                                  /*restrict=*/true));
  }
  function.setFunctionType(b.getFunctionType(
      function.getArgumentTypes(), TypeRange(returned->getOperandTypes())));
}

core::Result<FileResults> FileResults::make(func::FuncOp function) {
  FileResults results;
  size_t end = 0;
  Operation *returned = function.getBody().back().getTerminator();
  for (auto [type, value] :
       llvm::zip(function.getResultTypes(), returned->getOperands())) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (!isResult(type))
      return core::Error{std::string("expected tensors of ") + kElementTypes +
                         ", or real scalars, as results but got " + text};
    if (Operation *change = isSparse(type) ? patternChangeOf(value) : nullptr)
      return core::Error{"expected a sparse result with the pattern of an "
                         "argument but got one of '" +
                         change->getName().getStringRef().str() +
                         "', which leaves out entries or adds some"};
    const std::optional<unsigned> pattern =
        isSparse(type) ? patternOf(value) : std::nullopt;
    if (isSparse(type) && !pattern)
      return core::Error{"expected a sparse result with the pattern of an "
                         "argument, which all ops that lead to it index as "
                         "their output, but got " +
                         text};
    const Type held = pattern ? valuesOf(type) : type;
    const size_t bytes = bytesOf(held), align = std::min<size_t>(bytes, 8);
    const size_t offset = (end + align - 1) / align * align;
    results.fields.push_back({held, offset, pattern});
    end = offset + bytes;
  }
  if (results.fields.empty())
    return core::Error{"expected a result but got none"};
  results.words.resize((end + 7) / 8);
  results.isDouble = !computesInSingle(function);
  return results;
}

void FileResults::passFirst(PackedCall &call) {
  if (fields.size() > 1 || isa<RankedTensorType>(fields.front().type))
    call.passPointer(words.data());
}

void FileResults::passLast(PackedCall &call) {
  if (fields.size() == 1 && !isa<RankedTensorType>(fields.front().type))
    call.passAddress(words.data());
}

FileResults::Array FileResults::read(const Field &field) const {
  const char *at = reinterpret_cast<const char *>(words.data()) + field.offset;
  auto tensor = dyn_cast<RankedTensorType>(field.type);
  if (!tensor)
    return {field.type, at, 1};
  const auto *descriptor = reinterpret_cast<const int64_t *>(at);
  int64_t count = 1;
  for (int64_t k = 0; k < tensor.getRank(); ++k)
    count *= descriptor[3 + k];
  const Type element = tensor.getElementType();
  return {element,
          reinterpret_cast<const char *>(descriptor[1]) +
              size_t(descriptor[2]) * bytesOfElement(element),
          count};
}

void *FileResults::allocationOf(const Field &field) const {
  const char *at = reinterpret_cast<const char *>(words.data()) + field.offset;
  return isa<RankedTensorType>(field.type)
             ? *reinterpret_cast<void *const *>(at)
             : nullptr;
}

void FileResults::freeLast() {
  std::vector<void *> now;
  for (const Field &field : fields)
    now.push_back(allocationOf(field));
  llvm::SmallPtrSet<void *, 4> freed;
  for (void *last : allocated)
    if (!llvm::is_contained(now, last) && freed.insert(last).second)
      std::free(last);
  allocated = std::move(now);
}

/// Of a complex number that of the part that is further off.
static double errorOfParts(Type element, const void *data, size_t k,
                           const DenseArray &want, double least) {
  auto got = [&](int64_t part) {
    return loadElement(element, data, int64_t(k), part);
  };
  const double imaginary = want.imaginaries.empty() ? 0 : want.imaginaries[k];
  return std::max(errorOf(got(0), want.values[k], want.magnitudes[k], least),
                  errorOf(got(1), imaginary, want.magnitudes[k], least));
}

/// The largest error; integers have none or an infinite one.
static double largestError(Type element, const void *data,
                           const DenseArray &want, double least) {
  double worst = 0;
  for (size_t k = 0; k < want.values.size(); ++k) {
    double error = 0;
    if (isa<FloatType>(element))
      error = errorOf(loadElement(element, data, int64_t(k)), want.values[k],
                      want.magnitudes[k], least);
    else if (isa<ComplexType>(element))
      error = errorOfParts(element, data, k, want, least);
    else if (loadInteger(element, data, int64_t(k)) != want.integer(k))
      error = std::numeric_limits<double>::infinity();
    worst = std::max(worst, error);
  }
  return worst;
}

/// Elements of which the bound says nothing, as their terms are so much larger,
/// and that differ by half of their digits or more. What is exactly 0 is as
/// large as its terms leave it.
static int64_t countUncompared(Type element, const void *data,
                               const DenseArray &want, double bound,
                               double least) {
  if (!isa<FloatType, ComplexType>(element))
    return 0;
  int64_t count = 0;
  for (size_t k = 0; k < want.values.size(); ++k) {
    auto saysNothing = [&](double value, int64_t part) {
      const double size = std::abs(value);
      const double far =
          std::abs(loadElement(element, data, int64_t(k), part) - value);
      return want.magnitudes[k] * bound >= size && size >= least &&
             far > std::sqrt(bound) * size;
    };
    count += saysNothing(want.values[k], 0) ||
             (!want.imaginaries.empty() && saysNothing(want.imaginaries[k], 1));
  }
  return count;
}

/// Places of the interpreter's values, by coordinates. It has all of a tensor
/// where it does not know which are stored.
static std::map<std::vector<int64_t>, size_t>
placesOf(const SparseArray &result) {
  std::map<std::vector<int64_t>, size_t> places;
  for (size_t n = 0; n < result.values.size(); ++n) {
    std::vector<int64_t> point;
    for (const std::vector<int64_t> &mode : result.coordinates)
      point.push_back(mode[n]);
    places[point] = n;
  }
  return places;
}

/// The interpreter's values of a sparse result in the order in which those of
/// the argument with its pattern are stored.
static DenseArray inStoredOrder(const InterpreterValue &result,
                                const SparseArgument &argument) {
  const auto *sparse = std::get_if<SparseArray>(&result);
  const auto *all = std::get_if<DenseArray>(&result);
  const auto places =
      sparse ? placesOf(*sparse) : std::map<std::vector<int64_t>, size_t>();
  const auto &values = sparse ? sparse->values : all->values;
  const auto &magnitudes = sparse ? sparse->magnitudes : all->magnitudes;
  const auto &imaginaries = sparse ? sparse->imaginaries : all->imaginaries;
  const auto &integers = sparse ? sparse->integers : all->integers;
  DenseArray ordered;
  for (int64_t n : argument.storedNonzeros()) {
    std::vector<int64_t> point;
    size_t at = 0;
    for (size_t k = 0; n >= 0 && k < argument.shape().size(); ++k) {
      point.push_back(argument.interpreted().coordinates[k][size_t(n)]);
      at = at * size_t(argument.shape()[k]) + size_t(point.back());
    }
    auto found = places.find(point);
    const bool isThere = n >= 0 && (all || found != places.end());
    if (isThere && !all)
      at = found->second;
    ordered.values.push_back(isThere ? values[at] : 0);
    ordered.magnitudes.push_back(isThere ? magnitudes[at] : 0);
    if (!imaginaries.empty())
      ordered.imaginaries.push_back(isThere ? imaginaries[at] : 0);
    if (!integers.empty())
      ordered.integers.push_back(isThere ? integers[at] : 0);
  }
  ordered.shape = {int64_t(ordered.values.size())};
  return ordered;
}

core::Result<ResultSummary>
FileResults::summarise(const Interpretation *want,
                       const FileArguments &arguments) const {
  ResultSummary summary;
  double worst = 0;
  bool passed = true;
  for (auto [i, field] : llvm::enumerate(fields)) {
    const Array got = read(field);
    summary.elements += got.count;
    for (int64_t k = 0; k < got.count; ++k)
      summary.sum += loadElement(got.element, got.data, k);
    for (int64_t k = 0; k < got.count && partsOf(got.element) == 2; ++k)
      summary.imaginarySum = summary.imaginarySum.value_or(0) +
                             loadElement(got.element, got.data, k, 1);
    if (!want)
      continue;
    const DenseArray ordered =
        field.pattern
            ? inStoredOrder(want->results[i], arguments.sparse(*field.pattern))
            : DenseArray();
    const DenseArray &array =
        field.pattern ? ordered : std::get<DenseArray>(want->results[i]);
    if (int64_t(array.values.size()) != got.count)
      return core::Error{
          "expected result " + std::to_string(i) + " to have the " +
          std::to_string(array.values.size()) + " elements of " +
          (field.pattern ? "argument " + std::to_string(*field.pattern) +
                               ", whose pattern it has by its ops,"
                         : std::string("the interpreter's")) +
          " but got " + std::to_string(got.count)};
    const double least = leastNormal(got.element, isDouble);
    const double bound = boundOf(got.element, isDouble);
    const double error = largestError(got.element, got.data, array, least);
    worst = std::max(worst, error);
    passed &= error <= bound;
    summary.uncompared +=
        countUncompared(got.element, got.data, array, bound, least);
  }
  if (!want)
    return summary;
  summary.maxRelativeError = worst;
  summary.passed = passed;
  return summary;
}

} // namespace astfe::run
