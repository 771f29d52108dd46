//===- Mgpu.h - the functions that upstream's GPU lowering calls ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's gpu dialect lowers host code to calls of these functions. Upstream
// implements them over CUDA only, and Debian ships no such library. Here they
// forward to the current Device (Device.h). They never abort: a failure leaves
// its text in the thread's last error, and the result is null. Functions that
// get a null module, kernel, event or memory because of an earlier failure do
// nothing more than keep that text.
//
// Names and types are those of
// mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_MGPU_H
#define ASTFE_RUNTIME_MGPU_H

#include <stddef.h>
#include <stdint.h>

extern "C" {
void *mgpuModuleLoad(void *image, size_t bytes);
void *mgpuModuleLoadJIT(void *image, int optLevel);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **params, void **extra, size_t paramCount);

void *mgpuStreamCreate();
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate();
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);

void *mgpuMemAlloc(uint64_t bytes, void *stream, bool isHostShared);
void mgpuMemFree(void *memory, void *stream);
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream);
void mgpuMemset32(void *to, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *to, unsigned short value, size_t count, void *stream);
void mgpuMemHostRegister(void *memory, uint64_t bytes);
void mgpuMemHostUnregister(void *memory);

void mgpuSetDefaultDevice(int32_t ordinal);
}

namespace astfe::rt {

/// While it lives, generated code that this thread calls works on `stream`, in
/// order, and does not wait for it: launches, copies, and memory of its own.
/// Without it each of them has a stream of its own, which is waited for. Scopes
/// may be nested.
class StreamScope {
public:
  /// `isChecked`: operands were looked at, and generated code need not.
  explicit StreamScope(void *stream, bool isChecked = false);
  ~StreamScope();
  StreamScope(const StreamScope &) = delete;
  StreamScope &operator=(const StreamScope &) = delete;
  /// The one that this thread is in, or null.
  static const StreamScope *innermost();

  void *const stream; ///< null: the default stream
  const bool isChecked;

private:
  const StreamScope *outer;
};

/// A function by name, for a JIT that must be told where symbols are.
struct Symbol {
  const char *name;
  void *address;
  /// Calls it with the address of each argument, then that of its result;
  /// null for mgpu* functions.
  void (*call)(void **arguments) = nullptr;
};
/// All mgpu* functions; the last has a null name.
const Symbol *mgpuSymbols();

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_MGPU_H
