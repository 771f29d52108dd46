//===- Launcher.cpp - a saved kernel on a saved tensor --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Launcher.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Reference.h"

#include <algorithm>
#include <optional>
#include <random>

using namespace astfe;
using namespace astfe::rt;
using core::Error;
using core::Packed;
using core::Result;
using core::Status;
using core::Success;

namespace {

/// The largest grid along y that CUDA takes; kernels go on to further tiles.
constexpr int64_t kMostGridY = 65535;

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
    if (bytes.size == 0)
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

/// One launch of one kernel, in the numbers' type.
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
  Status addArgument(const std::string &role);
  Status addPointer(const std::string &role, Bytes bytes);
  std::optional<Bytes> table(const std::string &role) const;
  Status once();
  Status clear();
  Status launch();
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
  void *function = nullptr, *output = nullptr;
  LaunchShape shape;
  /// Arguments as the driver takes them: 8 bytes each, and pointers to them.
  std::vector<uint64_t> arguments;
};

} // namespace

/// What the role stands for, if it is a table or an operand.
template <typename T>
std::optional<Bytes> PackedLaunch<T>::table(const std::string &role) const {
  Bytes columns = kernel.layout.columnBits == 8    ? bytesOf(pattern.columns8)
                  : kernel.layout.columnBits == 16 ? bytesOf(pattern.columns16)
                                                   : bytesOf(pattern.columns32);
  const std::pair<const char *, Bytes> tables[] = {
      {"worker_span", bytesOf(pattern.workerSpan)},
      {"span_slot", bytesOf(pattern.spanSlot)},
      {"span_segment", bytesOf(pattern.spanSegment)},
      {"span_column", bytesOf(pattern.spanColumn)},
      {"span_class", bytesOf(pattern.spanClass)},
      {"span_width", bytesOf(pattern.spanWidth)},
      {"segment_row", bytesOf(pattern.segmentRow)},
      {"segment_end", bytesOf(pattern.segmentEnd)},
      {"columns", columns},
      {"segment_first", bytesOf(pattern.segmentFirst)},
      {"values", bytesOf(values)},
      {"dense:1", bytesOf(b)}};
  for (const auto &[name, bytes] : tables)
    if (role == name)
      return bytes;
  return std::nullopt;
}

template <typename T>
Status PackedLaunch<T>::addPointer(const std::string &role, Bytes bytes) {
  Result<void *> memory = objects.upload(bytes);
  if (!memory)
    return Error{role + ": " + memory.message()};
  arguments.push_back(reinterpret_cast<uintptr_t>(*memory));
  return Success();
}

template <typename T>
Status PackedLaunch<T>::addArgument(const std::string &role) {
  if (std::optional<Bytes> bytes = table(role))
    return addPointer(role, *bytes);
  if (role == "output") {
    Status status = addPointer(role, bytesOf(c));
    if (status)
      output = reinterpret_cast<void *>(uintptr_t(arguments.back()));
    return status;
  }
  if (role == "workers" || role == "column_count" || role == "marks") {
    int64_t value = role == "workers" ? pattern.workers()
                    : role == "marks" ? int64_t(pattern.segmentFirst.size())
                                      : request.columns;
    if (value > 0x7fffffff)
      return Error{"expected '" + role + "' to fit 32 bits but got " +
                   std::to_string(value)};
    arguments.push_back(uint64_t(value));
    return Success();
  }
  return Error{"expected arguments that the launcher knows but got '" + role +
               "'"};
}

template <typename T>
Status PackedLaunch<T>::prepare(const std::string &image) {
  Result<void *> module = device.loadModule(image.c_str(), image.size());
  if (!module)
    return module.error();
  objects.module = *module;
  Result<void *> found = device.kernel(*module, kernel.entry.c_str());
  if (!found)
    return found.error();
  function = *found;
  std::mt19937_64 random(request.seed);
  b.resize(size_t(pattern.shape[1] * request.columns));
  for (T &value : b)
    value = T(double(int64_t(random() >> 11)) * 0x1p-52 - 1);
  c.assign(size_t(pattern.shape[0] * request.columns), T(0));
  for (const std::string &role : kernel.arguments) {
    Status status = addArgument(role);
    if (!status)
      return status;
  }
  if (!output)
    return Error{"expected an argument 'output' but got none"};
  auto blocks = [](int64_t work, int64_t each) {
    return (work + each - 1) / each;
  };
  shape.grid.x = blocks(pattern.workers(), kernel.workersPerBlock);
  if (kernel.columnTile)
    shape.grid.y =
        std::min(kMostGridY, blocks(request.columns, kernel.columnTile));
  shape.block.x = kernel.blockThreads;
  return Success();
}

template <typename T>
Status PackedLaunch<T>::clear() {
  size_t words = c.size() * sizeof(T) / 4;
  return words ? device.fill32(output, 0, words, nullptr) : Success();
}

template <typename T>
Status PackedLaunch<T>::launch() {
  std::vector<void *> params;
  for (uint64_t &argument : arguments)
    params.push_back(&argument);
  return device.launch(function, shape, nullptr, params.data());
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
  if (status)
    outcome.maxRelativeError =
        maxRelativeError(pattern, values, b, c, request.columns);
  return status;
}

template <typename T>
Status PackedLaunch<T>::time() {
  Result<void *> start = objects.event(), end = objects.event();
  if (!start || !end)
    return start ? end.error() : start.error();
  std::vector<double> seconds;
  for (int64_t i = 0; i < request.repeat; ++i) {
    Status status = clear();
    if (status)
      status = device.recordEvent(*start, nullptr);
    if (status)
      status = launch();
    if (status)
      status = device.recordEvent(*end, nullptr);
    if (status)
      status = device.synchronizeEvent(*end);
    if (!status)
      return status;
    Result<double> elapsed = device.secondsBetween(*start, *end);
    if (!elapsed)
      return elapsed.error();
    seconds.push_back(*elapsed);
  }
  std::sort(seconds.begin(), seconds.end());
  if (!seconds.empty()) {
    outcome.secondsMin = seconds.front();
    outcome.secondsMedian = seconds[seconds.size() / 2];
  }
  return Success();
}

/// What the kernel was compiled for against what it shall run on.
static Status fits(const core::KernelFile &kernel,
                   const core::PackedTensor &tensor,
                   const LaunchRequest &request) {
  const core::Layout &made = tensor.pattern.layout;
  if (kernel.isDouble != tensor.isDouble)
    return Error{std::string("expected values in ") +
                 (kernel.isDouble ? "f64" : "f32") +
                 ", the kernel's type, but "
                 "got " +
                 (tensor.isDouble ? "f64" : "f32")};
  if (made.storage != core::Storage::Packed ||
      kernel.layout.storage != core::Storage::Packed)
    return Error{"expected packed storage but got a view"};
  if (kernel.layout.columnBits != made.columnBits)
    return Error{
        "expected columns of " + std::to_string(kernel.layout.columnBits) +
        " bits, the kernel's, but got " + std::to_string(made.columnBits)};
  for (int32_t kind : tensor.pattern.spanClass)
    if (!kernel.layout.classes.contains(core::SegmentClass(kind)))
      return Error{"expected segments of the kernel's classes but got " +
                   std::string(core::className(core::SegmentClass(kind)))};
  if (kernel.columnTile == 0 && request.columns != 1)
    return Error{"expected 1 column, as the kernel computes, but got " +
                 std::to_string(request.columns)};
  // A lane owns columnTile / 32 consecutive columns.
  int64_t vector = std::max<int64_t>(1, kernel.columnTile / 32);
  if (request.columns % vector != 0)
    return Error{"expected columns divisible by " + std::to_string(vector) +
                 " but got " + std::to_string(request.columns)};
  return Success();
}

Result<LaunchOutcome> rt::launchPacked(Device &device,
                                       const core::KernelFile &kernel,
                                       const std::string &image,
                                       const core::PackedTensor &tensor,
                                       const LaunchRequest &request) {
  Status status = fits(kernel, tensor, request);
  if (!status)
    return status.error();
  Error outOfMemory{"out of memory for operands of " +
                    std::to_string(request.columns) + " columns"};
  return core::withinMemory(outOfMemory, [&] {
    if (tensor.isDouble)
      return PackedLaunch<double>(device, kernel, tensor.pattern,
                                  tensor.values64, request)
          .run(image);
    return PackedLaunch<float>(device, kernel, tensor.pattern, tensor.values32,
                               request)
        .run(image);
  });
}

double rt::errorBound(const core::KernelFile &kernel) {
  return kernel.isDouble ? 1e-13 : 1e-5;
}
