//===- GivenAgain.h - options that are given wrongly ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_GIVENAGAIN_H
#define ASTFE_TOOLS_RUN_GIVENAGAIN_H

#include "llvm/Support/CommandLine.h"

namespace astfe::run {

/// The first option by name that holds one value and was given again, or null.
/// LLVM takes the last value without a word.
const llvm::cl::Option *optionGivenAgain();

/// The first of `options` that was given an empty value, or null. Where none is
/// the default, LLVM's users cannot tell the two.
const llvm::cl::Option *
optionGivenNothing(llvm::ArrayRef<const llvm::cl::opt<std::string> *> options);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_GIVENAGAIN_H
