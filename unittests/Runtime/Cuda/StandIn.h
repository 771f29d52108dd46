//===- StandIn.h - functions of the driver's stand-in ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_RUNTIME_CUDA_STANDIN_H
#define ASTFE_UNITTESTS_RUNTIME_CUDA_STANDIN_H

#include <dlfcn.h>

namespace astfe {

/// A function of the stand-in, which is loaded.
template <typename Function>
Function *standIn(const char *name) {
  void *library = dlopen(ASTFE_FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

} // namespace astfe

#endif // ASTFE_UNITTESTS_RUNTIME_CUDA_STANDIN_H
