//===- ShownOption.h - pipeline options that show their default -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's --help prints the description of an option and not its default: here
// the description ends with it. Analysis/PassOption.td does so for passes.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_SHOWNOPTION_H
#define ASTFE_PIPELINES_SHOWNOPTION_H

#include "mlir/Pass/PassOptions.h"
#include <string>
#include <type_traits>

namespace astfe {

template <typename T>
class ShownOption : public mlir::detail::PassOptions::Option<T> {
  using Base = mlir::detail::PassOptions::Option<T>;

public:
  ShownOption(mlir::detail::PassOptions &parent, llvm::StringRef name,
              llvm::StringRef text, const T &value)
      : Base(parent, name), text(text) {
    defaultTo(value);
  }

  using Base::operator=;

  /// For a pipeline with another default than the options that it inherits.
  void defaultTo(const T &value) {
    this->setInitialValue(value);
    description = text + print(value);
    this->setDescription(description);
  }

private:
  static std::string print(const T &value) {
    if constexpr (std::is_same_v<T, std::string>)
      return value.empty() ? "" : " (default: " + value + ")";
    else if constexpr (std::is_same_v<T, bool>)
      return value ? " (default: true)" : " (default: false)";
    else
      return " (default: " + std::to_string(value) + ")";
  }

  std::string text, description;
};

} // namespace astfe

#endif // ASTFE_PIPELINES_SHOWNOPTION_H
