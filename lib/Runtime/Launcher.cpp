//===- Launcher.cpp - a saved kernel on a saved tensor --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Launcher.h"
#include "ASTFE/Core/Pack/LaunchPlan.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Reference.h"

#include <algorithm>
#include <map>
#include <random>

using namespace astfe;
using namespace astfe::rt;
using core::Error;
using core::Packed;
using core::Result;
using core::Status;
using core::Success;

namespace {

/// Bytes on the host that an argument is made from.
struct Bytes {
  const void *data;
  size_t size;
};

template <typename Entries>
Bytes bytesOf(const Entries &values) {
  return {values.data(), values.size() * sizeof(values[0])};
}

/// Releases what a launch made on the device, whatever went wrong.
class DeviceObjects {
public:
  explicit DeviceObjects(Device &device) : device(device) {}
  ~DeviceObjects() {
    for (void *event : events)
      (void)bool(device.destroyEvent(event));
    for (void *block : memory)
      (void)bool(device.free(block));
    if (module)
      (void)bool(device.unloadModule(module));
  }

  Result<void *> upload(Bytes bytes) {
    Result<void *> block = device.allocate(bytes.size, false);
    if (!block)
      return block;
    memory.push_back(*block);
    if (bytes.size == 0 || !bytes.data)
      return block;
    Status status = device.copy(*block, bytes.data, bytes.size, nullptr);
    if (!status)
      return status.error();
    return block;
  }

  Result<void *> event() {
    Result<void *> made = device.createEvent();
    if (made)
      events.push_back(*made);
    return made;
  }

  void *module = nullptr;

private:
  Device &device;
  std::vector<void *> memory, events;
};

/// A kernel of the module, and its arguments as the driver takes them: 8 bytes
/// each.
struct LoadedLaunch {
  void *function = nullptr;
  LaunchShape shape;
  std::vector<uint64_t> arguments;
};

/// The launches of one product, in the numbers' type.
template <typename T>
class PackedLaunch {
public:
  PackedLaunch(Device &device, const core::KernelFile &kernel,
               const Packed &pattern, const std::vector<T> &values,
               const LaunchRequest &request)
      : device(device), kernel(kernel), pattern(pattern), values(values),
        request(request), objects(device) {}

  Result<LaunchOutcome> run(const std::string &image) {
    outcome.device = device.name();
    Status status = prepare(image);
    if (status)
      status = once();
    if (status && request.check)
      status = check();
    if (status)
      status = time();
    if (!status)
      return status.error();
    return outcome;
  }

private:
  Status prepare(const std::string &image);
  Status makeOperands();
  Status load(const core::KernelLaunch &launch);
  Result<uint64_t> valueOf(const core::LaunchArgument &argument);
  Result<void *> shared(const std::string &role, Bytes bytes);
  Status once();
  Status clear();
  Status launch();
  Result<double> batch(void *start, void *end, int64_t count,
                       Status (PackedLaunch::*work)());
  Result<std::vector<double>> samples(Status (PackedLaunch::*work)(),
                                      int64_t &runs);
  Status check();
  Status time();

  Device &device;
  const core::KernelFile &kernel;
  const Packed &pattern;
  const std::vector<T> &values;
  const LaunchRequest &request;
  DeviceObjects objects;
  LaunchOutcome outcome;

  std::vector<T> b, c;
  void *output = nullptr;
  /// What the launches share, by role.
  std::map<std::string, void *> memory;
  std::vector<LoadedLaunch> launches;
};

} // namespace

/// Device memory that all launches have for a role.
template <typename T>
Result<void *> PackedLaunch<T>::shared(const std::string &role, Bytes bytes) {
  auto [at, isNew] = memory.try_emplace(role, nullptr);
  if (!isNew)
    return at->second;
  Result<void *> block = objects.upload(bytes);
  if (!block)
    return Error{role + ": " + block.message()};
  return at->second = *block;
}

template <typename T>
Result<uint64_t>
PackedLaunch<T>::valueOf(const core::LaunchArgument &argument) {
  Bytes bytes{argument.data, size_t(argument.bytes)};
  switch (argument.kind) {
  case core::ArgumentKind::Scalar:
    return uint64_t(argument.number);
  case core::ArgumentKind::Table:
    break;
  case core::ArgumentKind::Values:
    bytes = bytesOf(values);
    break;
  case core::ArgumentKind::Dense:
    if (argument.number != 1)
      return Error{"expected one dense input, 'dense:1', but got '" +
                   argument.role + "'"};
    bytes = bytesOf(b);
    break;
  case core::ArgumentKind::Given:
    return Error{"expected a kernel without scalars of its own but got '" +
                 argument.role + "'"};
  case core::ArgumentKind::Output:
    bytes = bytesOf(c);
    break;
  case core::ArgumentKind::Partials:
    bytes.data = nullptr;
    break;
  }
  Result<void *> block = shared(argument.role, bytes);
  if (!block)
    return block.error();
  if (argument.kind == core::ArgumentKind::Output)
    output = *block;
  return uint64_t(reinterpret_cast<uintptr_t>(*block));
}

template <typename T>
Status PackedLaunch<T>::load(const core::KernelLaunch &launch) {
  Result<void *> found = device.kernel(objects.module, launch.entry.c_str());
  if (!found)
    return found.error();
  LoadedLaunch loaded;
  loaded.function = *found;
  loaded.shape.grid.x = launch.gridX;
  loaded.shape.grid.y = launch.gridY;
  loaded.shape.grid.z = launch.gridZ;
  loaded.shape.block.x = launch.blockThreads;
  for (const core::LaunchArgument &argument : launch.arguments) {
    Result<uint64_t> value = valueOf(argument);
    if (!value)
      return value.error();
    loaded.arguments.push_back(*value);
  }
  launches.push_back(std::move(loaded));
  return Success();
}

template <typename T>
Status PackedLaunch<T>::makeOperands() {
  std::mt19937_64 random(request.seed);
  b.resize(size_t(pattern.shape[1] * request.columns));
  for (T &value : b)
    value = T(double(int64_t(random() >> 11)) * 0x1p-52 - 1);
  c.assign(size_t(pattern.shape[0] * request.columns), T(0));
  Result<void *> block = shared("output", bytesOf(c));
  if (!block)
    return block.error();
  output = *block;
  return Success();
}

template <typename T>
Status PackedLaunch<T>::prepare(const std::string &image) {
  Result<std::vector<core::KernelLaunch>> plan = core::planLaunches(
      kernel, pattern, request.columns, device.multiprocessors());
  if (!plan)
    return plan.error();
  Result<void *> module = device.loadModule(image.c_str(), image.size());
  if (!module)
    return module.error();
  objects.module = *module;
  Status status = makeOperands();
  for (const core::KernelLaunch &launch : *plan)
    if (status)
      status = load(launch);
  return status;
}

/// Zeros where the kernels add to C; NaN where they have to write all of it.
template <typename T>
Status PackedLaunch<T>::clear() {
  size_t words = c.size() * sizeof(T) / 4;
  const uint32_t word = core::overwritesOutput(kernel) ? 0xffffffffu : 0;
  return words ? device.fill32(output, word, words, nullptr) : Success();
}

template <typename T>
Status PackedLaunch<T>::launch() {
  for (LoadedLaunch &loaded : launches) {
    std::vector<void *> params;
    for (uint64_t &argument : loaded.arguments)
      params.push_back(&argument);
    Status status =
        device.launch(loaded.function, loaded.shape, nullptr, params.data());
    if (!status)
      return status;
  }
  return Success();
}

template <typename T>
Status PackedLaunch<T>::once() {
  Status status = clear();
  if (status)
    status = launch();
  return status ? device.synchronize() : status;
}

template <typename T>
Status PackedLaunch<T>::check() {
  Status status =
      c.empty() ? Success()
                : device.copy(c.data(), output, c.size() * sizeof(T), nullptr);
  if (!status)
    return status;
  const core::CsrMatrix *a = request.matrix;
  if (!a) {
    outcome.maxRelativeError =
        maxRelativeError(pattern, values, b, c, request.columns);
    return Success();
  }
  if (a->rows != pattern.shape[0] || a->columns != pattern.shape[1] ||
      int64_t(a->coordinates.size()) != pattern.nonzeros)
    return Error{"expected the matrix that was packed, " +
                 std::to_string(pattern.shape[0]) + " x " +
                 std::to_string(pattern.shape[1]) + " with " +
                 std::to_string(pattern.nonzeros) + " nonzeros, but got " +
                 std::to_string(a->rows) + " x " + std::to_string(a->columns) +
                 " with " + std::to_string(a->coordinates.size())};
  outcome.maxRelativeError = maxRelativeError(*a, b, c, request.columns);
  return Success();
}

/// The seconds of some calls of `work`, all between two events: one alone would
/// be timed with what it takes to begin.
template <typename T>
Result<double> PackedLaunch<T>::batch(void *start, void *end, int64_t count,
                                      Status (PackedLaunch::*work)()) {
  Status status = device.recordEvent(start, nullptr);
  for (int64_t i = 0; i < count && status; ++i)
    status = (this->*work)();
  if (status)
    status = device.recordEvent(end, nullptr);
  if (status)
    status = device.synchronizeEvent(end);
  if (!status)
    return status.error();
  return device.secondsBetween(start, end);
}

/// Sorted seconds of one call, of as many batches as are asked for.
template <typename T>
Result<std::vector<double>>
PackedLaunch<T>::samples(Status (PackedLaunch::*work)(), int64_t &runs) {
  constexpr double kLeastBatch = 2e-3;
  constexpr int64_t kTried = 4, kMostRuns = 1000;
  Result<void *> start = objects.event(), end = objects.event();
  if (!start || !end)
    return start ? end.error() : start.error();
  Result<double> tried = batch(*start, *end, kTried, work);
  if (!tried)
    return tried.error();
  const double once = std::max(*tried / double(kTried), 1e-7);
  runs = std::clamp<int64_t>(int64_t(kLeastBatch / once), 1, kMostRuns);
  std::vector<double> seconds;
  for (int64_t i = 0; i < request.repeat; ++i) {
    Result<double> elapsed = batch(*start, *end, runs, work);
    if (!elapsed)
      return elapsed.error();
    seconds.push_back(*elapsed / double(runs));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

template <typename T>
Status PackedLaunch<T>::time() {
  if (request.repeat == 0)
    return Success();
  Result<std::vector<double>> runs =
      samples(&PackedLaunch::launch, outcome.batch);
  if (!runs)
    return runs.error();
  outcome.secondsMin = runs->front();
  outcome.secondsMedian = (*runs)[runs->size() / 2];
  if (core::overwritesOutput(kernel))
    return Success();
  int64_t batches = 0;
  Result<std::vector<double>> clears = samples(&PackedLaunch::clear, batches);
  if (!clears)
    return clears.error();
  outcome.secondsClear = (*clears)[clears->size() / 2];
  return Success();
}

/// The type of the numbers, and that sums begin with the zeros that the output
/// is filled with; planLaunches asks the rest.
static Status fits(const core::KernelFile &kernel,
                   const core::PackedTensor &tensor) {
  if (kernel.combiner != "addf")
    return Error{"expected a kernel that adds up, 'addf', but got one of '" +
                 kernel.combiner + "'"};
  if (kernel.element == tensor.element)
    return Success();
  return Error{"expected values in " +
               std::string(core::elementName(kernel.element)) +
               ", the kernel's type, but got " +
               std::string(core::elementName(tensor.element))};
}

Result<LaunchOutcome> rt::launchPacked(Device &device,
                                       const core::KernelFile &kernel,
                                       const std::string &image,
                                       const core::PackedTensor &tensor,
                                       const LaunchRequest &request) {
  Status status = fits(kernel, tensor);
  if (!status)
    return status.error();
  Error outOfMemory{"out of memory for operands of " +
                    std::to_string(request.columns) + " columns"};
  return core::withinMemory(outOfMemory, [&] {
    if (tensor.element == core::Element::F64)
      return PackedLaunch<double>(device, kernel, tensor.pattern,
                                  tensor.values64, request)
          .run(image);
    return PackedLaunch<float>(device, kernel, tensor.pattern, tensor.values32,
                               request)
        .run(image);
  });
}

double rt::errorBound(const core::KernelFile &kernel) {
  return kernel.element == core::Element::F64 ? 1e-13 : 1e-5;
}
