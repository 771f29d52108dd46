//===- AttentionRun.cpp - runs sparse attention, checks and times it ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRun.h"
#include "ASTFE/Compiler/JitProgram.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Execution/KernelCache.h"
#include "AttentionLinalg.h"
#include "AttentionProblem.h"
#include "InTurn.h"

namespace astfe::run {
namespace {

/// Chains by the stages of settings.device; IR of each is written where the
/// settings say so, with the number of the chain.
class ChainCompiler {
public:
  ChainCompiler(const Settings &settings, Compilation &compilation)
      : settings(settings), compilation(compilation) {}

  core::Result<std::shared_ptr<const product::Program>>
  compile(const std::string &text);

private:
  const Settings &settings;
  Compilation &compilation;
  Lowering lowering;
  unsigned count = 0;
};

core::Result<std::shared_ptr<const product::Program>>
ChainCompiler::compile(const std::string &text) {
  const double begin = now();
  auto target = targetOf(settings);
  if (!target)
    return target.error();
  auto module = lowering.parse(text, "attention.mlir");
  if (!module)
    return module.error();
  JitOptions options;
  options.cpu = settings.cpu;
  options.features = settings.features;
  const std::string prefix = "chain" + std::to_string(count++) + "-";
  const std::vector<Stage> graph =
      graphStages(settings, settings.device != Device::Host);
  if (auto status = lowering.run(**module, graph, settings.dumpIr, prefix);
      !status)
    return status.error();
  auto code =
      KernelCache::process().compile(**module, options, target->text(), [&] {
        return lowering.run(**module, compiler::loweringStages(*target),
                            settings.dumpIr, prefix,
                            unsigned(graph.size()) + 1);
      });
  if (!code)
    return code.error();
  compilation.seconds += now() - begin;
  compilation.origin =
      std::min(compilation.origin, compiler::originOf(code->outcome));
  compilation.note = code->note;
  return compiler::programOf(code->jit);
}

/// One run, forward or with gradients.
core::Status runOnce(product::Attention &attention, AttentionProblem &problem,
                     AttentionResult &result, bool backward) {
  const product::AttentionOperands<const void> in{
      problem.q.data(), problem.k.data(), problem.v.data()};
  auto status = attention.forward(in, result.o.data(), result.lse.data());
  if (!status || !backward)
    return status;
  return attention.backward(
      in, problem.go.data(), result.lse.data(),
      {result.dq.data(), result.dk.data(), result.dv.data()});
}

/// What is not written is seen.
void forget(AttentionResult &result) {
  for (Dense *dense :
       {&result.o, &result.lse, &result.dq, &result.dk, &result.dv})
    dense->fill(~uint32_t(0));
}

/// Everything that a run has computed, against float64.
Difference compareAll(const AttentionProblem &problem,
                      const AttentionResult &result, bool backward) {
  Difference difference = compareForward(problem, result);
  if (backward) {
    const Difference gradients = compareBackward(problem, result);
    difference.maxRelative =
        std::max(difference.maxRelative, gradients.maxRelative);
    difference.passed &= gradients.passed;
  }
  return difference;
}

/// Upstream's code with the faster of both vector lengths, checked as ours.
core::Result<std::unique_ptr<UpstreamAttention>>
fasterUpstream(Lowering &lowering, const Settings &settings,
               AttentionProblem &problem, const AttentionResult &ours) {
  if (!compareForward(problem, ours).passed)
    return core::Error{"the result differs from float64"};
  using Made = std::unique_ptr<UpstreamAttention>;
  auto seconds = [&](const Made &made) -> core::Result<double> {
    auto times = timeInTurn(3, {[&] { return made->run(); }});
    if (!times)
      return times.error();
    AttentionResult result = ours; // The sums, which upstream does not return.
    made->fetch(result);
    if (!compareForward(problem, result).passed)
      return core::Error{"upstream's result differs from float64"};
    return median(times->front());
  };
  return fasterOfLengths(
      [&](int64_t length) {
        return UpstreamAttention::compile(lowering, settings, problem, length);
      },
      seconds);
}

/// What one run launches on the emulator.
core::Result<Report::Launches>
countLaunches(emu::Emulator &emulator,
              const std::function<core::Status()> &run) {
  const emu::LaunchTotals before = emulator.totals();
  if (auto status = run(); !status)
    return status.error();
  const emu::LaunchTotals &after = emulator.totals();
  return Report::Launches{after.launches - before.launches,
                          after.counters.sectors - before.counters.sectors,
                          after.counters.storeBytes -
                              before.counters.storeBytes};
}

/// The same chains as a kernel for each computation, compiled when they first
/// run.
class UnfusedAttention {
public:
  UnfusedAttention(const Settings &given, AttentionProblem &problem)
      : settings(unfused(given)), compiler(settings, compilation),
        problem(problem), result(problem.emptyResult()) {}

  core::Status create() {
    auto made = product::Attention::create(
        problem.mask.view(), problem.mask.values.data(), problem.shape,
        [&](const std::string &text, const product::ChainTarget &) {
          return compiler.compile(text);
        });
    if (!made)
      return made.error();
    attention = std::move(*made);
    forget(result);
    if (auto status = run(); !status)
      return status;
    if (!compareAll(problem, result, settings.backward).passed)
      return core::Error{"the result of separate kernels differs from "
                         "float64"};
    return core::Success();
  }
  core::Status run() {
    return runOnce(*attention, problem, result, settings.backward);
  }

private:
  static Settings unfused(Settings settings) {
    settings.fuse = false;
    settings.dumpIr.clear();
    return settings;
  }

  const Settings settings;
  Compilation compilation; ///< not reported
  ChainCompiler compiler;
  AttentionProblem &problem;
  AttentionResult result;
  std::unique_ptr<product::Attention> attention;
};

core::Status checkResult(product::Attention &attention,
                         AttentionProblem &problem, AttentionResult &result,
                         bool backward, Report &report) {
  forget(result);
  if (auto status = runOnce(attention, problem, result, backward); !status)
    return status;
  const Difference difference = compareAll(problem, result, backward);
  report.maxRelativeError = difference.maxRelative;
  report.passed = difference.passed;
  return core::Success();
}

} // namespace

core::Status runAttention(const Settings &settings, emu::Emulator *emulator,
                          ModelledRun &modelled, Report &report) {
  double begin = now();
  auto problem = readAttention(settings);
  if (!problem)
    return problem.error();
  report.seconds.read = now() - begin;
  report.rows = problem->mask.rows;
  report.cols = problem->mask.columns;
  report.nnz = problem->mask.nonzeros();
  report.order = "rows";
  report.reorder = "none";
  report.workers = report.threads;
  ChainCompiler compiler(settings, report.compilation);
  begin = now();
  auto attention = product::Attention::create(
      problem->mask.view(), problem->mask.values.data(), problem->shape,
      [&](const std::string &text, const product::ChainTarget &) {
        return compiler.compile(text);
      },
      {/*device=*/nullptr, /*chip=*/"",
       /*copiesOperands=*/settings.device != Device::Host});
  if (!attention)
    return attention.error();
  report.seconds.pack = now() - begin;
  AttentionResult result = problem->emptyResult();
  if (auto status = runOnce(**attention, *problem, result, settings.backward);
      !status)
    return status;
  std::vector<Runner> runners = {[&] {
    return runOnce(**attention, *problem, result, settings.backward);
  }};
  std::unique_ptr<UpstreamAttention> upstream;
  Lowering lowering;
  if (settings.compareUpstream) {
    auto rival = fasterUpstream(lowering, settings, *problem, result);
    if (!rival)
      return rival.error();
    upstream = std::move(*rival);
    report.seconds.upstreamCompile = upstream->seconds;
    runners.push_back([&] { return upstream->run(); });
  }
  std::unique_ptr<UnfusedAttention> unfused;
  if (settings.compareUnfused) {
    unfused = std::make_unique<UnfusedAttention>(settings, *problem);
    if (auto status = unfused->create(); !status)
      return status;
    if (emulator) {
      auto ours = countLaunches(*emulator, runners.front()),
           theirs = countLaunches(*emulator, [&] { return unfused->run(); });
      if (!ours || !theirs)
        return ours ? theirs.error() : ours.error();
      report.launches = {*ours, *theirs};
    } else {
      // The emulator's time says nothing.
      runners.push_back([&] { return unfused->run(); });
    }
  }
  report.seconds.withCopies = settings.device != Device::Host;
  auto seconds =
      timeInTurn(settings.repeat, runners, [&](size_t, bool) -> core::Status {
        modelled.begin();
        return core::Success();
      });
  modelled.end();
  if (!seconds)
    return seconds.error();
  report.seconds.runMedian = median(seconds->front());
  report.seconds.runMin = seconds->front().front();
  if (upstream)
    report.seconds.upstreamMedian = median(seconds->back());
  if (unfused && !emulator)
    report.seconds.unfusedMedian = median(seconds->back());
  if (!settings.check)
    return core::Success();
  return checkResult(**attention, *problem, result, settings.backward, report);
}

} // namespace astfe::run
