//===- RunFile.cpp - runs the function of a .mlir file --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
//===----------------------------------------------------------------------===//

#include "RunFile.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Execution/Interpreter.h"
#include "Pipelines.h"
#include "Program.h"
#include "Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>

using namespace mlir;

namespace astfe::run {
namespace {

/// A memref descriptor of rank 0 to 2, as words.
struct Descriptor {
  int64_t words[7] = {};
};

Descriptor describe(void *data, ArrayRef<int64_t> shape) {
  Descriptor d;
  const size_t rank = shape.size();
  d.words[0] = d.words[1] = reinterpret_cast<int64_t>(data);
  int64_t stride = 1;
  for (size_t k = rank; k-- > 0;) {
    d.words[3 + k] = shape[k];
    d.words[3 + rank + k] = stride;
    stride *= shape[k];
  }
  return d;
}

/// The arguments of the function: their storage, and what is passed for them.
struct Arguments {
  Problem matrix;
  /// The matrix's indices for arguments that have 64 bits.
  std::vector<int64_t> widePositions, wideCoordinates;
  std::vector<Dense> dense;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<InterpreterValue> interpreted;
  /// Descriptors, sizes, and the addresses that a packed call takes.
  std::vector<Descriptor> descriptors;
  std::vector<int64_t> sizes;
  std::vector<void *> pointers, call;
};

core::Result<func::FuncOp> onlyFunction(ModuleOp module,
                                        const std::string &file) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    if (found)
      return core::Error{file + ": expected one public function but got '" +
                         found.getName().str() + "' and '" +
                         function.getName().str() + "'"};
    found = function;
  }
  if (!found)
    return core::Error{file + ": expected a public function but got none"};
  return found;
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Widths of 0 are those of index, 64 bits.
bool isIndexWidth(unsigned width) {
  return width == 0 || width == 32 || width == 64;
}

bool isCsr(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  sparse_tensor::SparseTensorType sparse(type);
  return encoding && type.getRank() == 2 && sparse.isIdentity() &&
         sparse.isDenseLvl(0) && sparse.isCompressedLvl(1) &&
         isIndexWidth(encoding.getPosWidth()) &&
         isIndexWidth(encoding.getCrdWidth());
}

/// One element type for all arguments; null where one is of another kind.
core::Result<bool> elementIsDouble(func::FuncOp function) {
  Type element;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() > 2 ||
        !(tensor.getElementType().isF32() || tensor.getElementType().isF64()))
      return core::Error{
          "expected tensors of f32 or f64 up to rank 2 but got " +
          typeText(type)};
    if (sparse_tensor::getSparseTensorEncoding(type) && !isCsr(tensor))
      return core::Error{"expected a CSR tensor with indices of 32 or 64 bits "
                         "but got " +
                         typeText(type)};
    if (element && element != tensor.getElementType())
      return core::Error{"expected one element type but got " +
                         typeText(element) + " and " +
                         typeText(tensor.getElementType())};
    element = tensor.getElementType();
  }
  if (!element)
    return core::Error{"expected arguments but got none"};
  return element.isF64();
}

/// The extent of the matrix's mode that a use of `argument` indexes with the
/// same loop as dimension `k`; none where no linalg op says so.
std::optional<int64_t> extentFromUses(BlockArgument argument, unsigned k,
                                      const Problem &matrix) {
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!op)
      continue;
    const AffineExpr loop = op.getMatchingIndexingMap(&use).getResult(k);
    for (OpOperand &other : op->getOpOperands()) {
      if (!sparse_tensor::getSparseTensorEncoding(other.get().getType()))
        continue;
      const AffineMap map = op.getMatchingIndexingMap(&other);
      for (unsigned mode = 0; mode < map.getNumResults(); ++mode)
        if (map.getResult(mode) == loop)
          return mode == 0 ? matrix.rows : matrix.columns;
    }
  }
  return std::nullopt;
}

std::vector<int64_t> extentsOf(BlockArgument argument, bool written,
                               const Problem &matrix, int64_t columns) {
  auto type = cast<RankedTensorType>(argument.getType());
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  for (unsigned k = 0; k < shape.size(); ++k)
    if (ShapedType::isDynamic(shape[k]))
      shape[k] = extentFromUses(argument, k, matrix)
                     .value_or(k > 0     ? columns
                               : written ? matrix.rows
                                         : matrix.columns);
  return shape;
}

SparseArray interpretedMatrix(const Problem &matrix) {
  SparseArray array;
  array.shape = {matrix.rows, matrix.columns};
  array.coordinates.resize(2);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t k = matrix.positions[i]; k < matrix.positions[i + 1]; ++k) {
      array.coordinates[0].push_back(i);
      array.coordinates[1].push_back(matrix.coordinates[k]);
      array.values.push_back(matrix.values.at(k));
    }
  return array;
}

void addDense(Arguments &arguments, std::vector<int64_t> shape, bool written,
              bool isDouble, uint64_t seed) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  arguments.dense.push_back(written ? Dense::zero(count, 1, isDouble)
                                    : Dense::random(count, 1, isDouble, seed));
  DenseArray array;
  array.shape = shape;
  for (int64_t i = 0; i < count; ++i)
    array.values.push_back(arguments.dense.back().at(i));
  arguments.interpreted.push_back(std::move(array));
  arguments.shapes.push_back(std::move(shape));
}

core::Result<Arguments> makeArguments(const Settings &settings,
                                      func::FuncOp function) {
  auto isDouble = elementIsDouble(function);
  if (!isDouble)
    return isDouble.error();
  Arguments arguments;
  Settings typed = settings;
  typed.isDouble = *isDouble;
  typed.columns = 1;
  if (!settings.matrix.empty()) {
    auto matrix = readProblem(typed);
    if (!matrix)
      return matrix.error();
    arguments.matrix = std::move(*matrix);
  }
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    if (sparse_tensor::getSparseTensorEncoding(type)) {
      if (settings.matrix.empty())
        return core::Error{"expected --matrix FILE for argument " +
                           std::to_string(i)};
      const int64_t actual[] = {arguments.matrix.rows,
                                arguments.matrix.columns};
      for (auto [extent, got] : llvm::zip(tensor.getShape(), actual))
        if (!ShapedType::isDynamic(extent) && extent != got)
          return core::Error{"argument " + std::to_string(i) + ": expected " +
                             typeText(type) + " but " + settings.matrix +
                             " is " + std::to_string(actual[0]) + " x " +
                             std::to_string(actual[1])};
      arguments.interpreted.push_back(interpretedMatrix(arguments.matrix));
      arguments.shapes.push_back({});
      arguments.dense.emplace_back();
      continue;
    }
    auto writable = function.getArgAttrOfType<BoolAttr>(
        unsigned(i), "bufferization.writable");
    const bool written = writable && writable.getValue();
    addDense(arguments,
             extentsOf(function.getArgument(unsigned(i)), written,
                       arguments.matrix, settings.columns),
             written, *isDouble, settings.seed + i);
  }
  return arguments;
}

/// Indices of that width; `wide` holds the copy of 64 bits where one is needed.
Descriptor describeIndices(std::vector<int32_t> &indices,
                           std::vector<int64_t> &wide, unsigned width) {
  const auto count = int64_t(indices.size());
  if (width == 32)
    return describe(indices.data(), {count});
  if (wide.empty())
    wide.assign(indices.begin(), indices.end());
  return describe(wide.data(), {count});
}

/// Lays out what the entry takes (docs/Pipelines.md); `result` comes first.
void layOutCall(Arguments &a, ArrayRef<Type> types, Descriptor &result) {
  a.descriptors.reserve(1 + 3 * types.size());
  a.sizes = {a.matrix.rows, a.matrix.columns};
  a.pointers.reserve(1 + 3 * types.size());
  auto pass = [&](Descriptor descriptor) {
    a.descriptors.push_back(descriptor);
    a.pointers.push_back(&a.descriptors.back());
    a.call.push_back(&a.pointers.back());
  };
  a.pointers.push_back(&result);
  a.call.push_back(&a.pointers.back());
  for (auto [i, type] : llvm::enumerate(types)) {
    if (!sparse_tensor::getSparseTensorEncoding(type)) {
      pass(describe(a.dense[i].data(), a.shapes[i]));
      continue;
    }
    auto encoding = sparse_tensor::getSparseTensorEncoding(type);
    pass(describeIndices(a.matrix.positions, a.widePositions,
                         encoding.getPosWidth()));
    pass(describeIndices(a.matrix.coordinates, a.wideCoordinates,
                         encoding.getCrdWidth()));
    pass(describe(a.matrix.values.data(), {a.matrix.nonzeros()}));
    a.call.push_back(&a.sizes[0]);
    a.call.push_back(&a.sizes[1]);
  }
}

/// What one line, or one JSON object, says of the run.
struct Outcome {
  int64_t elements = 0;
  double sum = 0;
  std::optional<double> maxRelativeError;
  std::optional<bool> passed;
  Compilation compilation;
  double runMedian = 0, runMin = 0;
};

core::Status summarise(const Descriptor &result, RankedTensorType type,
                       const DenseArray *want, Outcome &outcome) {
  const bool isDouble = type.getElementType().isF64();
  outcome.elements = 1;
  for (int64_t k = 0; k < type.getRank(); ++k)
    outcome.elements *= result.words[3 + k];
  if (want && int64_t(want->values.size()) != outcome.elements)
    return core::Error{"expected " + std::to_string(want->values.size()) +
                       " elements but got " + std::to_string(outcome.elements)};
  const void *data = reinterpret_cast<void *>(result.words[1]);
  double worst = 0;
  for (int64_t i = 0; i < outcome.elements; ++i) {
    const double x = isDouble ? static_cast<const double *>(data)[i]
                              : static_cast<const float *>(data)[i];
    outcome.sum += x;
    if (want)
      worst = std::max(
          worst, core::relativeError(x, want->values[i], want->magnitudes[i]));
  }
  if (!want)
    return core::Success();
  // The interpreter does not count terms. n u with n = 2^10 bounds sums of up
  // to 2^10 terms in any order, and longer ones in all likelihood, as their
  // errors grow with the square root (Higham, section 2.8).
  outcome.maxRelativeError = worst;
  outcome.passed = worst <= (isDouble ? 0x1p-43 : 0x1p-14);
  return core::Success();
}

void printOutcome(const Settings &settings, const Outcome &o) {
  if (!settings.json) {
    llvm::outs() << "result: " << o.elements << " elements, sum "
                 << llvm::format("%.9g", o.sum);
    if (o.passed)
      llvm::outs() << ", check " << (*o.passed ? "passed" : "FAILED")
                   << llvm::format(", largest error %.3g of the sum of |terms|",
                                   *o.maxRelativeError);
    llvm::outs() << '\n';
    return;
  }
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("file", settings.file);
    json.attribute("device", deviceName(settings.device));
    json.attribute("compiled",
                   StringRef(product::originName(o.compilation.origin)));
    json.attribute("elements", o.elements);
    if (std::isfinite(o.sum))
      json.attribute("sum", o.sum);
    else
      json.attribute("sum", nullptr);
    json.attributeObject("seconds", [&] {
      json.attribute("compile", o.compilation.seconds);
      json.attribute("run_median", o.runMedian);
      json.attribute("run_min", o.runMin);
    });
    if (o.maxRelativeError && std::isfinite(*o.maxRelativeError))
      json.attribute("max_relative_error", *o.maxRelativeError);
    else
      json.attribute("max_relative_error", nullptr);
    if (o.passed)
      json.attribute("check", *o.passed ? "passed" : "failed");
    else
      json.attribute("check", nullptr);
  });
  llvm::outs() << '\n';
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Warm-up and timed runs. A function may write to any dense argument that it
/// does not promise to leave alone, so all start anew from their first values.
core::Status timeCalls(void (*entry)(void **), Arguments &arguments,
                       int64_t repeat, Outcome &outcome) {
  const std::vector<Dense> initial = arguments.dense;
  std::vector<double> seconds;
  for (int64_t i = -1; i < repeat; ++i) {
    for (size_t k = 0; k < initial.size(); ++k) {
      std::copy(initial[k].values32.begin(), initial[k].values32.end(),
                arguments.dense[k].values32.begin());
      std::copy(initial[k].values64.begin(), initial[k].values64.end(),
                arguments.dense[k].values64.begin());
    }
    astfe_rt_clear_error();
    const double begin = now();
    entry(arguments.call.data());
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    if (i >= 0)
      seconds.push_back(now() - begin);
  }
  outcome.runMedian = median(seconds);
  outcome.runMin = seconds.front();
  return core::Success();
}

/// The module through ASTFE, to code.
core::Result<CachedCode>
compileFile(Lowering &lowering, const Settings &settings, ModuleOp module) {
  auto target = targetOf(settings);
  if (!target)
    return target.error();
  JitOptions options;
  options.cpu = settings.cpu;
  options.features = settings.features;
  const std::vector<Stage> graph =
      graphStages(settings, settings.device != Device::Host);
  if (auto status = lowering.run(module, graph, settings.dumpIr); !status)
    return status.error();
  return KernelCache::process().compile(module, options, target->text(), [&] {
    return lowering.run(module, compiler::loweringStages(*target),
                        settings.dumpIr, "", unsigned(graph.size()) + 1);
  });
}

} // namespace

core::Result<bool> runFile(const Settings &settings) {
  Lowering lowering;
  auto module = lowering.parseFile(settings.file);
  if (!module)
    return module.error();
  auto function = onlyFunction(**module, settings.file);
  if (!function)
    return function.error();
  auto arguments = makeArguments(settings, *function);
  if (!arguments)
    return core::Error{settings.file + ": " + arguments.message()};
  const SmallVector<Type> types(function->getArgumentTypes());
  auto resultType =
      function->getNumResults() == 1
          ? dyn_cast<RankedTensorType>(function->getResultTypes().front())
          : RankedTensorType();
  if (!resultType || resultType.getRank() > 2)
    return core::Error{settings.file +
                       ": expected one dense result of up to two "
                       "dimensions"};
  std::optional<Interpretation> want;
  if (settings.check) {
    auto interpreted = interpret(*function, arguments->interpreted);
    if (failed(interpreted))
      return core::Error{settings.file + ": the interpreter cannot run it"};
    want = std::move(*interpreted);
  }
  const std::string entry = "_mlir__mlir_ciface_" + function->getName().str();
  Outcome outcome;
  const double begin = now();
  auto code = compileFile(lowering, settings, **module);
  if (!code)
    return code.error();
  auto address = code->jit->lookup(entry);
  if (!address)
    return address.error();
  outcome.compilation = {now() - begin, compiler::originOf(code->outcome),
                         code->note};
  Descriptor result;
  layOutCall(*arguments, types, result);
  if (auto status = timeCalls(reinterpret_cast<void (*)(void **)>(*address),
                              *arguments, settings.repeat, outcome);
      !status)
    return status.error();
  const DenseArray *reference =
      want ? &std::get<DenseArray>(want->results.front()) : nullptr;
  if (auto status = summarise(result, resultType, reference, outcome); !status)
    return status.error();
  printOutcome(settings, outcome);
  return outcome.passed.value_or(true);
}

} // namespace astfe::run
