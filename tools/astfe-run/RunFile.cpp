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
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Execution/Interpreter.h"
#include "FileEntries.h"
#include "KeptOps.h"
#include "Pipelines.h"
#include "Program.h"
#include "Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>

using namespace mlir;

namespace astfe::run {
namespace {

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

/// What one line, or one JSON object, says of the run.
struct Outcome {
  int64_t elements = 0;
  double sum = 0;
  std::optional<double> maxRelativeError;
  std::optional<bool> passed;
  Compilation compilation;
  /// The inspector; none where it is a part of the run.
  std::optional<double> prepare;
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

void printTime(StringRef name, double seconds) {
  llvm::outs() << "  " << llvm::left_justify(name, 12)
               << llvm::format("%12.3f ms\n", seconds * 1e3);
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
    printTime("compile", o.compilation.seconds);
    if (o.prepare)
      printTime("prepare", *o.prepare);
    printTime("run (median)", o.runMedian);
    printTime("run (min)", o.runMin);
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
      if (o.prepare)
        json.attribute("prepare", *o.prepare);
      else
        json.attribute("prepare", nullptr);
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

core::Result<Entry> lookUp(const Jit &jit, const std::string &name) {
  auto address = jit.lookup("_mlir__mlir_ciface_" + name);
  if (!address)
    return address.error();
  return reinterpret_cast<Entry>(*address);
}

/// Warm-up and timed runs. A function may write to any dense argument that it
/// does not promise to leave alone, so all start anew from their first values.
core::Status timeCalls(Entry entry, PackedCall &call, FileArguments &arguments,
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
    entry(call.arguments());
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    if (i >= 0)
      seconds.push_back(now() - begin);
  }
  outcome.runMedian = median(seconds);
  outcome.runMin = seconds.front();
  return core::Success();
}

/// Whether something runs on the device, where there is one; else why not.
core::Status checkDevice(const Settings &settings, ModuleOp module,
                         const KeptOps &kept) {
  const bool computes =
      module.walk([](ComputeOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (settings.device == Device::Host || computes)
    return core::Success();
  return core::Error{settings.file + ": expected a kernel for --device=" +
                     deviceName(settings.device) +
                     " but all is left to the host" + kept.text()};
}

/// The module as code, after all of its stages.
core::Result<CachedCode> compileFile(Lowering &lowering,
                                     const Settings &settings, ModuleOp module,
                                     func::FuncOp function, Entries &entries) {
  auto target = targetOf(settings);
  if (!target)
    return target.error();
  JitOptions options;
  options.cpu = settings.cpu;
  options.features = settings.features;
  const std::vector<Stage> graph = graphStages(
      settings, settings.device != Device::Host, /*columns=*/0, /*split=*/true);
  const std::vector<Stage> rest = compiler::loweringStages(*target);
  const KeptOps kept(lowering.mlirContext());
  if (auto status = lowering.run(module, graph, settings.dumpIr); !status)
    return status.error();
  entries = findEntries(function);
  if (auto status = checkDevice(settings, module, kept); !status)
    return status.error();
  return KernelCache::process().compile(module, options, target->text(), [&] {
    return lowering.run(module, rest, settings.dumpIr, "",
                        unsigned(graph.size()) + 1);
  });
}

core::Status checkResultType(const Settings &settings, func::FuncOp function) {
  auto type = function.getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(function.getResultTypes()[0])
                  : RankedTensorType();
  if (type && type.getRank() <= 2)
    return core::Success();
  return core::Error{settings.file +
                     ": expected one dense result of up to two dimensions"};
}

/// Calls the inspector, where there is one, and times the rest.
core::Status runEntries(const Jit &jit, const Entries &entries,
                        FileArguments &arguments, int64_t repeat,
                        Descriptor &result, Outcome &outcome) {
  Prepared prepared;
  if (!entries.prepareName.empty()) {
    auto prepare = lookUp(jit, entries.prepareName);
    if (!prepare)
      return prepare.error();
    const double begin = now();
    if (auto status = prepared.run(*prepare, entries, arguments); !status)
      return status;
    outcome.prepare = now() - begin;
  }
  auto entry = lookUp(jit, entries.runName);
  if (!entry)
    return entry.error();
  PackedCall call;
  call.passPointer(&result);
  prepared.pass(call);
  for (unsigned i : entries.runArguments)
    arguments.pass(i, call);
  return timeCalls(*entry, call, arguments, repeat, outcome);
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
  auto arguments = FileArguments::make(settings, *function);
  if (!arguments)
    return core::Error{settings.file + ": " + arguments.message()};
  if (auto status = checkResultType(settings, *function); !status)
    return status.error();
  const auto resultType =
      cast<RankedTensorType>(function->getResultTypes().front());
  std::optional<Interpretation> want;
  if (settings.check) {
    auto interpreted = interpret(*function, arguments->interpreted);
    if (failed(interpreted))
      return core::Error{settings.file + ": the interpreter cannot run it"};
    want = std::move(*interpreted);
  }
  Outcome outcome;
  Entries entries;
  const double begin = now();
  auto code = compileFile(lowering, settings, **module, *function, entries);
  if (!code)
    return code.error();
  outcome.compilation = {now() - begin, compiler::originOf(code->outcome),
                         code->note};
  Descriptor result;
  if (auto status = runEntries(*code->jit, entries, *arguments, settings.repeat,
                               result, outcome);
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
