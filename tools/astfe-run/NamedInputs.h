//===- NamedInputs.h - NAME=VALUE options for a function's arguments ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--matrix A=a.mtx --matrix B=b.mtx` and `--scalar n=3` are given to arguments
// by name. A matrix without a name is for all sparse arguments that no other
// one names. Whatever fits no argument, or one that has something already, is
// an error.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_NAMEDINPUTS_H
#define ASTFE_TOOLS_RUN_NAMEDINPUTS_H

#include "ASTFE/Core/Support/Status.h"
#include <string>
#include <vector>

namespace astfe::run {

/// An argument of the function that such an option may name.
struct NamedArgument {
  std::string name;
  /// Of the kind that the option is for.
  bool takes = false;
};

/// The file of each argument, empty for those that take none. All that take one
/// have one.
core::Result<std::vector<std::string>>
assignMatrices(const std::vector<NamedArgument> &arguments,
               const std::vector<std::string> &options);

/// The value of each argument, empty where none is given.
core::Result<std::vector<std::string>>
assignScalars(const std::vector<NamedArgument> &arguments,
              const std::vector<std::string> &options);

/// The file of the only sparse operand, which may be called by its name: FILE
/// or `name`=FILE.
core::Result<std::string> fileOf(const std::string &name,
                                 const std::string &flag,
                                 const std::string &text);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_NAMEDINPUTS_H
