//===- Program.cpp - a compiled product and how it is called --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "ASTFE/Pipelines/Upstream.h"
#include "ASTFE/Runtime/Device.h"
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

/// What the inspector returns: pattern and values in packed order.
struct Prepared {
  void *pattern;
  AstfeMemRef1D values;
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

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace

static core::Result<std::unique_ptr<Jit>>
lowerAndCompile(Lowering &lowering, const std::string &text,
                const std::vector<Stage> &stages, const std::string &dumpDir,
                const std::string &prefix, const JitOptions &options = {}) {
  auto module = lowering.parse(text, "product.mlir");
  if (!module)
    return module.error();
  if (auto status = lowering.run(**module, stages, dumpDir, prefix); !status)
    return status.error();
  return Jit::compile(**module, options);
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

core::Result<std::unique_ptr<Jit>> compileFile(Lowering &lowering,
                                               const Settings &settings,
                                               mlir::ModuleOp module) {
  const auto stages =
      stagesFor(settings, settings.order.value_or(core::OrderKind::Rows), {});
  if (auto status = lowering.run(module, stages, settings.dumpIr); !status)
    return status.error();
  return Jit::compile(module);
}

core::Status Program::find(const Settings &settings, bool hasInspector) {
  split = hasInspector;
  vector = settings.kernel == Kernel::SpMV;
  auto found =
      jit->lookup(split ? "_mlir_ciface_product_run" : "_mlir_ciface_product");
  if (!found)
    return found.error();
  entry = *found;
  if (!split)
    return core::Success();
  found = jit->lookup("_mlir_ciface_product_prepare");
  if (!found)
    return found.error();
  inspector = *found;
  return core::Success();
}

core::Result<std::unique_ptr<Program>>
Program::compile(Lowering &lowering, const Settings &settings,
                 const Problem &problem, core::OrderKind order) {
  const auto begin = std::chrono::steady_clock::now();
  const bool packed = settings.storage == core::Storage::Packed;
  StageRequest request;
  request.split = packed;
  request.deviceOperands = settings.device != Device::Host;
  auto jit =
      lowerAndCompile(lowering, moduleText(settings, problem),
                      stagesFor(settings, order, request), settings.dumpIr, "");
  if (!jit)
    return jit.error();
  std::unique_ptr<Program> program(new Program);
  program->jit = std::move(*jit);
  if (auto status = program->find(settings, packed); !status)
    return status.error();
  if (request.deviceOperands) {
    auto device = rt::currentDevice();
    if (!device)
      return device.error();
    program->device = *device;
  }
  program->compileSeconds = secondsSince(begin);
  return program;
}

core::Result<std::unique_ptr<Program>>
Program::compileUpstream(Lowering &lowering, const Settings &settings,
                         const Problem &problem, int64_t vectorLength) {
  const auto begin = std::chrono::steady_clock::now();
  UpstreamOptions options;
  options.vectorLength = vectorLength;
  std::vector<Stage> stages = {{"entry",
                                [](mlir::OpPassManager &pm) {
                                  pm.addPass(createExposeBuffersPass());
                                  return mlir::success();
                                }},
                               {"upstream", [=](mlir::OpPassManager &pm) {
                                  return buildUpstreamSparsifier(pm, options);
                                }}};
  JitOptions jitOptions;
  jitOptions.contract = true;
  auto jit = lowerAndCompile(
      lowering, moduleText(settings, problem), stages, settings.dumpIr,
      "upstream-vl" + std::to_string(vectorLength) + "-", jitOptions);
  if (!jit)
    return jit.error();
  std::unique_ptr<Program> program(new Program);
  program->jit = std::move(*jit);
  if (auto status = program->find(settings, /*hasInspector=*/false); !status)
    return status.error();
  program->compileSeconds = secondsSince(begin);
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

core::Status Program::inspect() {
  if (!split)
    return core::Success();
  astfe_rt_clear_error();
  Prepared prepared{};
  reinterpret_cast<void (*)(Prepared *, AstfeMemRef1D *, AstfeMemRef1D *,
                            AstfeMemRef1D *, int64_t, int64_t)>(inspector)(
      &prepared, &sparse.positions, &sparse.coordinates, &sparse.values,
      sparse.rows, sparse.columns);
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
  // What the product reads, and how many bytes an element has.
  std::vector<std::pair<AstfeMemRef1D *, size_t>> inputs = {
      {&packedValues, element}};
  if (!split)
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
    if (split)
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
