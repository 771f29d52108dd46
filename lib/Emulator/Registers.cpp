//===- Registers.cpp - registers of the kernels ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Model.h"

using namespace astfe;

/// A chain's parts that come again have a number behind their name: combine_chain_1.
static std::string stemOf(const std::string &kernel) {
  const size_t at = kernel.rfind('_');
  const std::string stem = kernel.substr(0, at);
  const bool isNumbered =
      at != kernel.npos &&
      kernel.find_first_not_of("0123456789", at + 1) == kernel.npos;
  return isNumbered && (stem == "combine_chain" || stem == "pieces" ||
                        stem == "combine_chain_by1" || stem == "pieces_by1")
             ? stem
             : kernel;
}

core::Result<int64_t> emu::kernelRegisters(const std::string &kernel) {
  static constexpr struct {
    const char *kernel;
    int64_t registers;
  } table[] = {
#define ASTFE_REGISTERS(kernel, registers) {kernel, registers},
#include "Registers.def"
#undef ASTFE_REGISTERS
  };
  const std::string stem = stemOf(kernel);
  for (const auto &row : table)
    if (stem == row.kernel)
      return row.registers;
  return core::Error{"expected a kernel whose registers are known but got '" +
                     kernel + "'"};
}
