//===- GivenDevice.h - the GPU that a caller of C names ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_GIVENDEVICE_H
#define ASTFE_LIB_CAPI_GIVENDEVICE_H

#include "ASTFE/Runtime/Device.h"

namespace astfe::capi {

/// Null and no chip for null, which is the host; the first GPU for "cuda", and
/// the chip that it is.
struct GivenDevice {
  rt::Device *device = nullptr;
  std::string chip;

  static core::Result<GivenDevice> of(const char *name);
};

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_GIVENDEVICE_H
