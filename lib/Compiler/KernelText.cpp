//===- KernelText.cpp - the kernel of a request, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelText.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Compiler/BodyText.h"
#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Conversion/AtNonzeros.h"
#include "ASTFE/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace astfe;
using astfe::product::KernelRequest;

namespace {

/// Types of the operands.
struct Types {
  std::string result, pattern, values, b, c;
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
  const std::string element = compiler::typeText(request.arithmetic.element);
  types.result = compiler::typeText(request.arithmetic.result());
  const std::string rows = extentText(request, 0),
                    columns = extentText(request, 1);
  llvm::raw_string_ostream(types.pattern)
      << "!astfe.blocked<" << rows << 'x' << columns << ", "
      << toAttr(&context, request.layout) << '>';
  types.values = "memref<?x" + element + ">";
  types.b = denseText(request, element, columns);
  types.c = denseText(request, types.result, rows);
  return types;
}

/// How @product comes by its pattern %P.
struct PatternText {
  std::string arguments, lines;
};

/// %rows and %columns, where the code relies on neither: as C and B have them.
std::string extentsOfOperands(const Types &types) {
  return "  %zero = arith.constant 0 : index\n"
         "  %rows = memref.dim %C, %zero : " +
         types.c + "\n  %columns = memref.dim %B, %zero : " + types.b + "\n";
}

PatternText patternText(const KernelRequest &request, const Types &types) {
  if (!request.view)
    return {"%P: !pattern", ""};
  const std::string positions =
      "memref<?xi" + std::to_string(request.view->positionBits) + ">";
  const std::string coordinates = "memref<?xi32>";
  auto extent = [&](unsigned mode) {
    return " = arith.constant " + extentText(request, mode) + " : index\n";
  };
  return {"%p: " + positions + ", %c: " + coordinates,
          (request.extents ? "  %rows" + extent(0) + "  %columns" + extent(1)
                           : extentsOfOperands(types)) +
              "  %P = astfe.view %p, %c [%rows, %columns]" +
              (request.view->byColumns ? " by_columns" : "") + " : " +
              positions + ", " + coordinates + " -> !pattern\n"};
}

/// @product over the pattern %P with the values %v.
struct FunctionText {
  std::string maps;     ///< affine maps by name, in terms of `dims`
  std::string operands; ///< arguments behind the pattern and the values
  std::string compute;  ///< the op behind `astfe.compute over %P : !pattern`
};

/// The body for arguments of these names, of which `factors` is an order.
std::string bodyText(const core::Arithmetic &arithmetic,
                     const std::vector<std::string> &arguments,
                     const std::vector<std::string> &factors) {
  std::string text = " {\n  ^bb0(";
  for (const std::string &argument : arguments)
    text += (&argument == arguments.data() ? "" : ", ") + argument + ": " +
            compiler::typeText(arithmetic.element);
  const compiler::ProductText product =
      compiler::productText(arithmetic, factors, "    ");
  return text + "):\n" + product.lines + "    astfe.yield \"" +
         compiler::opsOf(arithmetic).combiner + "\" " + product.result + " : " +
         compiler::typeText(arithmetic.result()) + "\n";
}

FunctionText productText(const KernelRequest &request, const Types &types) {
  const std::string dims = request.isVector() ? "(n, i, k)" : "(n, i, k, j)";
  const std::string dense = request.isVector() ? "" : ", j";
  return {"#n = affine_map<" + dims + " -> (n)>\n#b = affine_map<" + dims +
              " -> (k" + dense + ")>\n#c = affine_map<" + dims + " -> (i" +
              dense + ")>\n",
          "%B: " + types.b + ", %C: " + types.c,
          "maps [#n, #b, #c]\n      ins(%v, %B : " + types.values + ", " +
              types.b + ") outs(%C : " + types.c +
              (request.overwrite ? ") overwrite" : ")") +
              bodyText(request.arithmetic, {"%x", "%y"}, {"%x", "%y"})};
}

FunctionText samplesText(const KernelRequest &request, const Types &types) {
  // X is as wide as C, and of A's elements.
  const std::string x =
      denseText(request, compiler::typeText(request.arithmetic.element),
                extentText(request, 0));
  const std::string samples = "memref<?x" + types.result + ">";
  return {
      "#n = affine_map<(n, i, k, j) -> (n)>\n"
      "#x = affine_map<(n, i, k, j) -> (i, j)>\n"
      "#y = affine_map<(n, i, k, j) -> (k, j)>\n",
      "%X: " + x + ", %Y: " + types.b + ", %S: " + samples,
      "maps [#n, #x, #y, #n]\n      ins(%v, %X, %Y : " + types.values + ", " +
          x + ", " + types.b + ") outs(%S : " + samples +
          (request.overwrite ? ") overwrite" : ")") +
          (request.writesAtNonzeros()
               ? " attributes {" + kAtNonzerosAttr.str() + "}"
               : "") +
          bodyText(request.arithmetic, {"%a", "%x", "%y"}, {"%x", "%y", "%a"})};
}

} // namespace

std::string compiler::kernelText(mlir::MLIRContext &context,
                                 const KernelRequest &request) {
  const Types types = typesOf(context, request);
  const FunctionText function =
      request.computation == product::Computation::Samples
          ? samplesText(request, types)
          : productText(request, types);
  const PatternText pattern = patternText(request, types);
  return function.maps + "!pattern = " + types.pattern +
         "\nfunc.func @product(" + pattern.arguments + ", %v: " + types.values +
         ", " + function.operands +
         ")\n    attributes {llvm.emit_c_interface} {\n" + pattern.lines +
         "  astfe.compute over %P : !pattern " + function.compute +
         "  }\n  return\n}\n";
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
