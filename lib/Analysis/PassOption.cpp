//===- PassOption.cpp - wrong options are errors --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace astfe {

core::Status checkGivenOnce(const llvm::cl::Option &one) {
  const llvm::cl::Option *first = nullptr;
  for (const llvm::cl::SubCommand *together : one.Subs)
    for (auto [name, option] : together->OptionsMap)
      if (option->getNumOccurrences() > 1 &&
          option->getNumOccurrencesFlag() != llvm::cl::ZeroOrMore &&
          (!first || option->ArgStr < first->ArgStr))
        first = option;
  if (!first)
    return core::Success();
  return core::Error{("expected option '" + first->ArgStr +
                      "' once but got it " + Twine(first->getNumOccurrences()) +
                      " times")
                         .str()};
}

core::Status checkPasses(OpPassManager &pm) {
  for (Pass &pass : pm)
    if (auto *checks = dynamic_cast<OptionChecks *>(&pass))
      if (auto checked = checks->checkOptions(); !checked)
        return checked;
  return core::Success();
}

core::Error optionError(StringRef name, StringRef expected, StringRef got) {
  return core::Error{("expected option '" + name + "' to be " + expected +
                      " but got '" + got + "'")
                         .str()};
}

core::Status checkAtLeast(StringRef name, int64_t least, int64_t got) {
  if (got >= least)
    return core::Success();
  return optionError(name, "at least " + std::to_string(least),
                     std::to_string(got));
}

core::Status allOf(std::initializer_list<core::Status> checks) {
  for (const core::Status &check : checks)
    if (!check)
      return check;
  return core::Success();
}

core::Result<std::optional<double>> parseThreshold(StringRef text) {
  if (auto tau = core::parseThreshold(text))
    return *tau;
  return optionError("threshold", "auto, or above 0.5 and below 1", text);
}

core::Result<core::Arrangement> parseArrangement(StringRef order, int64_t panel,
                                                 StringRef reorder,
                                                 StringRef hubs) {
  std::optional<core::OrderKind> along = core::parseOrder(order);
  if (!along)
    return optionError("order", core::orderNames().text(), order);
  if (panel < 0 || panel > kMaxPanel)
    return optionError("panel", "in 0..62", std::to_string(panel));
  std::optional<core::ReorderKind> kind = core::parseReorder(reorder);
  if (!kind)
    return optionError("reorder", core::reorderNames().text(), reorder);
  std::optional<int64_t> most = core::parseHubs(hubs);
  if (!most)
    return optionError("hubs", "none, auto or a number from 1", hubs);
  return core::Arrangement{*along, unsigned(panel), *kind, *most};
}

} // namespace astfe
