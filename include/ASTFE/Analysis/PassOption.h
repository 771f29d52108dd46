//===- PassOption.h - wrong options are errors ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass says once what is wrong with its options. It is asked when a textual
// pipeline is parsed, before any pass runs; when a pipeline that was built in
// C++ is registered under a flag; and before it runs, where somebody built it
// otherwise. An option that a text gives twice is an error too: MLIR takes the
// last, silently.
//
//   struct RefinePass : CheckedOptions<impl::RefinePassBase<RefinePass>> {
//     using CheckedOptions::CheckedOptions;
//     core::Status checkOptions() override {
//       return checkAtLeast("workers", 1, workers);
//     }
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_PASSOPTION_H
#define ASTFE_ANALYSIS_PASSOPTION_H

#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/Status.h"
#include "mlir/Pass/Pass.h"
#include <initializer_list>
#include <memory>
#include <optional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace astfe {

/// The first failure of several.
core::Status allOf(std::initializer_list<core::Status> checks);

/// Fails with an option that came more than once, of all that are parsed
/// together with `one`. Lists may come in parts.
core::Status checkGivenOnce(const llvm::cl::Option &one);

/// A pass with options that may be wrong.
class OptionChecks {
public:
  virtual ~OptionChecks() = default;
  /// Fails with the option that is wrong and what is allowed. May keep what it
  /// parses: it is called before every run.
  virtual core::Status checkOptions() { return core::Success(); }
};

/// `Generated` is the base that TableGen writes for a pass.
template <typename Generated>
class CheckedOptions : public Generated, public OptionChecks {
public:
  using Report = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;

  using Generated::Generated;

  llvm::LogicalResult initializeOptions(llvm::StringRef text,
                                        Report report) override {
    if (failed(Generated::initializeOptions(text, report)))
      return llvm::failure();
    if (auto checked = allOf({checkText(text), checkOptions()}); !checked)
      return report(checked.message());
    return llvm::success();
  }

  llvm::LogicalResult initialize(mlir::MLIRContext *context) override {
    if (auto checked = checkOptions(); !checked)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << checked.message();
    return llvm::success();
  }

private:
  /// MLIR keeps the options of a pass to itself: one that joins those of a copy
  /// leads to them.
  core::Status checkText(llvm::StringRef text) {
    std::unique_ptr<mlir::Pass> copy = this->clonePass();
    mlir::Pass::Option<bool> joined(*copy, "joined");
    auto ignore = [](const llvm::Twine &) { return llvm::failure(); };
    if (failed(copy->mlir::Pass::initializeOptions(text, ignore)))
      return core::Success();
    return checkGivenOnce(joined);
  }
};

/// The first failure of the passes of a pipeline, nested ones too.
core::Status checkPasses(mlir::OpPassManager &pm);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The largest `panel`: log2 of the most rows that 64-bit prefixes can number.
constexpr int64_t kMaxPanel = 62;

/// "expected option 'name' to be <expected> but got '<got>'".
core::Error optionError(llvm::StringRef name, llvm::StringRef expected,
                        llvm::StringRef got);

core::Status checkAtLeast(llvm::StringRef name, int64_t least, int64_t got);

/// tau of `threshold`; none for auto.
core::Result<std::optional<double>> parseThreshold(llvm::StringRef text);

/// A space's arrangement as passes take it: order, panel, reorder, hubs.
core::Result<core::Arrangement> parseArrangement(llvm::StringRef order,
                                                 int64_t panel,
                                                 llvm::StringRef reorder,
                                                 llvm::StringRef hubs);

} // namespace astfe

#endif // ASTFE_ANALYSIS_PASSOPTION_H
