//===- astfe-run.cpp - runs a sparse program, checks and times it ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a matrix, plans the partition, compiles the product for a device, runs
// it (beside upstream's sparsifier where asked, in turn), checks it against
// float64 and reports. Exits with 0, or with 1 after one line that says what is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ChooseOrder.h"
#include "EmitFiles.h"
#include "Program.h"
#include "Report.h"
#include "RunFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <new>
#include <stdexcept>

using namespace astfe;
using namespace astfe::run;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What the runtime logged while the program prepared itself.
void reportPreparation(Report &report) {
  const rt::StageLog &log = rt::stageLog();
  report.blocks = Report::Blocks{log.initial, log.refined, log.fused};
  report.groups = log.groups;
  report.workers = log.workers;
  report.imbalance = log.imbalance;
  report.seconds.profile = log.profile;
  report.seconds.partition = log.partition;
  report.seconds.pack = log.pack + log.values;
}

/// One warm-up, then `repeat` timed runs of each program in turn: A B A B. All
/// have been prepared.
core::Status timeRuns(int64_t repeat, llvm::ArrayRef<Program *> programs,
                      std::vector<std::vector<double>> &seconds) {
  seconds.assign(programs.size(), {});
  for (int64_t i = -1; i < repeat; ++i)
    for (size_t p = 0; p < programs.size(); ++p) {
      if (auto status = programs[p]->clear(); !status)
        return status;
      const double begin = now();
      if (auto status = programs[p]->run(); !status)
        return status;
      if (i >= 0)
        seconds[p].push_back(now() - begin);
    }
  return core::Success();
}

void checkResult(const Problem &problem, const Dense &result, Report &report) {
  const Difference difference = compare(problem, result);
  report.maxRelativeError = difference.maxRelative;
  report.passed = difference.passed;
}

/// Upstream's program with the faster of both vector lengths, by one run each
/// after a warm-up; checked as ours is, since a wrong rival proves nothing.
core::Result<std::unique_ptr<Program>> fasterUpstream(Lowering &lowering,
                                                      const Settings &settings,
                                                      Problem &problem,
                                                      Dense &result) {
  std::unique_ptr<Program> best;
  double least = 0;
  for (int64_t length : {0, 16}) {
    auto program =
        Program::compileUpstream(lowering, settings, problem, length);
    if (!program)
      return program.error();
    if (auto status = (*program)->prepare(problem, result); !status)
      return status.error();
    std::vector<std::vector<double>> seconds;
    if (auto status = timeRuns(3, {program->get()}, seconds); !status)
      return status.error();
    if (!compare(problem, result).passed)
      return core::Error{"upstream's result differs from float64"};
    const double time = median(seconds[0]);
    if (!best || time < least) {
      best = std::move(*program);
      least = time;
    }
  }
  return best;
}

core::Status runProduct(Settings settings, Report &report) {
  double begin = now();
  auto problem = readProblem(settings);
  if (!problem)
    return problem.error();
  report.seconds.read = now() - begin;
  report.rows = problem->rows;
  report.cols = problem->columns;
  report.nnz = problem->nonzeros();
  auto chosen = chooseOrder(settings, *problem);
  if (!chosen)
    return chosen.error();
  settings = chosen->settings;
  report.order = std::string(core::orderName(*settings.order));
  report.reorder = std::string(core::reorderName(*settings.reorder));
  report.trafficBytes = chosen->trafficBytes;
  report.seconds.order = chosen->seconds;
  Lowering lowering;
  auto program =
      Program::compile(lowering, settings, *problem, *settings.order);
  if (!program)
    return program.error();
  Dense result =
      Dense::zero(problem->rows, settings.columns, settings.isDouble);
  if (auto status = (*program)->prepare(*problem, result); !status)
    return status;
  report.compilation = (*program)->compilation;
  if (settings.storage == core::Storage::Packed)
    reportPreparation(report);

  std::vector<Program *> programs = {program->get()};
  std::unique_ptr<Program> upstream;
  if (settings.compareUpstream) {
    auto rival = fasterUpstream(lowering, settings, *problem, result);
    if (!rival)
      return rival.error();
    upstream = std::move(*rival);
    report.seconds.upstreamCompile = upstream->compilation.seconds;
    programs.insert(programs.begin(), upstream.get());
  }
  // Ours is last in each turn, so that `result` is ours when the check reads
  // it.
  std::vector<std::vector<double>> seconds;
  if (auto status = timeRuns(settings.repeat, programs, seconds); !status)
    return status;
  if (auto status = (*program)->fetch(); !status)
    return status;
  report.seconds.runMedian = median(seconds.back());
  report.seconds.runMin = seconds.back().front();
  if (upstream)
    report.seconds.upstreamMedian = median(seconds.front());
  if (settings.check)
    checkResult(*problem, result, report);
  return emitFiles(lowering, settings, *problem, *settings.order);
}

int fail(const std::string &text) {
  llvm::WithColor::error(llvm::errs(), "astfe-run") << text << '\n';
  return 1;
}

int mainOrThrow(Settings settings) {
  astfe_rt_set_threads(settings.threads);
  CacheSettings cache = CacheSettings::from(settings.kernelCache);
  cache.maxBytes = uint64_t(settings.kernelCacheBytes);
  KernelCache::process().configure(cache);
  auto device = resolveDevice(settings.device);
  if (!device)
    return fail(device.message());
  settings.device = *device;
  // Modules load themselves into the current device as they are compiled.
  emu::Emulator emulator;
  if (settings.device == Device::Emulator)
    rt::setDevice(&emulator);
  if (settings.kernel == Kernel::File) {
    auto passed = runFile(settings);
    if (!passed)
      return fail(passed.message());
    return *passed ? 0 : 1;
  }
  Report report;
  report.kernel = settings.kernel == Kernel::SpMV ? "spmv" : "spmm";
  report.storage =
      settings.storage == core::Storage::Packed ? "packed" : "view";
  report.type = settings.isDouble ? "f64" : "f32";
  report.columns = settings.columns;
  report.threads = _mlir_ciface_astfe_rt_threads();
  report.device = deviceName(settings.device);
  if (auto status = runProduct(settings, report); !status)
    return fail(status.message());
  if (settings.json)
    report.printJson(llvm::outs());
  else
    report.printText(llvm::outs());
  return report.passed.value_or(true) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  // No llvm::InitLLVM: it makes a failed allocation abort instead of throw.
  const Settings settings = parseCommandLine(argc, argv);
  try {
    return mainOrThrow(settings);
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::length_error &) {
    return fail("out of memory");
  }
}
