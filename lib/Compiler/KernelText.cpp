//===- KernelText.cpp - the kernel of a request, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelText.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace astfe;
using astfe::product::KernelRequest;

namespace {

/// Types of the operands.
struct Types {
  std::string element, pattern, values, b, c;
};

std::string extentText(const KernelRequest &request, unsigned mode) {
  return request.extents ? std::to_string((*request.extents)[mode]) : "?";
}

/// A dense operand with so many rows.
std::string denseText(const KernelRequest &request, const std::string &element,
                      const std::string &rows) {
  if (request.isVector())
    return "memref<" + rows + "x" + element + ">";
  return "memref<" + rows + "x" +
         (request.columns ? std::to_string(*request.columns) : "?") + "x" +
         element + (request.strided ? ", strided<[?, 1]>>" : ">");
}

Types typesOf(mlir::MLIRContext &context, const KernelRequest &request) {
  Types types;
  types.element = request.isDouble ? "f64" : "f32";
  const std::string rows = extentText(request, 0),
                    columns = extentText(request, 1);
  llvm::raw_string_ostream(types.pattern)
      << "!astfe.blocked<" << rows << 'x' << columns << ", "
      << toAttr(&context, request.layout) << '>';
  types.values = "memref<?x" + types.element + ">";
  types.b = denseText(request, types.element, columns);
  types.c = denseText(request, types.element, rows);
  return types;
}

} // namespace

std::string compiler::kernelText(mlir::MLIRContext &context,
                                 const KernelRequest &request) {
  const Types types = typesOf(context, request);
  const char *dims = request.isVector() ? "(n, i, k)" : "(n, i, k, j)";
  const char *dense = request.isVector() ? "" : ", j";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "#n = affine_map<" << dims << " -> (n)>\n#b = affine_map<" << dims
      << " -> (k" << dense << ")>\n#c = affine_map<" << dims << " -> (i"
      << dense << ")>\n!pattern = " << types.pattern
      << "\nfunc.func @product(%P: !pattern, %v: " << types.values
      << ", %B: " << types.b << ", %C: " << types.c
      << ")\n    attributes {llvm.emit_c_interface} {\n";
  out << "  astfe.compute over %P : !pattern maps [#n, #b, #c]\n"
         "      ins(%v, %B : "
      << types.values << ", " << types.b << ") outs(%C : " << types.c
      << (request.overwrite ? ") overwrite" : ")")
      << " {\n  ^bb0(%x: " << types.element << ", %y: " << types.element
      << "):\n    %p = arith.mulf %x, %y : " << types.element
      << "\n    astfe.yield \"addf\" %p : " << types.element
      << "\n  }\n  return\n}\n";
  return text;
}

compiler::Stage compiler::selectStage(const KernelRequest &request) {
  SelectKernelsPassOptions options;
  options.chip = request.chip;
  for (unsigned kind = 0; kind < core::kSegmentClasses; ++kind)
    if (request.classes.contains(core::SegmentClass(kind)))
      options.classes.push_back(
          std::string(core::className(core::SegmentClass(kind))));
  return stage("selected", [=](mlir::OpPassManager &pm) {
    pm.addPass(createSelectKernelsPass(options));
  });
}
