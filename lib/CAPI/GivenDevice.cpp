//===- GivenDevice.cpp - the GPU that a caller of C names -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GivenDevice.h"
#include "ASTFE/Core/Target/Chip.h"
#include <string_view>

using namespace astfe;

core::Result<capi::GivenDevice> capi::GivenDevice::of(const char *name) {
  if (!name)
    return GivenDevice();
  if (std::string_view(name) != "cuda")
    return core::Error{"expected the device 'cuda' but got '" +
                       std::string(name) + "'"};
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  GivenDevice given{*device, (*device)->chip()};
  if (!core::findChip(given.chip))
    return core::Error{"expected a GPU that is " + core::chipNames() +
                       " but got '" + given.chip + "'"};
  return given;
}
