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

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Target/Chip.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include "ASTFE/Runtime/Device.h"
#include "AttentionRun.h"
#include "EmitFiles.h"
#include "InTurn.h"
#include "ModelledRun.h"
#include "PlanOptions.h"
#include "Program.h"
#include "Report.h"
#include "RunFile.h"
#include "TensorRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <unistd.h>

using namespace astfe;
using namespace astfe::run;

namespace {

/// What the plan and pack took.
void reportSeconds(const core::Plan &plan, const PackReport &pack,
                   Report &report) {
  report.seconds.profile = plan.profileSeconds;
  report.seconds.partition = plan.partitionSeconds;
  report.seconds.pack = pack.seconds;
}

/// What the plan and pack made of the matrix.
void reportGraph(const core::Plan &plan, const PackReport &pack,
                 Report &report) {
  report.blocks =
      Report::Blocks{int64_t(plan.initial.size()), int64_t(plan.refined.size()),
                     int64_t(plan.fused.size())};
  report.groups = pack.groups;
  report.workers = pack.workers;
  report.imbalance = pack.imbalance;
  report.columnBits = pack.columnBits;
}

/// The order and reordering that were chosen, and what they cost.
core::Status reportOrder(const core::Plan &plan,
                         const core::PlanOptions &options,
                         const Problem &problem, Report &report) {
  report.order = std::string(core::orderName(plan.arrangement.order));
  report.reorder = std::string(core::reorderName(plan.arrangement.reorder));
  report.seconds.order = plan.orderSeconds;
  auto traffic = core::countTraffic(options.model(), problem.view(), plan.fused,
                                    options.partition.workers);
  if (!traffic)
    return traffic.error();
  // Samples only read what a product reads and writes.
  if (report.inner)
    *traffic = {traffic->inputBytes, traffic->outputBytes / 2,
                traffic->indexBytes, 0};
  report.trafficBytes = traffic->total();
  return core::Success();
}

/// All have been prepared. What is added to begins anew each time.
core::Result<std::vector<std::vector<double>>>
timeRuns(int64_t repeat, bool accumulate, llvm::ArrayRef<Program *> programs) {
  std::vector<TimedRunner> runners;
  for (Program *program : programs)
    runners.push_back([=] { return program->runTimed(); });
  auto clear = [&](size_t p, bool) { return programs[p]->clear(); };
  if (accumulate)
    return takeTurns(repeat, runners, clear);
  return takeTurns(repeat, runners);
}

/// Threads to compare with, the setting or the machine's.
unsigned threads() { return unsigned(_mlir_ciface_astfe_rt_threads()); }

/// The result of one more run, so that nothing of other programs is in it.
core::Status runAlone(Program &program) {
  for (auto step : {&Program::clear, &Program::run, &Program::fetch})
    if (auto status = (program.*step)(); !status)
      return status;
  return core::Success();
}

core::Status checkResult(Program &program, const Problem &problem,
                         const Dense &result, Report &report) {
  if (auto status = runAlone(program); !status)
    return status;
  const Difference difference = compare(problem, result, threads());
  report.maxRelativeError = difference.maxRelative;
  report.passed = difference.passed;
  return core::Success();
}

/// Upstream's program with the faster of both vector lengths, checked as ours.
core::Result<std::unique_ptr<Program>>
fasterUpstream(compiler::Lowering &lowering, const Settings &settings,
               Problem &problem, Dense &result, Report &report) {
  auto seconds =
      [&](const std::unique_ptr<Program> &program) -> core::Result<double> {
    if (auto status = program->prepare(problem, result); !status)
      return status.error();
    auto times = timeRuns(3, settings.accumulate, program.get());
    if (!times)
      return times.error();
    if (auto status = runAlone(*program); !status)
      return status.error();
    const Difference difference =
        compare(problem, result, threads(), Rounding::EachStep);
    if (!difference.passed)
      return core::Error{"upstream's result differs from float64"};
    report.upstreamUncompared =
        Report::Uncompared{difference.unbounded, result.size()};
    return median(times->front());
  };
  return fasterOfLengths(
      [&](int64_t length) {
        return Program::upstream(lowering, settings, problem, length);
      },
      seconds);
}

/// What `source` and `lowering` compile, of the storage that is asked for.
core::Result<std::unique_ptr<Program>>
makeProgram(product::KernelSource &source, compiler::Lowering &lowering,
            const Settings &settings, const Problem &problem,
            const core::Plan &plan) {
  if (settings.choosesStorage && settings.device == Device::Host)
    return Program::chosen(source, settings, plan);
  if (settings.storage == core::Storage::Packed)
    return Program::packed(source, settings, plan.fused);
  return Program::view(lowering, settings, problem);
}

/// What --storage=auto asks for a GPU.
bool takesView(const Settings &settings, const Problem &problem,
               const core::Plan &plan) {
  return settings.choosesStorage && settings.device != Device::Host &&
         core::takesGPUView(problem.view(), plan.arrangement,
                            gpuProducts(settings));
}

core::Status runProduct(Settings settings, Report &report) {
  double begin = now();
  auto matrix = readMatrix(settings);
  if (!matrix)
    return matrix.error();
  report.rows = matrix->shape[0];
  report.cols = matrix->shape[1];
  report.nnz = matrix->nonzeros();
  if (core::isFar(matrix->view())) {
    report.seconds.read = now() - begin;
    return runFarMatrix(settings, std::move(*matrix), report);
  }
  auto problem = makeProblem(settings, *matrix);
  if (!problem)
    return problem.error();
  // It has arrays of its own.
  *matrix = core::CooTensor();
  report.seconds.read = now() - begin;
  const core::PlanOptions options = planOptions(settings);
  auto plan = core::makePlan(problem->view(), options);
  if (!plan)
    return plan.error();
  if (auto status = reportOrder(*plan, options, *problem, report); !status)
    return status;
  // A graph that is asked for is not ignored, nor is an order of a matrix by
  // columns, whose views may be as good as any other that is chosen.
  settings.choosesStorage &=
      !asksForGraph(settings) &&
      !(settings.transpose && (settings.order || settings.reorder ||
                               settings.hubs != core::kAutoHubs));
  settings.setArrangement(plan->arrangement);
  if (takesView(settings, *problem, *plan))
    settings.storage = core::Storage::View;
  compiler::KernelCompiler source(
      {settings.dumpIr, settings.device == Device::Emulator ? "llvm" : "isa"});
  compiler::Lowering lowering;
  auto program = makeProgram(source, lowering, settings, *problem, *plan);
  if (!program)
    return program.error();
  Dense result = emptyResult(*problem, settings);
  if (auto status = (*program)->prepare(*problem, result); !status)
    return status;
  report.compilation = (*program)->compilation;
  const bool isPacked = (*program)->storage == core::Storage::Packed;
  report.storage = isPacked ? "packed" : "view";
  report.isViewAfterAll =
      !isPacked && settings.choosesStorage && settings.device == Device::Host;
  if (report.isViewAfterAll) {
    report.order = core::orderName(core::OrderKind::Rows);
    report.reorder = core::reorderName(core::ReorderKind::None);
  }
  if (isPacked || report.isViewAfterAll)
    reportSeconds(*plan, (*program)->pack, report);
  if (isPacked)
    reportGraph(*plan, (*program)->pack, report);

  std::vector<Program *> programs = {program->get()};
  std::unique_ptr<Program> upstream;
  if (settings.compareUpstream) {
    auto rival = fasterUpstream(lowering, settings, *problem, result, report);
    if (!rival)
      return rival.error();
    upstream = std::move(*rival);
    report.seconds.upstreamCompile = upstream->compilation.seconds;
    programs.insert(programs.begin(), upstream.get());
  }
  auto seconds = timeRuns(settings.repeat, settings.accumulate, programs);
  if (!seconds)
    return seconds.error();
  report.seconds.runMedian = median(seconds->back());
  report.seconds.runMin = seconds->back().front();
  if (upstream)
    report.seconds.upstreamMedian = median(seconds->front());
  if (settings.check)
    if (auto status = checkResult(**program, *problem, result, report); !status)
      return status;
  return emitFiles(lowering, settings, *problem, plan->fused);
}

int fail(const std::string &text) {
  llvm::WithColor::error(llvm::errs(), "astfe-run") << text << '\n';
  return 1;
}

const char *kernelName(Kernel kernel) {
  switch (kernel) {
  case Kernel::SpMV:
    return "spmv";
  case Kernel::SpMM:
    return "spmm";
  case Kernel::SDDMM:
    return "sddmm";
  case Kernel::Attention:
    return "attention";
  case Kernel::MTTKRP:
    return "mttkrp";
  case Kernel::TTV:
    return "ttv";
  case Kernel::TTM:
    return "ttm";
  case Kernel::File:
    break;
  }
  return "file";
}

/// What the device, or the way that was asked for, has no code for.
core::Status checkArithmetic(const Settings &settings) {
  const core::Arithmetic &arithmetic = settings.arithmetic;
  const bool isPlain = arithmetic.semiring == core::Semiring::PlusTimes;
  if (settings.kernel == Kernel::Attention &&
      (!isPlain || !core::isFloat(arithmetic.element)))
    return core::Error{"attention: expected sums of products of floats but "
                       "got " +
                       arithmetic.text()};
  return core::Success();
}

core::Status runKernel(const Settings &settings, emu::Emulator &emulator,
                       ModelledRun &modelled, Report &report) {
  if (isOfTensors(settings.kernel))
    return runTensor(settings, report);
  if (settings.kernel == Kernel::Attention)
    return runAttention(
        settings, settings.device == Device::Emulator ? &emulator : nullptr,
        modelled, report);
  return runProduct(settings, report);
}

/// As C and Python do: what is compiled is for the GPU that is there.
core::Status chooseChip(Settings &settings) {
  if (!settings.choosesChip || settings.device != Device::Cuda)
    return core::Success();
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  if (!core::findChip((*device)->chip()))
    return core::Error{"--device=cuda: expected a GPU that is " +
                       core::chipNames() + " but got '" + (*device)->chip() +
                       "'; --chip says what kernels are for"};
  settings.chip = (*device)->chip();
  return core::Success();
}

int mainOrThrow(Settings settings) {
  astfe_rt_set_threads(settings.threads);
  astfe_rt_set_memory(settings.memory);
  CacheSettings cache = CacheSettings::from(settings.kernelCache);
  cache.maxBytes = uint64_t(settings.kernelCacheBytes);
  KernelCache::process().configure(cache);
  if (isOfTensors(settings.kernel) && settings.device == Device::Auto)
    settings.device = Device::Host;
  auto device = resolveDevice(settings.device);
  if (!device)
    return fail(device.message());
  settings.device = *device;
  if (auto status = chooseChip(settings); !status)
    return fail(status.message());
  if (auto status = checkArithmetic(settings); !status)
    return fail(status.message());
  // Modules load themselves into the current device as they are compiled.
  emu::Emulator emulator;
  if (settings.device == Device::Emulator)
    rt::setDevice(&emulator);
  ModelledRun modelled;
  if (!settings.model.empty())
    if (auto status = modelled.record(emulator, settings.model); !status)
      return fail(status.message());
  if (settings.kernel == Kernel::File) {
    auto passed = runFile(settings, modelled);
    if (!passed)
      return fail(passed.message());
    if (!settings.model.empty())
      if (auto status = modelled.print(); !status)
        return fail(status.message());
    return *passed ? 0 : 1;
  }
  Report report;
  report.kernel = kernelName(settings.kernel);
  report.storage =
      settings.storage == core::Storage::Packed ? "packed" : "view";
  report.type = core::elementName(settings.arithmetic.element);
  report.semiring = core::semiringName(settings.arithmetic.semiring);
  if (settings.kernel == Kernel::SDDMM)
    report.inner = settings.columns;
  else
    report.columns = settings.columns;
  report.accumulate = settings.accumulate;
  report.transpose = settings.transpose;
  report.threads = _mlir_ciface_astfe_rt_threads();
  report.device = deviceName(settings.device);
  if (settings.kernel == Kernel::Attention) {
    report.attention =
        Report::Heads{settings.heads, settings.dim,
                      std::string(product::maskNames()[size_t(settings.mask)]),
                      settings.backward};
    report.columns = settings.heads * settings.dim;
  }
  auto status = runKernel(settings, emulator, modelled, report);
  if (!status)
    return fail(status.message());
  if (settings.json)
    report.printJson(llvm::outs());
  else
    report.printText(llvm::outs());
  if (!settings.model.empty())
    if (auto status = modelled.print(); !status)
      return fail(status.message());
  return report.passed.value_or(true) ? 0 : 1;
}

} // namespace

/// What was printed and did not get out, as of the help, which ends the process
/// itself: the stream's own end would abort.
static void checkOutput() {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return;
  const std::string text = llvm::outs().error().message();
  llvm::outs().clear_error();
  _exit(fail("cannot write to standard output: " + text));
}

int main(int argc, char **argv) {
  // No llvm::InitLLVM: it makes a failed allocation abort instead of throw.
  llvm::outs();
  std::atexit(checkOutput);
  core::failBeyondSizeLimit();
  const Settings settings = parseCommandLine(argc, argv);
  try {
    return mainOrThrow(settings);
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::length_error &) {
    return fail("out of memory");
  }
}
