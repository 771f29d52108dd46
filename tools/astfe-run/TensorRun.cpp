//===- TensorRun.cpp - runs a product of a tensor, checks and times it ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorRun.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Runtime/StageLog.h"
#include "DeviceTimer.h"
#include "InTurn.h"
#include "TensorLinalg.h"
#include "TensorProblem.h"

namespace astfe::run {
namespace {

core::PlanOptions planOptions(const Settings &settings,
                              const TensorProblem &problem) {
  core::PlanOptions options = product::tensorPlanOptions(
      problem.tensor.nonzeros(), settings.columns, settings.arithmetic.element);
  options.order = settings.order;
  options.reorder = settings.reorder;
  options.hubs = settings.hubs;
  options.profile.min = options.refine.min = settings.min;
  if (settings.leaf)
    options.partition.leaf = settings.leaf;
  options.setThreshold(settings.threshold);
  return options;
}

void reportPlan(const core::Plan &plan, Report &report) {
  report.order = std::string(core::orderName(plan.arrangement.order));
  report.reorder = std::string(core::reorderName(plan.arrangement.reorder));
  report.blocks =
      Report::Blocks{int64_t(plan.initial.size()), int64_t(plan.refined.size()),
                     int64_t(plan.fused.size())};
  report.seconds.order = plan.orderSeconds;
  report.seconds.profile = plan.profileSeconds;
  report.seconds.partition = plan.partitionSeconds;
}

/// The dense operands where the product is computed.
class Operands {
public:
  /// A null device is the host.
  Operands(TensorProblem &problem, rt::Device *device)
      : inputs(problem.inputViews()), output(problem.output()),
        target(output.view()), device(device) {}
  ~Operands() {
    for (void *memory : allocated)
      (void)device->free(memory);
  }

  /// Brings them to the device.
  core::Status place(const TensorProblem &problem) {
    for (size_t i = 0; device && i <= inputs.size(); ++i) {
      const bool isOutput = i == inputs.size();
      const Dense &dense = isOutput ? output.dense : problem.inputs[i].dense;
      auto memory =
          device->allocate(std::max<size_t>(dense.bytes.size(), 16), false);
      if (!memory)
        return memory.error();
      allocated.push_back(*memory);
      (isOutput ? target : inputs[i]).data = *memory;
      if (auto status = copy(*memory, dense.data(), dense.bytes.size());
          !status)
        return status;
    }
    return core::Success();
  }

  core::Status clear(const Settings &settings) {
    fillForRun(output.dense, settings.arithmetic, settings.accumulate);
    return device ? copy(target.data, output.dense.data(),
                         output.dense.bytes.size())
                  : core::Success();
  }
  /// Brings the output to the host.
  core::Status fetch() {
    return device ? copy(output.dense.data(), target.data,
                         output.dense.bytes.size())
                  : core::Success();
  }

  std::vector<product::DenseTensor> inputs;
  TensorOperand output;
  product::DenseTensor target; ///< the output's elements
  rt::Device *const device;

private:
  core::Status copy(void *to, const void *from, size_t bytes) {
    if (bytes != 0)
      if (auto status = device->copy(to, from, bytes, nullptr); !status)
        return status;
    return device->synchronize();
  }

  std::vector<void *> allocated;
};

/// How the product is computed: a matrix may be left as it is stored, or be cut
/// for fewer workers than there are threads.
void reportStorage(product::PackedTensor &tensor,
                   const product::TensorProduct &product, Report &report) {
  report.groups = tensor.bricks().bricks();
  report.workers = _mlir_ciface_astfe_rt_workers();
  const product::Matrix *matrix = tensor.matrixFor(product);
  if (!matrix)
    return;
  report.matrix = {matrix->rows(), matrix->columns()};
  if (const core::Packed *pattern = matrix->pattern())
    report.workers = pattern->workers();
  else
    report.storage = "view";
}

core::Result<std::vector<std::vector<double>>>
timeRuns(const Settings &settings, int64_t repeat, Operands &operands,
         const std::vector<Runner> &runners) {
  DeviceTimer timer(operands.device);
  std::vector<TimedRunner> timed;
  for (const Runner &runner : runners)
    timed.push_back([&] { return timer.time(runner); });
  return takeTurns(repeat, timed, [&](size_t, bool warmsUp) -> core::Status {
    if (settings.accumulate || warmsUp)
      return operands.clear(settings);
    return core::Success();
  });
}

/// Once more, into what nothing was added to.
core::Result<Difference> checkAlone(const Settings &settings,
                                    const TensorProblem &problem,
                                    Operands &operands, const Runner &runner,
                                    Rounding rounding = Rounding::Once) {
  for (const Runner &step : {Runner([&] { return operands.clear(settings); }),
                             runner, Runner([&] { return operands.fetch(); })})
    if (auto status = step(); !status)
      return status.error();
  return compare(problem, operands.output, rounding);
}

/// Upstream's program with the faster of both vector lengths, checked as ours.
core::Result<Runner> fasterUpstream(const Settings &settings,
                                    TensorProblem &problem, Operands &operands,
                                    Report &report) {
  auto fibers = Fibers::get(problem.tensor, problem.values, problem.product);
  if (!fibers)
    return fibers.error();
  auto shared = std::make_shared<Fibers>(std::move(*fibers));
  compiler::Lowering lowering;
  auto make = [&](int64_t length) -> core::Result<Runner> {
    auto made = FiberProgram::upstream(lowering, settings, problem.product,
                                       *shared, length);
    if (!made)
      return made.error();
    std::shared_ptr<FiberProgram> program = std::move(*made);
    report.seconds.upstreamCompile = program->seconds;
    return Runner([&operands, shared, program] {
      return program->run(*shared, operands.inputs, operands.target);
    });
  };
  auto seconds = [&](const Runner &runner) -> core::Result<double> {
    auto times = timeRuns(settings, 3, operands, {runner});
    if (!times)
      return times.error();
    auto difference =
        checkAlone(settings, problem, operands, runner, Rounding::EachStep);
    if (!difference)
      return difference.error();
    if (!difference->passed)
      return core::Error{"upstream's result differs from float64"};
    report.upstreamUncompared =
        Report::Uncompared{difference->unbounded, operands.output.dense.size()};
    return median(times->front());
  };
  return fasterOfLengths(make, seconds);
}

/// What is not done for tensors yet is refused before anything is read. `what`
/// is the operand as texts call it.
core::Status checkSettings(const Settings &settings, const char *what) {
  if (settings.compareUpstream && settings.device != Device::Host)
    return core::Error{"--compare: expected --device=host but got " +
                       deviceName(settings.device)};
  if (settings.reorder.value_or(core::ReorderKind::None) !=
      core::ReorderKind::None)
    return core::Error{std::string("--reorder: expected none or auto for ") +
                       what + " but got " +
                       std::string(core::reorderName(*settings.reorder)) +
                       ", which renumbers what is packed as a matrix"};
  if (settings.storage != core::Storage::Packed)
    return core::Error{
        std::string("--storage: expected packed or auto for ") + what +
        " but got view: every mode's product reads coordinates that are "
        "grouped by that mode"};
  return core::Success();
}

core::Status runProblem(const Settings &settings, TensorProblem &problem,
                        Report &report) {
  report.nnz = problem.tensor.nonzeros();
  auto plan = core::makePlan(problem.view(), planOptions(settings, problem));
  if (!plan)
    return plan.error();
  reportPlan(*plan, report);
  product::TensorOptions options;
  options.arithmetic = settings.arithmetic;
  options.cpu = settings.cpu;
  options.features = settings.features;
  if (settings.device != Device::Host) {
    auto device = rt::currentDevice();
    if (!device)
      return device.error();
    options.device = *device;
    options.chip = settings.chip;
  }
  compiler::KernelCompiler source(
      {settings.dumpIr, settings.device == Device::Emulator ? "llvm" : "isa"});
  auto tensor =
      product::PackedTensor::pack(problem.view(), problem.values.data(),
                                  plan->fused, options, source, &source);
  if (!tensor)
    return tensor.error();
  auto kernel = (*tensor)->prepare(problem.product, settings.accumulate);
  if (!kernel)
    return kernel.error();
  report.compilation = {(*kernel)->seconds, (*kernel)->origin, (*kernel)->note};
  report.seconds.pack = (*tensor)->packSeconds;
  reportStorage(**tensor, problem.product, report);
  auto traffic = (*tensor)->traffic(problem.product);
  if (!traffic)
    return traffic.error();
  report.trafficBytes = traffic->total();
  Operands operands(problem, options.device);
  if (auto status = operands.place(problem); !status)
    return status;
  std::vector<Runner> runners = {[&] {
    return (*tensor)->compute(problem.product, operands.inputs, operands.target,
                              settings.accumulate);
  }};
  if (settings.compareUpstream) {
    auto rival = fasterUpstream(settings, problem, operands, report);
    if (!rival)
      return rival.error();
    runners.push_back(*rival);
  }
  auto seconds = timeRuns(settings, settings.repeat, operands, runners);
  if (!seconds)
    return seconds.error();
  report.slices = rt::stageLog().slices;
  report.seconds.runMedian = median(seconds->front());
  report.seconds.runMin = seconds->front().front();
  if (settings.compareUpstream)
    report.seconds.upstreamMedian = median(seconds->back());
  if (!settings.check)
    return core::Success();
  auto difference = checkAlone(settings, problem, operands, runners.front());
  if (!difference)
    return difference.error();
  report.maxRelativeError = difference->maxRelative;
  report.passed = difference->passed;
  return core::Success();
}

} // namespace

core::Status runTensor(const Settings &settings, Report &report) {
  if (auto status = checkSettings(settings, "a tensor"); !status)
    return status;
  const double begin = now();
  auto problem = readTensorProblem(settings);
  if (!problem)
    return problem.error();
  report.seconds.read = now() - begin;
  report.extents = problem->tensor.shape;
  report.mode = settings.mode;
  return runProblem(settings, *problem, report);
}

/// What there is for matrices of 32-bit indices only.
static core::Status checkFar(const Settings &settings) {
  if (settings.kernel == Kernel::SDDMM)
    return core::Error{"expected a product, as there are no samples of it"};
  if (!settings.emitPtx.empty() || !settings.emitPacked.empty())
    return core::Error{"expected neither --emit-ptx nor --emit-packed"};
  if (settings.compareUpstream)
    return core::Error{"--compare: expected no peer but got upstream, whose "
                       "arrays have indices of 32 bits"};
  if (settings.hubs != core::kNoHubs && settings.hubs != core::kAutoHubs)
    return core::Error{"--hubs: expected none or auto for such a matrix but "
                       "got " +
                       std::to_string(settings.hubs)};
  return checkSettings(settings, "such a matrix");
}

core::Status runFarMatrix(const Settings &settings, core::CooTensor matrix,
                          Report &report) {
  if (auto status = checkFar(settings); !status)
    return core::Error{settings.matrix +
                       ": of 2^31 rows, columns or nonzeros "
                       "and more, packed as a tensor: " +
                       status.message()};
  auto problem = makeFarProblem(settings, std::move(matrix));
  if (!problem)
    return problem.error();
  return runProblem(settings, *problem, report);
}

} // namespace astfe::run
