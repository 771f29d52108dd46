//===- Program.cpp - a compiled product and how it is called --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Pipelines/Upstream.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Transforms/Passes.h"
#include "Pipelines.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace astfe::run {
namespace {

/// A two-dimensional memref descriptor.
struct MemRef2D {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[2], strides[2];
};

AstfeMemRef1D vectorOf(const void *data, int64_t size) {
  void *pointer = const_cast<void *>(data);
  return {pointer, pointer, 0, size, 1};
}

/// A dense operand at `data`, which is host or device memory.
template <typename Descriptor>
Descriptor describe(void *data, const Dense &dense);
template <>
AstfeMemRef1D describe(void *data, const Dense &dense) {
  return vectorOf(data, dense.rows);
}
template <>
MemRef2D describe(void *data, const Dense &dense) {
  return {data, data, 0, {dense.rows, dense.columns}, {dense.columns, 1}};
}

/// The runtime's verdict on a call; a result that is not C itself would be a
/// copy that nobody asked for.
core::Status verdict(const void *result, const void *c, const Dense &shape) {
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  if (result != c && shape.rows * shape.columns != 0)
    return core::Error{"expected the product in place but got a copy"};
  return core::Success();
}

/// Calls the entry with B and C, after `leading`; Descriptor is that of a
/// vector or a matrix.
template <typename Descriptor, typename... Leading>
core::Status call(void *entry, Descriptor b, Descriptor c, const Dense &shape,
                  Leading... leading) {
  astfe_rt_clear_error();
  Descriptor result{};
  reinterpret_cast<void (*)(Descriptor *, Leading..., Descriptor *,
                            Descriptor *)>(entry)(&result, leading..., &b, &c);
  return verdict(result.aligned, c.aligned, shape);
}

/// Puts the address of a symbol where it belongs.
core::Status lookUp(const Jit &jit, llvm::StringRef symbol, void *&target) {
  auto address = jit.lookup(symbol);
  if (!address)
    return address.error();
  target = *address;
  return core::Success();
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace

void Compilation::add(const CachedCode &code, double took) {
  seconds += took;
  outcome = std::min(outcome, code.outcome);
  if (!code.note.empty())
    note = code.note;
}

core::Result<Device> resolveDevice(Device wanted) {
  if (wanted != Device::Auto && wanted != Device::Cuda)
    return wanted;
  auto cuda = rt::cudaDevice();
  if (cuda)
    return Device::Cuda;
  if (wanted == Device::Auto)
    return Device::Host;
  return core::Error{"--device=cuda: " + cuda.message()};
}

std::string deviceName(Device device) {
  switch (device) {
  case Device::Auto:
    return "auto";
  case Device::Host:
    return "host";
  case Device::Emulator:
    return "emulator";
  case Device::Cuda:
    return "cuda";
  }
  return {};
}

/// The CPU that settings name, and the width of its vectors.
static core::Status setTarget(const Settings &settings, StageRequest &request,
                              JitOptions &options) {
  options.cpu = settings.cpu;
  options.features = settings.features;
  auto target = hostTarget(settings.cpu, settings.features);
  if (!target)
    return target.error();
  request.vectorBytes = target->vectorBytes;
  return core::Success();
}

core::Result<CachedCode> compileFile(Lowering &lowering,
                                     const Settings &settings,
                                     mlir::ModuleOp module) {
  StageRequest request;
  JitOptions options;
  if (auto status = setTarget(settings, request, options); !status)
    return status.error();
  std::vector<Stage> graph = stagesFor(
      settings, settings.order.value_or(core::OrderKind::Rows), request);
  const std::vector<Stage> rest(graph.begin() + kGraphStages, graph.end());
  graph.resize(kGraphStages);
  if (auto status = lowering.run(module, graph, settings.dumpIr); !status)
    return status.error();
  return KernelCache::process().compile(
      module, options, loweringText(settings, request), [&] {
        return lowering.run(module, rest, settings.dumpIr, "",
                            kGraphStages + 1);
      });
}

static void eraseFunctions(mlir::ModuleOp module,
                           llvm::ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    module.lookupSymbol(name)->erase();
}

/// Lowers and compiles one part of the product.
core::Result<std::shared_ptr<Jit>> Program::compilePart(mlir::ModuleOp module,
                                                        llvm::StringRef prefix,
                                                        unsigned firstStage,
                                                        unsigned optLevel) {
  jitOptions.optLevel = optLevel;
  const auto begin = std::chrono::steady_clock::now();
  auto code = KernelCache::process().compile(
      module, jitOptions, loweringText(settings, request), [&] {
        return lowering->run(module, stages, settings.dumpIr, prefix.str(),
                             firstStage);
      });
  if (!code)
    return code.error();
  compilation.add(*code, secondsSince(begin));
  return code->jit;
}

/// The stages that the inspector and the kernel share, and all of the code that
/// does not wait for a pattern.
core::Status Program::compileStages(Lowering &context,
                                    mlir::OwningOpRef<mlir::ModuleOp> module,
                                    core::OrderKind order) {
  if (auto status = setTarget(settings, request, jitOptions); !status)
    return status;
  lowering = &context;
  const auto begin = std::chrono::steady_clock::now();
  stages = stagesFor(settings, order, request);
  std::vector<Stage> rest(stages.begin() + kGraphStages, stages.end());
  stages.resize(kGraphStages);
  if (auto status = context.run(*module, stages, settings.dumpIr); !status)
    return status;
  stages = std::move(rest);
  compilation.seconds += secondsSince(begin);
  if (!request.split) {
    auto code = compilePart(*module, "", kGraphStages + 1);
    if (!code)
      return code.error();
    jit = *code;
    return lookUp(*jit, "_mlir_ciface_product", entry);
  }
  kernel = module->clone();
  eraseFunctions(*kernel, {"product", "product_prepare"});
  eraseFunctions(*module, {"product", "product_run"});
  return compileInspector(std::move(module));
}

/// The inspector runs once. Mostly it only calls the runtime, so that nothing
/// is worth compiling.
core::Status
Program::compileInspector(mlir::OwningOpRef<mlir::ModuleOp> module) {
  if (!request.deviceOperands) {
    const auto begin = std::chrono::steady_clock::now();
    const Stage forwarded{"calls", [](mlir::OpPassManager &pm) {
                            pm.addPass(createForwardBuffersPass());
                            return mlir::success();
                          }};
    if (auto status =
            lowering->run(*module, {stages.front(), forwarded}, settings.dumpIr,
                          "prepare-", kGraphStages + 1);
        !status)
      return status;
    calls = CallProgram::get(module, "product_prepare");
    compilation.seconds += secondsSince(begin);
    if (calls)
      return core::Success();
  }
  auto code = compilePart(*module, "prepare-", kGraphStages + 1, 0);
  if (!code)
    return code.error();
  inspectorJit = *code;
  return lookUp(*inspectorJit, "_mlir_ciface_product_prepare", inspector);
}

/// The kernel, for what the pattern holds.
core::Status Program::compileKernel() {
  if (!kernel)
    return core::Success();
  auto *handle = rt::handleAs<rt::PatternHandle>(pattern);
  const auto begin = std::chrono::steady_clock::now();
  if (auto status =
          lowering->run(*kernel, {narrowingStage(settings, handle->classes)},
                        settings.dumpIr, "", kGraphStages + 1);
      !status)
    return status;
  compilation.seconds += secondsSince(begin);
  auto code = compilePart(*kernel, "", kGraphStages + 2);
  if (!code)
    return code.error();
  jit = *code;
  kernel = nullptr;
  return lookUp(*jit, "_mlir_ciface_product_run", entry);
}

core::Result<std::unique_ptr<Program>>
Program::compile(Lowering &lowering, const Settings &settings,
                 const Problem &problem, core::OrderKind order) {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<Program> program(new Program(settings));
  program->request.split = settings.storage == core::Storage::Packed;
  program->request.deviceOperands = settings.device != Device::Host;
  // Host code does not depend on A's extents: another matrix may share it.
  const bool any = settings.device == Device::Host;
  program->request.width = any ? problem.columns : 0;
  const Extents extents = any ? Extents::Any : Extents::Fixed;
  auto module =
      lowering.parse(moduleText(settings, problem, extents), "product.mlir");
  if (!module)
    return module.error();
  program->compilation.seconds = secondsSince(begin);
  if (auto status = program->compileStages(lowering, std::move(*module), order);
      !status)
    return status.error();
  if (program->request.deviceOperands) {
    auto device = rt::currentDevice();
    if (!device)
      return device.error();
    program->device = *device;
  }
  return program;
}

core::Result<std::unique_ptr<Program>>
Program::compileUpstream(Lowering &lowering, const Settings &settings,
                         const Problem &problem, int64_t vectorLength) {
  const auto begin = std::chrono::steady_clock::now();
  UpstreamOptions options;
  options.vectorLength = vectorLength;
  std::unique_ptr<Program> program(new Program(settings));
  program->stages = {{"entry",
                      [](mlir::OpPassManager &pm) {
                        pm.addPass(createExposeBuffersPass());
                        return mlir::success();
                      }},
                     {"upstream", [=](mlir::OpPassManager &pm) {
                        return buildUpstreamSparsifier(pm, options);
                      }}};
  if (auto status = setTarget(settings, program->request, program->jitOptions);
      !status)
    return status.error();
  program->jitOptions.contract = true;
  auto module = lowering.parse(moduleText(settings, problem, Extents::Fixed),
                               "product.mlir");
  if (!module)
    return module.error();
  const std::string name = "upstream-vl" + std::to_string(vectorLength);
  auto code =
      KernelCache::process().compile(**module, program->jitOptions, name, [&] {
        return lowering.run(**module, program->stages, settings.dumpIr,
                            name + "-");
      });
  if (!code)
    return code.error();
  program->jit = code->jit;
  program->compilation.add(*code, secondsSince(begin));
  if (auto status =
          lookUp(*program->jit, "_mlir_ciface_product", program->entry);
      !status)
    return status.error();
  return program;
}

Program::~Program() {
  _mlir_ciface_astfe_rt_release(pattern);
  std::free(hostValues);
  for (void *memory : allocated)
    (void)device->free(memory);
}

core::Result<void *> Program::place(const void *data, size_t bytes) {
  if (!device)
    return const_cast<void *>(data);
  // No allocation is empty: kernels may form pointers to it.
  auto memory = device->allocate(std::max<size_t>(bytes, 16), false);
  if (!memory)
    return memory;
  allocated.push_back(*memory);
  if (bytes != 0)
    if (auto status = device->copy(*memory, data, bytes, nullptr); !status)
      return status.error();
  return memory;
}

Prepared Program::callInspector() {
  Prepared prepared{};
  if (calls) {
    auto results = calls->run({sparse.positions, sparse.coordinates,
                               sparse.values, sparse.rows, sparse.columns});
    return {results[0].pointer, results[1].buffer};
  }
  reinterpret_cast<void (*)(Prepared *, AstfeMemRef1D *, AstfeMemRef1D *,
                            AstfeMemRef1D *, int64_t, int64_t)>(inspector)(
      &prepared, &sparse.positions, &sparse.coordinates, &sparse.values,
      sparse.rows, sparse.columns);
  return prepared;
}

core::Status Program::inspect() {
  if (!request.split)
    return core::Success();
  astfe_rt_clear_error();
  const Prepared prepared = callInspector();
  pattern = prepared.pattern;
  hostValues = prepared.values.allocated;
  packedValues = prepared.values;
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status Program::prepare(Problem &p, Dense &c) {
  problem = &p;
  result = &c;
  const size_t element = c.isDouble ? 8 : 4;
  sparse = {vectorOf(p.positions.data(), int64_t(p.positions.size())),
            vectorOf(p.coordinates.data(), p.nonzeros()),
            vectorOf(p.values.data(), p.nonzeros()), p.rows, p.columns};
  if (auto status = inspect(); !status)
    return status;
  if (auto status = compileKernel(); !status)
    return status;
  // What the product reads, and how many bytes an element has.
  std::vector<std::pair<AstfeMemRef1D *, size_t>> inputs = {
      {&packedValues, element}};
  if (!request.split)
    inputs = {{&sparse.positions, 4},
              {&sparse.coordinates, 4},
              {&sparse.values, element}};
  for (auto [input, size] : inputs) {
    auto data = place(input->aligned, size_t(input->size) * size);
    if (!data)
      return data.error();
    *input = vectorOf(*data, input->size);
  }
  Dense &b = p.operand;
  auto operand = place(b.data(), size_t(b.rows * b.columns) * element);
  if (!operand)
    return operand.error();
  auto output = place(c.data(), size_t(c.rows * c.columns) * element);
  if (!output)
    return output.error();
  operandData = *operand;
  resultData = *output;
  return core::Success();
}

core::Status Program::clear() {
  if (!device) {
    result->clear();
    return core::Success();
  }
  const size_t words =
      size_t(result->rows * result->columns) * (result->isDouble ? 2 : 1);
  if (auto status = device->fill32(resultData, 0, words, nullptr); !status)
    return status;
  return device->synchronize();
}

core::Status Program::fetch() {
  if (!device)
    return core::Success();
  const size_t bytes =
      size_t(result->rows * result->columns) * (result->isDouble ? 8 : 4);
  if (auto status = device->copy(result->data(), resultData, bytes, nullptr);
      !status)
    return status;
  return device->synchronize();
}

core::Status Program::run() {
  auto with = [&](auto b, auto c) {
    if (request.split)
      return call(entry, b, c, *result, pattern, &packedValues);
    return call(entry, b, c, *result, &sparse.positions, &sparse.coordinates,
                &sparse.values, sparse.rows, sparse.columns);
  };
  const Dense &b = problem->operand;
  if (vector)
    return with(describe<AstfeMemRef1D>(operandData, b),
                describe<AstfeMemRef1D>(resultData, *result));
  return with(describe<MemRef2D>(operandData, b),
              describe<MemRef2D>(resultData, *result));
}

} // namespace astfe::run
