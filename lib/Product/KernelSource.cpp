//===- KernelSource.cpp - where the kernels of products come from ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/KernelSource.h"
#include "ASTFE/Product/CompilerLibrary.h"

using namespace astfe;
using namespace astfe::product;

KernelSource::~KernelSource() = default;
Program::~Program() = default;

std::string_view product::originName(CodeOrigin origin) {
  switch (origin) {
  case CodeOrigin::Compiled:
    return "miss";
  case CodeOrigin::InFolder:
    return "folder";
  case CodeOrigin::InProcess:
    return "process";
  }
  return {};
}

std::string KernelRequest::key() const {
  std::string text =
      chip.empty() ? "cpu " + cpu + " " + features : "chip " + chip;
  text += "; ";
  text += arithmetic.text();
  if (view)
    text += "; view, positions of " + std::to_string(view->positionBits) +
            " bits" + (view->byColumns ? ", by columns" : "") +
            (view->cutsRows ? ", long rows" : "");
  else
    text += "; columns of " + std::to_string(layout.columnBits) + " bits, " +
            core::classNames(layout.classes) + "; holds " +
            core::classNames(classes);
  if (layout.deterministic)
    text += "; deterministic";
  if (layout.assumeFinite)
    text += "; finite";
  text += "; " + (columns ? std::to_string(*columns) : "any") + " columns";
  if (strided)
    text += ", strided";
  if (computation == Computation::Samples)
    text += "; samples";
  text += overwrite ? "; C = A B" : "; C += A B";
  if (extents)
    text += "; A is " + std::to_string((*extents)[0]) + " x " +
            std::to_string((*extents)[1]);
  return text;
}
