//===- Emulator.cpp - the emulator as a device ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything happens at once, in the order of the calls: a stream is a name and
// an event is a time.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "Launch.h"
#include "Module.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>

using namespace astfe;
using namespace astfe::emu;
using core::Error;
using core::Result;
using core::Status;
using core::Success;

/// Compiled code holds addresses of one emulator's objects, and what a fault
/// leaves behind is simplest to say where one call at a time works on any
/// emulator.
static std::mutex &emulatorMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}
#define ASTFE_LOCK std::lock_guard<std::mutex> lock(emulatorMutex())

using Time = std::chrono::steady_clock::time_point;

struct Emulator::State {
  Machine machine;
  /// Destroyed before the memory that their variables are registered with.
  std::vector<std::unique_ptr<Module>> modules;
  std::set<std::unique_ptr<char>> streams;
  std::set<std::unique_ptr<Time>> events;
  LaunchReport report;
  LaunchTotals totals;
};

/// The element of a set of owners that points to `pointer`.
template <typename T>
static auto findOwner(std::set<std::unique_ptr<T>> &owners, void *pointer) {
  return std::find_if(owners.begin(), owners.end(), [&](const auto &owner) {
    return owner.get() == pointer;
  });
}

template <typename T>
static Status destroy(std::set<std::unique_ptr<T>> &owners, void *pointer,
                      const char *what) {
  ASTFE_LOCK;
  auto it = findOwner(owners, pointer);
  if (it == owners.end())
    return Error{std::string("expected ") + what + " but got something else"};
  owners.erase(it);
  return Success();
}

Counters &Counters::operator+=(const Counters &other) {
  instructions += other.instructions;
  warpInstructions += other.warpInstructions;
  issued += other.issued;
  sectors += other.sectors;
  loads += other.loads;
  stores += other.stores;
  atomics += other.atomics;
  loadBytes += other.loadBytes;
  storeBytes += other.storeBytes;
  collectives += other.collectives;
  barriers += other.barriers;
  return *this;
}

Counters LaunchReport::total() const {
  Counters sum;
  for (const Counters &block : blocks)
    sum += block;
  return sum;
}

Emulator::Emulator(Options options) : state(std::make_unique<State>()) {
  state->machine.options = options;
}

Emulator::~Emulator() {
  ASTFE_LOCK;
  state.reset();
}

void Emulator::setOptions(const Options &options) {
  ASTFE_LOCK;
  state->machine.options = options;
}

const Options &Emulator::options() const { return state->machine.options; }
const LaunchReport &Emulator::lastLaunch() const { return state->report; }
const LaunchTotals &Emulator::totals() const { return state->totals; }

std::string Emulator::name() { return "emulator"; }
std::string Emulator::chip() { return "sm_90"; }
int64_t Emulator::multiprocessors() { return options().multiprocessors; }
int64_t Emulator::warpsPerMultiprocessor() {
  return options().warpsPerMultiprocessor;
}

Result<rt::Device *> Emulator::sibling(int ordinal) {
  if (ordinal != 0)
    return Error{"expected device 0 of the emulator but got " +
                 std::to_string(ordinal)};
  return static_cast<rt::Device *>(this);
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

Result<void *> Emulator::loadModule(const void *image, size_t bytes) {
  ASTFE_LOCK;
  auto module = Module::load(image, bytes, state->machine.memory);
  if (!module)
    return module.error();
  state->modules.push_back(std::move(*module));
  return static_cast<void *>(state->modules.back().get());
}

Status Emulator::unloadModule(void *module) {
  ASTFE_LOCK;
  auto it =
      std::find_if(state->modules.begin(), state->modules.end(),
                   [&](const auto &owner) { return owner.get() == module; });
  if (it == state->modules.end())
    return Error{"expected a loaded module but got something else"};
  state->modules.erase(it);
  return Success();
}

Result<void *> Emulator::kernel(void *module, const char *name) {
  ASTFE_LOCK;
  for (const auto &owner : state->modules)
    if (owner.get() == module)
      if (Kernel *kernel = owner->find(name))
        return static_cast<void *>(kernel);
  return Error{std::string("expected a kernel '") + name +
               "' in the module but got none"};
}

Result<int64_t> Emulator::residentBlocks(void *, int64_t threads) {
  int64_t warps = std::max<int64_t>(1, (threads + 31) / 32);
  return std::max<int64_t>(1, warpsPerMultiprocessor() / warps);
}

Status Emulator::launch(void *kernel, const rt::LaunchShape &shape, void *,
                        void **params) {
  ASTFE_LOCK;
  auto *found = static_cast<Kernel *>(kernel);
  bool known =
      std::any_of(state->modules.begin(), state->modules.end(),
                  [&](const auto &module) { return module->owns(found); });
  if (!known)
    return Error{"expected a kernel of a loaded module but got something else"};
  Launch launch(state->machine, *found, shape, params);
  Status status = launch.run();
  if (status) {
    state->report = launch.takeReport();
    ++state->totals.launches;
    state->totals.counters += state->report.total();
    if (state->machine.options.launched)
      state->machine.options.launched(state->report);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result<void *> Emulator::allocate(size_t bytes, bool) {
  ASTFE_LOCK;
  return state->machine.memory.allocate(bytes);
}

Status Emulator::free(void *memory) {
  ASTFE_LOCK;
  return state->machine.memory.remove(memory, /*owned=*/true);
}

Status Emulator::checkMemory(const void *memory, size_t bytes) {
  ASTFE_LOCK;
  if (!state->machine.memory.find(memory))
    return Error{"expected memory of 'emulator' but got host memory"};
  return state->machine.memory.check(memory, bytes, "an operand");
}

Status Emulator::copy(void *to, const void *from, size_t bytes, void *) {
  ASTFE_LOCK;
  Memory &memory = state->machine.memory;
  Status status = memory.check(to, bytes, "the target of a copy");
  if (status)
    status = memory.check(from, bytes, "the source of a copy");
  if (status && bytes)
    std::memmove(to, from, bytes);
  return status;
}

/// Fills device memory with `count` copies of a value.
template <typename T>
static Status fill(Memory &memory, void *to, T value, size_t count) {
  Allocation *found = memory.find(to);
  if (!found)
    return Error{"expected device memory to fill but got host memory"};
  Status status = memory.check(to, count * sizeof(T), "the target of a fill");
  if (status)
    std::fill_n(static_cast<T *>(to), count, value);
  return status;
}

Status Emulator::fill32(void *to, uint32_t value, size_t count, void *) {
  ASTFE_LOCK;
  return fill(state->machine.memory, to, value, count);
}

Status Emulator::fill16(void *to, uint16_t value, size_t count, void *) {
  ASTFE_LOCK;
  return fill(state->machine.memory, to, value, count);
}

Status Emulator::registerHost(void *memory, size_t bytes) {
  ASTFE_LOCK;
  return state->machine.memory.add(memory, bytes, "registered host memory",
                                   /*readOnly=*/false);
}

Status Emulator::unregisterHost(void *memory) {
  ASTFE_LOCK;
  return state->machine.memory.remove(memory, /*owned=*/false);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Result<void *> Emulator::createStream() {
  ASTFE_LOCK;
  auto stream = std::make_unique<char>();
  void *handle = stream.get();
  state->streams.insert(std::move(stream));
  return handle;
}

Status Emulator::destroyStream(void *stream) {
  return destroy(state->streams, stream, "a stream");
}

Status Emulator::synchronizeStream(void *) { return Success(); }
Status Emulator::checkStream(void *stream) {
  ASTFE_LOCK;
  if (!stream || findOwner(state->streams, stream) != state->streams.end())
    return Success();
  return Error{"expected a stream of 'emulator' but got another"};
}

Status Emulator::streamWait(void *, void *) { return Success(); }

Result<void *> Emulator::createEvent() {
  ASTFE_LOCK;
  auto event = std::make_unique<Time>();
  void *handle = event.get();
  state->events.insert(std::move(event));
  return handle;
}

Status Emulator::destroyEvent(void *event) {
  return destroy(state->events, event, "an event");
}

Status Emulator::recordEvent(void *event, void *) {
  ASTFE_LOCK;
  if (findOwner(state->events, event) == state->events.end())
    return Error{"expected an event but got something else"};
  *static_cast<Time *>(event) = std::chrono::steady_clock::now();
  return Success();
}

Status Emulator::synchronizeEvent(void *) { return Success(); }

Result<double> Emulator::secondsBetween(void *start, void *end) {
  ASTFE_LOCK;
  for (void *event : {start, end})
    if (findOwner(state->events, event) == state->events.end())
      return Error{"expected an event but got something else"};
  std::chrono::duration<double> seconds =
      *static_cast<Time *>(end) - *static_cast<Time *>(start);
  return seconds.count();
}

Status Emulator::synchronize() { return Success(); }
