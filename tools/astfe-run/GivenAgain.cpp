//===- GivenAgain.cpp - options that are given wrongly --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GivenAgain.h"

using namespace llvm;

const cl::Option *astfe::run::optionGivenAgain() {
  const cl::Option *first = nullptr;
  for (cl::SubCommand *sub : cl::getRegisteredSubcommands())
    for (const auto &[name, option] : cl::getRegisteredOptions(*sub))
      if (option->getNumOccurrencesFlag() == cl::Optional &&
          option->getNumOccurrences() > 1 &&
          (!first || option->ArgStr < first->ArgStr))
        first = option;
  return first;
}

const cl::Option *
astfe::run::optionGivenNothing(ArrayRef<const cl::opt<std::string> *> options) {
  for (const cl::opt<std::string> *option : options)
    if (option->getNumOccurrences() > 0 && option->empty())
      return option;
  return nullptr;
}
