//===- Bitcode.h - kernels that mlir-opt compiled -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EMULATOR_BITCODE_H
#define ASTFE_UNITTESTS_EMULATOR_BITCODE_H

#include <string>

namespace astfe::emu {

/// The bitcode of Inputs/`name`.mlir, which stands in the text of the compiled
/// module: offload = "BC\C0\DE...". Empty if there is none.
std::string readBitcode(const std::string &name);

} // namespace astfe::emu

#endif // ASTFE_UNITTESTS_EMULATOR_BITCODE_H
