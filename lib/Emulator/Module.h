//===- Module.h - a loaded GPU module -------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode (or LLVM IR as text), rewritten for the host and compiled.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_MODULE_H
#define ASTFE_LIB_EMULATOR_MODULE_H

#include "Launch.h"

namespace astfe::emu {

class Module {
public:
  /// Its global variables are registered with `memory` while it is loaded.
  static core::Result<std::unique_ptr<Module>>
  load(const void *image, size_t bytes, Memory &memory);
  ~Module();

  /// Null if there is no kernel of that name.
  Kernel *find(const std::string &name);
  /// Whether the kernel is one of this module's.
  bool owns(const Kernel *kernel) const;

private:
  struct State;
  explicit Module(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_MODULE_H
