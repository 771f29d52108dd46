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

MemRef2D matrixOf(Dense &dense) {
  return {dense.data(),
          dense.data(),
          0,
          {dense.rows, dense.columns},
          {dense.columns, 1}};
}

/// The buffers of A, as every entry takes them.
struct SparseArguments {
  explicit SparseArguments(Problem &p)
      : positions(vectorOf(p.positions.data(), int64_t(p.positions.size()))),
        coordinates(vectorOf(p.coordinates.data(), p.nonzeros())),
        values(vectorOf(p.values.data(), p.nonzeros())), rows(p.rows),
        columns(p.columns) {}
  AstfeMemRef1D positions, coordinates, values;
  int64_t rows, columns;
};

/// The runtime's verdict on a call; a result that is not C itself would be a
/// copy that nobody asked for.
core::Status verdict(const void *result, Dense &c) {
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  if (result != c.data() && c.rows * c.columns != 0)
    return core::Error{"expected the product in place but got a copy"};
  return core::Success();
}

/// Calls the entry with B and C as vectors or matrices, after `leading`.
template <typename... Leading>
core::Status callDense(void *entry, bool vector, Dense &b, Dense &c,
                       Leading... leading) {
  astfe_rt_clear_error();
  if (vector) {
    AstfeMemRef1D result{}, x = vectorOf(b.data(), b.rows),
                            y = vectorOf(c.data(), c.rows);
    reinterpret_cast<void (*)(AstfeMemRef1D *, Leading..., AstfeMemRef1D *,
                              AstfeMemRef1D *)>(entry)(&result, leading..., &x,
                                                       &y);
    return verdict(result.aligned, c);
  }
  MemRef2D result{}, x = matrixOf(b), y = matrixOf(c);
  reinterpret_cast<void (*)(MemRef2D *, Leading..., MemRef2D *, MemRef2D *)>(
      entry)(&result, leading..., &x, &y);
  return verdict(result.aligned, c);
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace

static core::Result<std::unique_ptr<Jit>>
lowerAndCompile(Lowering &lowering, const std::string &text,
                const std::vector<Stage> &stages, const std::string &dumpDir,
                const std::string &prefix) {
  auto module = lowering.parse(text, "product.mlir");
  if (!module)
    return module.error();
  if (auto status = lowering.run(**module, stages, dumpDir, prefix); !status)
    return status.error();
  return Jit::compile(**module);
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
  auto jit =
      lowerAndCompile(lowering, moduleText(settings, problem),
                      stagesFor(settings, order, request), settings.dumpIr, "");
  if (!jit)
    return jit.error();
  std::unique_ptr<Program> program(new Program);
  program->jit = std::move(*jit);
  if (auto status = program->find(settings, packed); !status)
    return status.error();
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
  auto jit = lowerAndCompile(
      lowering, moduleText(settings, problem), stages, settings.dumpIr,
      "upstream-vl" + std::to_string(vectorLength) + "-");
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
  std::free(packedValues.allocated);
}

core::Status Program::prepare(Problem &problem) {
  if (!split)
    return core::Success();
  astfe_rt_clear_error();
  SparseArguments a(problem);
  Prepared prepared{};
  reinterpret_cast<void (*)(Prepared *, AstfeMemRef1D *, AstfeMemRef1D *,
                            AstfeMemRef1D *, int64_t, int64_t)>(inspector)(
      &prepared, &a.positions, &a.coordinates, &a.values, a.rows, a.columns);
  pattern = prepared.pattern;
  packedValues = prepared.values;
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status Program::run(Problem &problem, Dense &result) {
  if (split)
    return callDense(entry, vector, problem.operand, result, pattern,
                     &packedValues);
  SparseArguments a(problem);
  return callDense(entry, vector, problem.operand, result, &a.positions,
                   &a.coordinates, &a.values, a.rows, a.columns);
}

} // namespace astfe::run
