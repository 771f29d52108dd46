//===- Recording.cpp - work of a stream as a graph ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "LibraryFunction.h"
#include <cstdlib>

namespace astfe::gpucheck {

/// The driver, which the runtime has opened before.
static void *driver() {
  const char *named = std::getenv("ASTFE_LIBCUDA");
  return dlopen(named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

namespace {
/// Makes a stream's context the thread's: recording wants one, and the thread
/// may have none, as each of the runtime's calls brings its own.
class ContextOf {
public:
  explicit ContextOf(void *stream) {
    LibraryFunction<void *, void **> contextOf(driver(), "cuStreamGetCtx");
    LibraryFunction<void *> push(driver(), "cuCtxPushCurrent_v2");
    void *context = nullptr;
    isPushed =
        contextOf && push && contextOf(stream, &context) && push(context);
  }
  ~ContextOf() {
    LibraryFunction<void **> pop(driver(), "cuCtxPopCurrent_v2");
    void *context = nullptr;
    if (isPushed)
      (void)bool(pop(&context));
  }
  ContextOf(const ContextOf &) = delete;
  ContextOf &operator=(const ContextOf &) = delete;

private:
  bool isPushed = false;
};
} // namespace

/// The driver's CU_STREAM_CAPTURE_MODE_RELAXED: allocations may go on.
static constexpr int kRelaxed = 2;

core::Result<std::unique_ptr<Recording>>
Recording::make(void *stream, const std::function<core::Status()> &work,
                int64_t count) {
  LibraryFunction<void *, int> begin(driver(), "cuStreamBeginCapture_v2");
  LibraryFunction<void *, void **> end(driver(), "cuStreamEndCapture");
  LibraryFunction<void **, void *, unsigned long long> instantiate(
      driver(), "cuGraphInstantiateWithFlags");
  if (!begin || !end || !instantiate)
    return core::Error{"expected a driver with graphs"};
  const ContextOf context(stream);
  std::unique_ptr<Recording> made(new Recording(stream));
  if (auto status = begin(stream, kRelaxed); !status)
    return status.error();
  core::Status status = core::Success();
  for (int64_t i = 0; i < count && status; ++i)
    status = work();
  // A stream must not stay in recording, whatever became of the work.
  auto ended = end(stream, &made->graph);
  if (status)
    status = ended;
  if (status)
    status = instantiate(&made->executable, made->graph, 0);
  if (!status)
    return status.error();
  return made;
}

Recording::~Recording() {
  const ContextOf context(stream);
  LibraryFunction<void *> destroyExecutable(driver(), "cuGraphExecDestroy");
  LibraryFunction<void *> destroyGraph(driver(), "cuGraphDestroy");
  if (executable)
    (void)bool(destroyExecutable(executable));
  if (graph)
    (void)bool(destroyGraph(graph));
}

core::Status Recording::replay() {
  const ContextOf context(stream);
  LibraryFunction<void *, void *> launch(driver(), "cuGraphLaunch");
  return launch(executable, stream);
}

} // namespace astfe::gpucheck
