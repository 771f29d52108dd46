//===- Kernel.cpp - saved GPU kernels, their launches and tables ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Kernel.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Pack/LaunchPlan.h"
#include "ASTFE/Runtime/ABI.h"
#include "WithObject.h"
#include <memory>

using namespace astfe;
using capi::fail;
using capi::guarded;

namespace {
struct Kernel {
  core::KernelFile file;
  core::Packed pattern;
  /// One of them, by the kernel's type; in the order of slots.
  std::vector<float> values32;
  std::vector<double> values64;
  std::vector<core::KernelLaunch> launches;
};
} // namespace

static capi::ObjectTable<AstfeKernel, Kernel> &kernels() {
  static auto &table = *new capi::ObjectTable<AstfeKernel, Kernel>();
  return table;
}

static std::shared_ptr<Kernel> kernelOf(const AstfeKernel *name) {
  return capi::objectOf(kernels(), name, "a kernel");
}

static core::Result<core::Graph> graphFor(const core::SparseView &view,
                                          const AstfeGraph *name) {
  if (name) {
    auto given = capi::graphOf(name);
    if (!given)
      return core::Error{astfeLastError()};
    return given->graph;
  }
  AstfePartitionOptions options = astfeDefaultPartitionOptions();
  options.order = ASTFE_ORDER_ROWS;
  options.reorder = ASTFE_REORDER_NONE;
  return capi::partition(view, &options);
}

static core::Result<core::Packed> packFor(const core::KernelFile &file,
                                          const core::SparseView &view,
                                          const AstfeGraph *graph,
                                          const core::GPUUse &use) {
  auto made = graphFor(view, graph);
  if (!made)
    return made.error();
  core::PackOptions options;
  options.layout = file.layout;
  options.layout.target = core::PackTarget::GPU;
  options.layout.columnTile = file.columnTile;
  core::cutForGPU(options, use, view);
  options.threads = unsigned(_mlir_ciface_astfe_rt_threads());
  return core::pack(view, *made, options);
}

static void setValues(Kernel &kernel, const void *values) {
  const auto slots = size_t(kernel.pattern.slots);
  if (kernel.file.element == core::Element::F64) {
    kernel.values64.resize(slots);
    core::packValues(kernel.pattern, static_cast<const double *>(values),
                     kernel.values64.data());
  } else {
    kernel.values32.resize(slots);
    core::packValues(kernel.pattern, static_cast<const float *>(values),
                     kernel.values32.data());
  }
}

static core::Status create(Kernel &kernel, const core::SparseView &view,
                           const void *values, int32_t elementBits,
                           const AstfeGraph *graph, int64_t columns,
                           int64_t multiprocessors) {
  const auto bits = int(8 * core::elementBytes(kernel.file.element));
  if (elementBits != bits)
    return core::Error{"expected values of " + std::to_string(bits) +
                       " bits, the kernel's type, but got " +
                       std::to_string(elementBits)};
  if (columns < 0 || columns > INT32_MAX)
    return core::Error{"columns: expected 0 to 2^31 - 1 but got " +
                       std::to_string(columns)};
  if (!values && view.nonzeros() > 0)
    return core::Error{"expected values but got null"};
  if (multiprocessors < 0 || multiprocessors > INT32_MAX)
    return core::Error{"multiprocessors: expected 0 to 2^31 - 1 but got " +
                       std::to_string(multiprocessors)};
  core::GPUUse use;
  if (multiprocessors) {
    use.multiprocessors = multiprocessors;
    use.warps = multiprocessors * core::kGPUResidentWarps;
  }
  use.columnTiles = core::columnTiles(columns, kernel.file.columnTile);
  auto packed = packFor(kernel.file, view, graph, use);
  if (!packed)
    return packed.error();
  kernel.pattern = std::move(*packed);
  setValues(kernel, values);
  auto launches = core::planLaunches(kernel.file, kernel.pattern, columns,
                                     use.multiprocessors);
  if (!launches)
    return launches.error();
  kernel.launches = std::move(*launches);
  return core::Success();
}

AstfeKernel *astfeKernelCreate(const char *json, size_t length,
                               const AstfeCsr *matrix, const void *values,
                               int32_t elementBits, const AstfeGraph *graph,
                               int64_t columns, int64_t multiprocessors) {
  return guarded<AstfeKernel *>(nullptr, [&]() -> AstfeKernel * {
    if (!capi::given(json, "a kernel file"))
      return nullptr;
    auto file = core::parseKernelFile(std::string(json, length), "kernel file");
    if (!file)
      return fail(file.message()), nullptr;
    auto view = capi::checkedViewOf(matrix);
    if (!view)
      return fail(view.message()), nullptr;
    auto kernel = std::make_shared<Kernel>();
    kernel->file = std::move(*file);
    if (auto status = create(*kernel, *view, values, elementBits, graph,
                             columns, multiprocessors);
        !status)
      return fail(status.message()), nullptr;
    return kernels().add(std::move(kernel));
  });
}

void astfeKernelDestroy(AstfeKernel *kernel) { kernels().remove(kernel); }

AstfeStatus astfeKernelSetValues(AstfeKernel *name, const void *values) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto kernel = kernelOf(name);
    if (!kernel ||
        (kernel->pattern.nonzeros > 0 && !capi::given(values, "values")))
      return 1;
    setValues(*kernel, values);
    return 0;
  });
}

int32_t astfeKernelOverwrites(const AstfeKernel *name) {
  return guarded<int32_t>(-1, [&]() -> int32_t {
    auto kernel = kernelOf(name);
    return kernel ? int32_t(core::overwritesOutput(kernel->file)) : -1;
  });
}

const char *astfeKernelImage(const AstfeKernel *name) {
  return guarded<const char *>(nullptr, [&]() -> const char * {
    auto kernel = kernelOf(name);
    return kernel ? kernel->file.ptx.c_str() : nullptr;
  });
}

int64_t astfeKernelLaunches(const AstfeKernel *name) {
  return guarded<int64_t>(-1, [&]() -> int64_t {
    auto kernel = kernelOf(name);
    return kernel ? int64_t(kernel->launches.size()) : -1;
  });
}

/// The launch of that number, or null after an error.
static const core::KernelLaunch *launchOf(const Kernel *kernel, int64_t launch,
                                          const void *result) {
  if (!kernel || !capi::given(result, "a result"))
    return nullptr;
  if (launch >= 0 && launch < int64_t(kernel->launches.size()))
    return &kernel->launches[size_t(launch)];
  fail("expected a launch below " + std::to_string(kernel->launches.size()) +
       " but got " + std::to_string(launch));
  return nullptr;
}

AstfeStatus astfeKernelGetLaunch(const AstfeKernel *name, int64_t launch,
                                 AstfeKernelLaunch *result) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto kernel = kernelOf(name);
    const core::KernelLaunch *found = launchOf(kernel.get(), launch, result);
    if (!found)
      return 1;
    *result = {found->entry.c_str(), found->gridX,
               found->gridY,         found->gridZ,
               found->blockThreads,  int64_t(found->arguments.size())};
    return 0;
  });
}

static int32_t kindOf(core::ArgumentKind kind) {
  switch (kind) {
  case core::ArgumentKind::Table:
  case core::ArgumentKind::Values:
    return ASTFE_ARGUMENT_TABLE;
  case core::ArgumentKind::Dense:
    return ASTFE_ARGUMENT_DENSE;
  case core::ArgumentKind::Output:
    return ASTFE_ARGUMENT_OUTPUT;
  case core::ArgumentKind::Partials:
    return ASTFE_ARGUMENT_SCRATCH;
  case core::ArgumentKind::Scalar:
    return ASTFE_ARGUMENT_NUMBER;
  case core::ArgumentKind::Given:
    return ASTFE_ARGUMENT_SCALAR;
  }
  return -1;
}

AstfeStatus astfeKernelGetArgument(const AstfeKernel *name, int64_t launch,
                                   int64_t argument,
                                   AstfeKernelArgument *result) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto kernel = kernelOf(name);
    const core::KernelLaunch *found = launchOf(kernel.get(), launch, result);
    if (!found)
      return 1;
    if (argument < 0 || argument >= int64_t(found->arguments.size()))
      return fail("expected an argument below " +
                  std::to_string(found->arguments.size()) + " but got " +
                  std::to_string(argument));
    const core::LaunchArgument &from = found->arguments[size_t(argument)];
    const void *data = from.data;
    if (from.kind == core::ArgumentKind::Values)
      data = kernel->file.element == core::Element::F64
                 ? (const void *)kernel->values64.data()
                 : (const void *)kernel->values32.data();
    *result = {from.role.c_str(), kindOf(from.kind), int32_t(from.bits), data,
               from.bytes,        from.number};
    return 0;
  });
}
