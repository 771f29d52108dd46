//===- Program.cpp - a way to compute C += A B, and its operands ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Product/Carrier.h"
#include "Difference.h"
#include "PlanOptions.h"
#include <algorithm>
#include <functional>

namespace astfe::run {

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

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static size_t bytesOf(const Dense &dense) { return dense.bytes.size(); }

Program::~Program() {
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

core::Status Program::prepare(Problem &p, Dense &c) {
  problem = &p;
  result = &c;
  if (auto status = prepareMatrix(); !status)
    return status;
  auto operand = place(p.operand.data(), bytesOf(p.operand));
  if (!operand)
    return operand.error();
  if (p.isSampled()) {
    auto left = place(p.left.data(), bytesOf(p.left));
    if (!left)
      return left.error();
    leftData = *left;
  }
  auto output = place(c.data(), bytesOf(c));
  if (!output)
    return output.error();
  operandData = *operand;
  resultData = *output;
  return core::Success();
}

core::Status Program::clear() {
  fillForRun(*result, problem->arithmetic(), accumulate);
  if (!device)
    return core::Success();
  // By a copy: the last of an odd number of halves fills no word.
  if (auto status =
          device->copy(resultData, result->data(), bytesOf(*result), nullptr);
      !status)
    return status;
  return device->synchronize();
}

core::Result<double> Program::runTimed() {
  return timer.time([this] { return run(); });
}

core::Status Program::fetch() {
  if (!device)
    return core::Success();
  if (auto status =
          device->copy(result->data(), resultData, bytesOf(*result), nullptr);
      !status)
    return status;
  return device->synchronize();
}

//===----------------------------------------------------------------------===//
// Through Product
//===----------------------------------------------------------------------===//

namespace {
using MadeMatrix = core::Result<std::unique_ptr<product::Matrix>>;

/// A product by a matrix that `make` makes of the problem's.
class ProductProgram final : public Program {
public:
  using Make = std::function<MadeMatrix(const Problem &)>;

  ProductProgram(rt::Device *device, bool accumulate, Make make)
      : Program(device, accumulate), make(std::move(make)) {}

  core::Status run() override;

private:
  core::Status prepareMatrix() override;

  Make make;
  std::unique_ptr<product::Matrix> matrix;
};

/// Samples of a matrix that is packed by a graph: on the host in A's order, as
/// C and Python have them. A device leaves them in packed order, as values are;
/// fetch() brings them into A's.
class SampledProgram final : public Program {
public:
  SampledProgram(product::KernelSource &source, product::MatrixOptions options,
                 core::Graph graph)
      : Program(options.device, /*accumulate=*/false),
        options(std::move(options)), source(source), graph(std::move(graph)) {}

  core::Status clear() override;
  core::Status run() override;
  core::Status fetch() override;

private:
  core::Status prepareMatrix() override;

  product::MatrixOptions options;
  product::KernelSource &source;
  core::Graph graph;
  std::unique_ptr<product::PackedMatrix> matrix;
  Dense samples; ///< one a slot, from a device
  void *samplesData = nullptr;
};
} // namespace

static PackReport reportOf(const core::Packed &packed, double seconds) {
  return {packed.groups, packed.workers(),
          core::imbalance(packed.workerOffsets()), seconds,
          packed.layout.columnBits};
}

static Compilation compilationOf(const product::Kernel &kernel) {
  return {kernel.seconds, kernel.origin, kernel.note};
}

core::Status ProductProgram::prepareMatrix() {
  const double begin = now();
  auto made = make(*problem);
  make = nullptr; // What it refers to may go.
  if (!made)
    return made.error();
  matrix = std::move(*made);
  pack.seconds = now() - begin;
  if (const core::Packed *packed = matrix->pattern())
    pack = reportOf(*packed, pack.seconds);
  else
    storage = core::Storage::View;
  auto kernel = matrix->compile(result->columns, accumulate);
  if (!kernel)
    return kernel.error();
  compilation = compilationOf(**kernel);
  return core::Success();
}

core::Status ProductProgram::run() {
  const Dense &b = problem->operand;
  return matrix->multiply(
      {operandData, b.rows, b.columns, b.columns},
      {resultData, result->rows, result->columns, result->columns}, accumulate);
}

core::Status SampledProgram::prepareMatrix() {
  auto made = product::PackedMatrix::pack(
      problem->view(), problem->values.data(), graph, options, source);
  if (!made)
    return made.error();
  matrix = std::move(*made);
  pack = reportOf(matrix->packed(), matrix->packSeconds);
  if (device) {
    samples =
        Dense::zero(matrix->packed().slots, 1, options.arithmetic.result());
    auto placed = place(samples.data(), bytesOf(samples));
    if (!placed)
      return placed.error();
    samplesData = *placed;
  }
  auto kernel = matrix->compileSamples(problem->left.columns);
  if (!kernel)
    return kernel.error();
  compilation = compilationOf(**kernel);
  return core::Success();
}

core::Status SampledProgram::clear() {
  if (!device)
    return Program::clear();
  samples.fill(~uint32_t(0));
  return device->copy(samplesData, samples.data(), bytesOf(samples), nullptr);
}

core::Status SampledProgram::run() {
  const product::Dense x{leftData, problem->left.rows, problem->left.columns,
                         problem->left.columns},
      y{operandData, problem->operand.rows, problem->operand.columns,
        problem->operand.columns};
  return device ? matrix->sample(x, y, samplesData)
                : matrix->sampleInOrder(x, y, resultData);
}

core::Status SampledProgram::fetch() {
  if (!device)
    return core::Success();
  for (auto status :
       {device->copy(samples.data(), samplesData, bytesOf(samples), nullptr),
        device->synchronize()})
    if (!status)
      return status;
  product::withCarrier(samples.element, [&](auto carrier) {
    using T = decltype(carrier);
    core::unpackValues(matrix->packed(), samples.as<T>(), result->as<T>());
  });
  return core::Success();
}

/// Those of `settings`, on the device that they name.
static core::Result<product::MatrixOptions>
optionsOnDevice(const Settings &settings) {
  product::MatrixOptions options = matrixOptions(settings);
  if (settings.device == Device::Host)
    return options;
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  options.device = *device;
  options.chip = settings.chip;
  return options;
}

core::Result<std::unique_ptr<Program>>
Program::packed(product::KernelSource &source, const Settings &settings,
                core::Graph graph) {
  auto options = optionsOnDevice(settings);
  if (!options)
    return options.error();
  if (options->samples)
    return std::unique_ptr<Program>(
        new SampledProgram(source, *options, std::move(graph)));
  auto pack = [&source, options = *options,
               graph = std::move(graph)](const Problem &problem) -> MadeMatrix {
    auto made = product::PackedMatrix::pack(
        problem.view(), problem.values.data(), graph, options, source);
    if (!made)
      return made.error();
    return std::unique_ptr<product::Matrix>(std::move(*made));
  };
  return std::unique_ptr<Program>(new ProductProgram(
      options->device, settings.accumulate, std::move(pack)));
}

core::Result<std::unique_ptr<Program>>
Program::chosen(product::KernelSource &source, const Settings &settings,
                const core::Plan &plan) {
  auto options = optionsOnDevice(settings);
  if (!options)
    return options.error();
  auto choose = [&plan, &source, options = *options](const Problem &problem) {
    return product::makePlanned(problem.view(), problem.values.data(), plan,
                                options, source);
  };
  return std::unique_ptr<Program>(new ProductProgram(
      options->device, settings.accumulate, std::move(choose)));
}

} // namespace astfe::run
