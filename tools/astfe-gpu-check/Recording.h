//===- Recording.h - work of a stream as a graph ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA C++ Programming Guide, CUDA graphs: what is put on a stream is recorded
// and runs later, with one launch for all of it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_RECORDING_H
#define ASTFE_TOOLS_GPUCHECK_RECORDING_H

#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace astfe::gpucheck {

class Recording {
public:
  /// Records `work`, which puts its work on the stream, `count` times. An error
  /// where the driver, which must be open, has no graphs or takes no part of
  /// the work.
  static core::Result<std::unique_ptr<Recording>>
  make(void *stream, const std::function<core::Status()> &work, int64_t count);
  ~Recording();

  /// Puts all of it on the stream.
  core::Status replay();

private:
  explicit Recording(void *stream) : stream(stream) {}

  void *const stream;
  void *graph = nullptr, *executable = nullptr;
};

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_RECORDING_H
