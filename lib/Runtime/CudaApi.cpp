//===- CudaApi.cpp - the CUDA driver's functions, found at run time -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace astfe;
using namespace astfe::rt;

namespace {

/// Fills function pointers from a library; remembers the first that is missing.
class SymbolLoader {
public:
  explicit SymbolLoader(void *library) : library(library) {}

  template <typename Function>
  SymbolLoader &operator()(Function *&function, const char *name) {
    void *address = dlsym(library, name);
    if (!address && !missing)
      missing = name;
    function = reinterpret_cast<Function *>(address);
    return *this;
  }

  const char *missing = nullptr;

private:
  void *library;
};

} // namespace

static void loadContext(CudaApi &api, SymbolLoader &load) {
  load(api.init, "cuInit")(api.driverVersion, "cuDriverGetVersion");
  load(api.errorName, "cuGetErrorName");
  load(api.errorText, "cuGetErrorString");
  load(api.deviceCount, "cuDeviceGetCount")(api.deviceGet, "cuDeviceGet");
  load(api.deviceName, "cuDeviceGetName");
  load(api.deviceAttribute, "cuDeviceGetAttribute");
  load(api.contextRetain, "cuDevicePrimaryCtxRetain");
  load(api.contextPush, "cuCtxPushCurrent_v2");
  load(api.contextPop, "cuCtxPopCurrent_v2");
  load(api.contextSynchronize, "cuCtxSynchronize");
}

static void loadModules(CudaApi &api, SymbolLoader &load) {
  load(api.moduleLoad, "cuModuleLoadDataEx");
  load(api.moduleUnload, "cuModuleUnload");
  load(api.moduleFunction, "cuModuleGetFunction");
  load(api.functionSetAttribute, "cuFuncSetAttribute");
  load(api.residentBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  load(api.launch, "cuLaunchKernel");
}

static void loadMemory(CudaApi &api, SymbolLoader &load) {
  load(api.allocate, "cuMemAlloc_v2");
  load(api.allocateManaged, "cuMemAllocManaged");
  load(api.free, "cuMemFree_v2")(api.copy, "cuMemcpy");
  load(api.allocateAsync, "cuMemAllocAsync")(api.freeAsync, "cuMemFreeAsync");
  load(api.pointerAttribute, "cuPointerGetAttribute");
  load(api.copyAsync, "cuMemcpyAsync");
  load(api.fill32, "cuMemsetD32Async")(api.fill16, "cuMemsetD16Async");
  load(api.registerHost, "cuMemHostRegister_v2");
  load(api.unregisterHost, "cuMemHostUnregister");
}

static void loadStreams(CudaApi &api, SymbolLoader &load) {
  load(api.streamCreate, "cuStreamCreate");
  load(api.streamDestroy, "cuStreamDestroy_v2");
  load(api.streamSynchronize, "cuStreamSynchronize");
  load(api.streamContext, "cuStreamGetCtx");
  load(api.streamWait, "cuStreamWaitEvent");
  load(api.streamCapturing, "cuStreamIsCapturing");
  load(api.eventCreate, "cuEventCreate")(api.eventDestroy, "cuEventDestroy_v2");
  load(api.eventRecord, "cuEventRecord");
  load(api.eventSynchronize, "cuEventSynchronize");
  load(api.eventElapsed, "cuEventElapsedTime");
}

static core::Result<const CudaApi *> openDriver() {
  const char *name = std::getenv("ASTFE_LIBCUDA");
  if (!name || !*name)
    name = "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return core::Error{std::string("expected a CUDA driver but got '") +
                       dlerror() + "'"};
  static CudaApi api;
  SymbolLoader load(library);
  loadContext(api, load);
  loadModules(api, load);
  loadMemory(api, load);
  loadStreams(api, load);
  if (load.missing)
    return core::Error{std::string("expected '") + load.missing + "' in '" +
                       name +
                       "', as drivers of CUDA 11.2 and later have it, but got "
                       "a library without it"};
  core::Status status = api.check(api.init(0), "cuInit");
  if (!status)
    return status.error();
  return &api;
}

core::Result<const CudaApi *> rt::cudaApi() {
  static core::Result<const CudaApi *> api = openDriver();
  return api;
}

core::Status CudaApi::check(int code, const char *what) const {
  if (code == 0)
    return core::Success();
  const char *name = nullptr, *text = nullptr;
  errorName(code, &name);
  errorText(code, &text);
  return core::Error{std::string(what) + " failed: " +
                     (name ? name : std::to_string(code).c_str()) + " (" +
                     (text ? text : "no text") + ")"};
}
