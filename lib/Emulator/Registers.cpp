//===- Registers.cpp - registers of the kernels ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Model.h"

using namespace astfe;

core::Result<int64_t> emu::kernelRegisters(const std::string &kernel) {
  static constexpr struct {
    const char *kernel;
    int64_t registers;
  } table[] = {
#define ASTFE_REGISTERS(kernel, registers) {kernel, registers},
#include "Registers.def"
#undef ASTFE_REGISTERS
  };
  for (const auto &row : table)
    if (kernel == row.kernel)
      return row.registers;
  return core::Error{"expected a kernel whose registers are known but got '" +
                     kernel + "'"};
}
