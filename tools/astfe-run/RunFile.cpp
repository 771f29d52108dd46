//===- RunFile.cpp - runs the function of a .mlir file --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
//===----------------------------------------------------------------------===//

#include "RunFile.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Execution/Interpreter.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/StageLog.h"
#include "EmitFiles.h"
#include "FileEntries.h"
#include "FileResults.h"
#include "InTurn.h"
#include "Pipelines.h"
#include "Program.h"
#include "Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <utility>

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
struct Outcome : ResultSummary {
  Compilation compilation;
  /// The inspector; none where it is a part of the run.
  std::optional<double> prepare;
  int64_t slices = 0; ///< of the last product of a tensor
  double runMedian = 0, runMin = 0;
};

void printTime(StringRef name, double seconds) {
  llvm::outs() << "  " << llvm::left_justify(name, 12)
               << llvm::format("%12.3f ms\n", seconds * 1e3);
}

void printOutcome(const Settings &settings, const Outcome &o) {
  if (!settings.json) {
    llvm::outs() << "result: " << o.elements << " elements, sum "
                 << llvm::format("%.9g", o.sum);
    if (o.imaginarySum)
      llvm::outs() << llvm::format(" %+.9gi", *o.imaginarySum);
    if (o.passed)
      llvm::outs() << ", check " << (*o.passed ? "passed" : "FAILED")
                   << llvm::format(", largest error %.3g of the sum of |terms|",
                                   *o.maxRelativeError);
    llvm::outs() << '\n';
    if (o.uncompared)
      llvm::outs() << "  of " << o.uncompared << " element"
                   << (o.uncompared == 1 ? "" : "s")
                   << " the check says nothing: terms of many times their size "
                      "cancel, or are lost, and they differ\n";
    printTime("compile", o.compilation.seconds);
    if (o.prepare)
      printTime("prepare", *o.prepare);
    printTime("run (median)", o.runMedian);
    printTime("run (min)", o.runMin);
    if (o.slices)
      llvm::outs() << "  in " << o.slices << " slice"
                   << (o.slices == 1 ? "" : "s")
                   << ", as memory has no room for a copy by the output's "
                      "rows\n";
    if (settings.device != Device::Host)
      llvm::outs() << kWithCopies;
    return;
  }
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("file", settings.file);
    json.attribute("device", deviceName(settings.device));
    json.attribute("compiled",
                   StringRef(product::originName(o.compilation.origin)));
    json.attribute("elements", o.elements);
    json.attribute("slices", o.slices);
    auto finite = [&](StringRef name, double number) {
      if (std::isfinite(number))
        json.attribute(name, number);
      else
        json.attribute(name, nullptr);
    };
    finite("sum", o.sum);
    if (o.imaginarySum)
      finite("imaginary_sum", *o.imaginarySum);
    json.attributeObject("seconds", [&] {
      json.attribute("compile", o.compilation.seconds);
      if (o.prepare)
        json.attribute("prepare", *o.prepare);
      else
        json.attribute("prepare", nullptr);
      json.attribute("run_median", o.runMedian);
      json.attribute("run_min", o.runMin);
      if (settings.device != Device::Host)
        json.attribute("with_copies", true);
    });
    if (o.maxRelativeError && std::isfinite(*o.maxRelativeError))
      json.attribute("max_relative_error", *o.maxRelativeError);
    else
      json.attribute("max_relative_error", nullptr);
    if (o.passed)
      json.attribute("check", *o.passed ? "passed" : "failed");
    else
      json.attribute("check", nullptr);
    if (o.passed)
      json.attribute("uncompared_elements", o.uncompared);
    else
      json.attribute("uncompared_elements", nullptr);
  });
  llvm::outs() << '\n';
}

core::Result<Entry> lookUp(const Jit &jit, const std::string &name) {
  auto address = jit.lookup("_mlir__mlir_ciface_" + name);
  if (!address)
    return address.error();
  return reinterpret_cast<Entry>(*address);
}

/// Warm-up and timed runs. A function may write to any dense argument that it
/// does not promise to leave alone, so that those which it reads start anew
/// from their first values, and for the last run all do.
core::Status timeCalls(Entry entry, PackedCall &call, FileArguments &arguments,
                       FileResults &results, int64_t repeat,
                       ModelledRun &modelled, Outcome &outcome) {
  auto run = [&]() -> core::Status {
    entry(call.arguments());
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    return core::Success();
  };
  int64_t number = 0; // of the next run, the first of which warms up
  auto reset = [&](size_t, bool) -> core::Status {
    results.freeLast();
    if (number == 1)
      arguments.keepUnwritten();
    // What the last one leaves is checked.
    arguments.reset(/*all=*/number == 0 || number == repeat);
    ++number;
    astfe_rt_clear_error();
    modelled.begin();
    return core::Success();
  };
  auto seconds = timeInTurn(repeat, {run}, reset);
  modelled.end();
  if (!seconds)
    return seconds.error();
  outcome.slices = rt::stageLog().slices;
  outcome.runMedian = median(seconds->front());
  outcome.runMin = seconds->front().front();
  return core::Success();
}

/// Whether something ran on the device, where there is one. A module of which
/// no kernel is made was refused before; here control flow went around all.
core::Status checkLaunches(const Settings &settings,
                           const FileArguments &arguments, int64_t before) {
  if (settings.device == Device::Host || arguments.nonzeros() == 0 ||
      rt::launches() > before)
    return core::Success();
  return core::Error{"expected a kernel to be launched for --device=" +
                     deviceName(settings.device) +
                     " but the run launched none"};
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
  options.optLevel = settings.optLevel;
  const std::vector<Stage> graph = graphStages(
      settings, settings.device != Device::Host, /*columns=*/0, /*split=*/true);
  const std::vector<Stage> rest = compiler::loweringStages(*target);
  if (auto status = lowering.run(module, graph, settings.dumpIr); !status)
    return status.error();
  entries = findEntries(function);
  return KernelCache::process().compile(module, options, target->text(), [&] {
    return lowering.run(module, rest, settings.dumpIr, "",
                        unsigned(graph.size()) + 1);
  });
}

/// Calls the inspector, where there is one, and times the rest.
core::Status runEntries(const Jit &jit, const Entries &entries,
                        FileArguments &arguments, int64_t repeat,
                        ModelledRun &modelled, FileResults &results,
                        Outcome &outcome) {
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
  results.passFirst(call);
  prepared.pass(call);
  for (unsigned i : entries.runArguments)
    arguments.pass(i, call);
  results.passLast(call);
  return timeCalls(*entry, call, arguments, results, repeat, modelled, outcome);
}

} // namespace

core::Result<bool> runFile(Settings settings, ModelledRun &modelled) {
  Lowering lowering;
  auto text = core::readFile(settings.file);
  if (!text)
    return text.error();
  auto module = lowering.parse(*text, settings.file);
  if (!module)
    return module.error();
  auto function = onlyFunction(**module, settings.file);
  if (!function)
    return function.error();
  auto inFile = [&](const core::Error &error) {
    return core::Error{settings.file + ": " + error.message};
  };
  auto arguments = FileArguments::make(settings, *function, *text);
  if (!arguments)
    return inFile(arguments.error());
  // Views have indices of any width, on the host.
  if (arguments->hasFarMatrix() && settings.device == Device::Host)
    settings.storage = core::Storage::View;
  auto results = FileResults::make(*function);
  if (!results)
    return inFile(results.error());
  std::optional<Interpretation> want;
  if (settings.check) {
    auto interpreted = interpret(*function, arguments->interpreted());
    if (failed(interpreted))
      return inFile({"the interpreter cannot run it"});
    want = std::move(*interpreted);
  }
  FileResults::returnValues(*function);
  if (!settings.emitPtx.empty())
    if (auto status = emitFileKernels(lowering, settings, **module); !status)
      return status.error();
  Outcome outcome;
  Entries entries;
  const double begin = now();
  auto code = compileFile(lowering, settings, **module, *function, entries);
  if (!code)
    return code.error();
  outcome.compilation = {now() - begin, compiler::originOf(code->outcome),
                         code->note};
  const int64_t launches = rt::launches();
  if (auto status = runEntries(*code->jit, entries, *arguments, settings.repeat,
                               modelled, *results, outcome);
      !status)
    return status.error();
  if (auto status = checkLaunches(settings, *arguments, launches); !status)
    return inFile(status.error());
  auto summary = results->summarise(want ? &*want : nullptr, *arguments);
  if (!summary)
    return summary.error();
  static_cast<ResultSummary &>(outcome) = *summary;
  printOutcome(settings, outcome);
  return outcome.passed.value_or(true);
}

} // namespace astfe::run
