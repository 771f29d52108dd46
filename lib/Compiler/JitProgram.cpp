//===- JitProgram.cpp - code in memory as a program -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/JitProgram.h"

using namespace astfe;

namespace {
class JitProgram : public product::Program {
public:
  explicit JitProgram(std::shared_ptr<Jit> jit) : jit(std::move(jit)) {}
  core::Result<void *> lookup(const std::string &symbol) const override {
    return jit->lookup(symbol);
  }

private:
  std::shared_ptr<Jit> jit;
};
} // namespace

std::shared_ptr<const product::Program>
compiler::programOf(std::shared_ptr<Jit> jit) {
  return std::make_shared<JitProgram>(std::move(jit));
}
