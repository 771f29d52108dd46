//===- ABIOperands.cpp - operands that are on the device ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Mgpu.h"

using namespace astfe;
using namespace astfe::rt;

static bool fail(const AstfeMemRef1D *name, const std::string &text) {
  setLastError(std::string(elements<const char>(name), size_t(name->size)) +
               ": " + text);
  return false;
}

static bool areChecked() {
  const StreamScope *scope = StreamScope::innermost();
  return scope && scope->isChecked;
}

static bool isReachable(const AstfeMemRef1D *name, int64_t address,
                        int64_t bytes, int64_t alignment) {
  if (bytes == 0)
    return true;
  if (address % alignment != 0)
    return fail(name, "expected an address divisible by " +
                          std::to_string(alignment) +
                          " but got one that ends in " +
                          std::to_string(address % alignment));
  core::Result<Device *> device = currentDevice();
  if (!device)
    return fail(name, device.message());
  core::Status status = (*device)->checkMemory(
      reinterpret_cast<const void *>(address), size_t(bytes));
  return status || fail(name, status.message());
}

extern "C" int64_t _mlir_ciface_astfe_rt_reachable(AstfeMemRef1D *name,
                                                   int64_t address,
                                                   int64_t bytes,
                                                   int64_t alignment) {
  return areChecked() || isReachable(name, address, bytes, alignment);
}

extern "C" int64_t _mlir_ciface_astfe_rt_apart(AstfeMemRef1D *name,
                                               int64_t address, int64_t bytes,
                                               int64_t output,
                                               int64_t outputBytes) {
  return areChecked() || bytes == 0 || outputBytes == 0 ||
         address + bytes <= output || output + outputBytes <= address ||
         fail(name, "expected memory apart from what is written but got memory "
                    "that overlaps");
}
