//===- Device.h - what a kernel runs on -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device loads modules, owns memory and launches kernels. There are two: the
// CUDA driver (lib/Runtime/Cuda*.cpp) and the emulator (lib/Emulator).
// Generated code reaches the current one through the `mgpu*` functions of
// Mgpu.h, so that the same host program runs on either; only the embedded
// kernel differs (PTX for the driver, LLVM bitcode for the emulator).
//
// Modules, kernels, streams and events are opaque pointers of the device that
// made them. A null stream is the default one. Every call can fail, and says
// why as a Result; no call aborts the process. Devices may be used from any
// thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_DEVICE_H
#define ASTFE_RUNTIME_DEVICE_H

#include "ASTFE/Core/Support/Status.h"

#include <cstdint>

namespace astfe::rt {

/// Three extents: of a grid in blocks, or of a block in threads.
struct Extent3 {
  int64_t x = 1, y = 1, z = 1;
  int64_t count() const { return x * y * z; }
};

struct LaunchShape {
  Extent3 grid, block;
  int64_t sharedBytes = 0; ///< dynamic shared memory, beside the static one
};

class Device {
public:
  virtual ~Device();

  virtual std::string name() = 0;
  virtual int64_t multiprocessors() = 0;
  /// Warps that one multiprocessor can hold at the same time.
  virtual int64_t warpsPerMultiprocessor() = 0;
  /// What kernels are compiled for: sm_90.
  virtual std::string chip() = 0;
  /// The device of the same kind with that number.
  virtual core::Result<Device *> sibling(int ordinal) = 0;

  /// Loads PTX, a cubin or bitcode, whatever the device takes. `bytes` 0: the
  /// image is a text that ends with a zero.
  virtual core::Result<void *> loadModule(const void *image, size_t bytes) = 0;
  virtual core::Status unloadModule(void *module) = 0;
  virtual core::Result<void *> kernel(void *module, const char *name) = 0;
  /// Blocks of the kernel that a multiprocessor can hold at the same time.
  virtual core::Result<int64_t> residentBlocks(void *kernel,
                                               int64_t threads) = 0;
  /// params[i] points to argument i, as for cuLaunchKernel.
  virtual core::Status launch(void *kernel, const LaunchShape &shape,
                              void *stream, void **params) = 0;

  virtual core::Result<void *> allocate(size_t bytes, bool hostShared) = 0;
  virtual core::Status free(void *memory) = 0;
  /// The same in the order of a stream's work, for which nothing waits.
  virtual core::Result<void *> allocateOn(size_t bytes, void *stream);
  virtual core::Status freeOn(void *memory, void *stream);
  /// An error unless these bytes are in one allocation that kernels reach.
  virtual core::Status checkMemory(const void *memory, size_t bytes) = 0;
  /// Either side may be host or device memory.
  virtual core::Status copy(void *to, const void *from, size_t bytes,
                            void *stream) = 0;
  virtual core::Status fill32(void *to, uint32_t value, size_t count,
                              void *stream) = 0;
  virtual core::Status fill16(void *to, uint16_t value, size_t count,
                              void *stream) = 0;
  /// Lets kernels reach host memory.
  virtual core::Status registerHost(void *memory, size_t bytes) = 0;
  virtual core::Status unregisterHost(void *memory) = 0;

  virtual core::Result<void *> createStream() = 0;
  virtual core::Status destroyStream(void *stream) = 0;
  virtual core::Status synchronizeStream(void *stream) = 0;
  /// An error unless the stream is one of this device; null is.
  virtual core::Status checkStream(void *stream) = 0;
  virtual core::Status streamWait(void *stream, void *event) = 0;
  /// Whether the stream's work is recorded, to run later, and does not run now.
  virtual core::Result<bool> isRecorded(void *stream);
  virtual core::Result<void *> createEvent() = 0;
  virtual core::Status destroyEvent(void *event) = 0;
  virtual core::Status recordEvent(void *event, void *stream) = 0;
  virtual core::Status synchronizeEvent(void *event) = 0;
  /// Between two recorded events that have been reached.
  virtual core::Result<double> secondsBetween(void *start, void *end) = 0;

  /// Waits for everything; reports what failed meanwhile.
  virtual core::Status synchronize() = 0;
};

/// The device with that number under the CUDA driver. The driver is opened by
/// the first call (libcuda.so.1, or what the environment variable ASTFE_LIBCUDA
/// names); devices live as long as the process.
core::Result<Device *> cudaDevice(int ordinal = 0);

/// Makes `device` the one that mgpu* functions use, in all threads. It is not
/// owned. Null: the first CUDA device, when it is first needed.
void setDevice(Device *device);
/// The device that mgpu* functions use.
core::Result<Device *> currentDevice();

/// Kernels that generated code has launched in this process, by
/// mgpuLaunchKernel.
int64_t launches();

/// Warps of our kernels that the current device holds at the same time: kernels
/// are compiled so that kGPUResidentWarps fit a multiprocessor, and more would
/// wait for a second turn.
core::Result<int64_t> deviceWarps();

/// Of the current device; where there is none, of a GPU that nobody says more
/// of (kGPUMultiprocessors). Patterns are cut and kernels launched by it.
int64_t multiprocessors();

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_DEVICE_H
