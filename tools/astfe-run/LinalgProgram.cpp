//===- LinalgProgram.cpp - the product as linalg, on A as it is stored ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Pipelines/Upstream.h"
#include "ASTFE/Transforms/Passes.h"
#include "InTurn.h"
#include "ModuleText.h"
#include "Pipelines.h"
#include "PlanOptions.h"
#include "Program.h"

namespace astfe::run {
namespace {

AstfeMemRef1D vectorOf(const void *data, int64_t size) {
  void *pointer = const_cast<void *>(data);
  return {pointer, pointer, 0, size, 1};
}

product::MemRef2D matrixOf(void *data, const Dense &dense) {
  return {data, data, 0, {dense.rows, dense.columns}, {dense.columns, 1}};
}

/// Calls an entry of docs/Pipelines.md. It returns C; another result than C
/// itself would be a copy that nobody asked for.
template <typename Descriptor, typename... Leading>
core::Status call(void *entry, Descriptor b, Descriptor c, const Dense &shape,
                  Leading... leading) {
  astfe_rt_clear_error();
  Descriptor result{};
  reinterpret_cast<void (*)(Descriptor *, Leading..., Descriptor *,
                            Descriptor *)>(entry)(&result, leading..., &b, &c);
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  if (result.aligned != c.aligned && shape.rows * shape.columns != 0)
    return core::Error{"expected the product in place but got a copy"};
  return core::Success();
}

class LinalgProgram final : public Program {
public:
  LinalgProgram(const Settings &settings, rt::Device *device)
      : Program(device, settings.accumulate),
        isVector(settings.kernel == Kernel::SpMV) {}

  /// How the product is lowered.
  struct Path {
    Extents extents;
    Start start;
    std::vector<Stage> graph, lowering;
    std::string text;   ///< names the lowering, completely
    std::string prefix; ///< of dumps
    bool contract = false;
  };
  core::Status compile(Lowering &lowering, const Settings &settings,
                       const Problem &problem, const Path &path);
  core::Status run() override;

private:
  core::Status prepareMatrix() override;
  core::Status runSamples();

  const bool isVector; ///< B and C have one dimension
  Dense widened;       ///< values of samples' type, where A's is another
  std::shared_ptr<Jit> jit;
  void *entry = nullptr;
  AstfeMemRef1D positions{}, coordinates{}, values{};
};

core::Status LinalgProgram::compile(Lowering &lowering,
                                    const Settings &settings,
                                    const Problem &problem, const Path &path) {
  const double begin = now();
  JitOptions options;
  options.cpu = settings.cpu;
  options.features = settings.features;
  options.contract = path.contract;
  auto module = lowering.parse(
      moduleText(settings, problem, path.extents, path.start), "product.mlir");
  if (!module)
    return module.error();
  if (auto status =
          lowering.run(**module, path.graph, settings.dumpIr, path.prefix);
      !status)
    return status;
  auto code = KernelCache::process().compile(**module, options, path.text, [&] {
    return lowering.run(**module, path.lowering, settings.dumpIr, path.prefix,
                        unsigned(path.graph.size()) + 1);
  });
  if (!code)
    return code.error();
  auto address = code->jit->lookup("_mlir_ciface_product");
  if (!address)
    return address.error();
  jit = code->jit;
  entry = *address;
  compilation = {now() - begin, compiler::originOf(code->outcome), code->note};
  return core::Success();
}

/// The same numbers in another type.
static Dense converted(const Dense &values, core::Element element) {
  Dense result = Dense::zero(values.rows, values.columns, element);
  for (int64_t i = 0; i < values.size(); ++i)
    result.set(i, values.at(i));
  return result;
}

core::Status LinalgProgram::prepareMatrix() {
  const Problem &p = *problem;
  const Dense *stored = &p.values;
  if (p.isSampled() && result->element != stored->element) {
    widened = converted(*stored, result->element);
    stored = &widened;
  }
  positions = vectorOf(p.positions.data(), int64_t(p.positions.size()));
  coordinates = vectorOf(p.coordinates.data(), p.nonzeros());
  values = vectorOf(stored->data(), p.nonzeros());
  const auto element = size_t(core::elementBytes(stored->element));
  for (auto [array, bytes] : {std::pair(&positions, size_t(4)),
                              {&coordinates, size_t(4)},
                              {&values, element}}) {
    auto data = place(array->aligned, size_t(array->size) * bytes);
    if (!data)
      return data.error();
    *array = vectorOf(*data, array->size);
  }
  return core::Success();
}

/// The samples are C's own memory, as they are copied there.
core::Status LinalgProgram::runSamples() {
  astfe_rt_clear_error();
  AstfeMemRef1D returned{}, c = vectorOf(resultData, result->rows);
  product::MemRef2D x = matrixOf(leftData, problem->left),
                    y = matrixOf(operandData, problem->operand);
  reinterpret_cast<void (*)(
      AstfeMemRef1D *, AstfeMemRef1D *, AstfeMemRef1D *, AstfeMemRef1D *,
      int64_t, int64_t, product::MemRef2D *, product::MemRef2D *,
      AstfeMemRef1D *)>(entry)(&returned, &positions, &coordinates, &values,
                               problem->rows, problem->columns, &x, &y, &c);
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status LinalgProgram::run() {
  if (problem->isSampled())
    return runSamples();
  auto with = [&](auto b, auto c) {
    return call(entry, b, c, *result, &positions, &coordinates, &values,
                problem->rows, problem->columns);
  };
  const Dense &b = problem->operand;
  if (isVector)
    return with(vectorOf(operandData, b.rows),
                vectorOf(resultData, result->rows));
  return with(matrixOf(operandData, b), matrixOf(resultData, *result));
}

} // namespace

/// Whether a row is cut between a GPU's warps.
static bool hasLongRow(const Settings &settings, const Problem &problem) {
  return core::cutsGPURows(core::longestRun(problem.view().positions),
                           problem.nonzeros(), gpuProducts(settings));
}

core::Result<std::unique_ptr<Program>> Program::view(Lowering &lowering,
                                                     const Settings &settings,
                                                     const Problem &problem) {
  auto target = targetOf(settings);
  if (!target)
    return target.error();
  const bool gpu = settings.device != Device::Host;
  rt::Device *device = nullptr;
  if (gpu) {
    auto current = rt::currentDevice();
    if (!current)
      return current.error();
    device = *current;
  }
  target->deviceOperands = gpu;
  target->longRows = gpu && hasLongRow(settings, problem);
  LinalgProgram::Path path;
  // Host code does not depend on A's extents: another matrix may share it.
  path.extents = gpu ? Extents::Fixed : Extents::Any;
  // A vector of complex numbers is left to upstream, which adds to what is
  // there.
  const bool isUpstreams = settings.kernel == Kernel::SpMV &&
                           core::isComplex(settings.arithmetic.element);
  const Start start = isUpstreams ? Start::Filled : Start::Undefined;
  path.start = settings.accumulate ? Start::Added : start;
  path.graph = graphStages(settings, gpu, gpu ? 0 : problem.columns);
  path.lowering = compiler::loweringStages(*target);
  path.text = target->text();
  auto program = std::make_unique<LinalgProgram>(settings, device);
  program->storage = core::Storage::View;
  if (auto status = program->compile(lowering, settings, problem, path);
      !status)
    return status.error();
  return std::unique_ptr<Program>(std::move(program));
}

/// The host's code for C = A B as upstream's sparsifier takes it: A's extents
/// are known, and the function fills C.
static core::Result<std::unique_ptr<Program>>
throughSparsifier(Lowering &lowering, const Settings &settings,
                  const Problem &problem, const std::string &name,
                  Stage sparsifier, bool byThreads) {
  LinalgProgram::Path path;
  path.extents = Extents::Fixed;
  const Start filled = byThreads ? Start::FilledByThreads : Start::Filled;
  path.start = settings.accumulate ? Start::Added : filled;
  path.lowering = {compiler::stage("entry",
                                   [](mlir::OpPassManager &pm) {
                                     pm.addPass(createExposeBuffersPass());
                                   }),
                   std::move(sparsifier)};
  path.text = name;
  path.prefix = name + "-";
  path.contract = true;
  auto program = std::make_unique<LinalgProgram>(settings, nullptr);
  if (auto status = program->compile(lowering, settings, problem, path);
      !status)
    return status.error();
  return std::unique_ptr<Program>(std::move(program));
}

core::Result<std::unique_ptr<Program>>
Program::upstream(Lowering &lowering, const Settings &settings,
                  const Problem &problem, int64_t vectorLength, bool openmp) {
  UpstreamOptions options;
  options.vectorLength = vectorLength;
  // Upstream runs the outermost loop in parallel even where it is a reduction,
  // as the rows of A are in A^T B: its threads then add to the same elements.
  options.openmp = openmp && !problem.transposed;
  return throughSparsifier(lowering, settings, problem,
                           std::string("upstream") +
                               (options.openmp ? "" : "-serial") + "-vl" +
                               std::to_string(vectorLength),
                           {"upstream",
                            [=](mlir::OpPassManager &pm) {
                              return buildUpstreamSparsifier(pm, options);
                            }},
                           options.openmp);
}

core::Result<std::unique_ptr<Program>> Program::dropIn(Lowering &lowering,
                                                       const Settings &settings,
                                                       const Problem &problem) {
  return throughSparsifier(
      lowering, settings, problem, "drop-in",
      compiler::stage("astfe",
                      [](mlir::OpPassManager &pm) {
                        SparsifierPipelineOptions options;
                        options.enableRuntimeLibrary = false;
                        buildSparsifierPipeline(pm, options);
                      }),
      /*byThreads=*/false);
}

} // namespace astfe::run
