//===- KeptOps.cpp - why ops were left as they are ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::shared_ptr<std::string> lines)
      : lines(std::move(lines)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    for (const auto &argument : remark.getArgs())
      if (argument.key == "Reason")
        llvm::raw_string_ostream(*lines)
            << "\n  " << remark.getLocation() << ": " << argument.val;
  }

private:
  std::shared_ptr<std::string> lines;
};
} // namespace

astfe::run::KeptOps::KeptOps(MLIRContext &context)
    : lines(std::make_shared<std::string>()) {
  remark::RemarkCategories categories;
  categories.missed = "convert-linalg-to-astfe";
  // The text stays empty where the context has remarks already.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(lines),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
