//===- TensorKernelText.cpp - a product of a tensor, as MLIR --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Compiler/BodyText.h"
#include "ASTFE/Compiler/KernelText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <utility>

using namespace astfe;
using product::TensorProduct;
using product::TensorRequest;

namespace {

/// Writes the text of one request. Dimension d is `d<d>`.
class Writer {
public:
  Writer(mlir::MLIRContext &context, const TensorRequest &request)
      : context(context), product(request.product),
        arithmetic(request.result() == request.arithmetic.result()
                       ? request.arithmetic
                       : core::Arithmetic{request.result(),
                                          request.arithmetic.semiring}),
        element(compiler::typeText(request.arithmetic.element)),
        result(compiler::typeText(request.result())),
        overwrite(request.overwrite) {}

  std::string text();

private:
  std::string map(const std::vector<unsigned> &dims) const;
  std::string buffer(const std::vector<unsigned> &dims,
                     const std::string &type) const;
  void writeCompute(llvm::raw_ostream &out) const;
  void writeBody(llvm::raw_ostream &out) const;

  mlir::MLIRContext &context;
  const TensorProduct &product;
  const core::Arithmetic arithmetic; ///< of the body
  const std::string element, result;
  const bool overwrite;
};

std::string Writer::map(const std::vector<unsigned> &dims) const {
  std::string text = "affine_map<(n";
  for (size_t d = 0; d < product.rank + product.dense.size(); ++d)
    text += ", d" + std::to_string(d);
  text += ") -> (";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", d" : "d") + std::to_string(dims[i]);
  return text + ")>";
}

std::string Writer::buffer(const std::vector<unsigned> &dims,
                           const std::string &type) const {
  std::string text = "memref<";
  for (unsigned dim : dims) {
    const int64_t extent =
        dim < product.rank ? 0 : product.dense[dim - product.rank];
    text += (extent ? std::to_string(extent) : "?") + "x";
  }
  return text + type + ">";
}

/// The product of all inputs, from the left.
void Writer::writeBody(llvm::raw_ostream &out) const {
  const size_t inputs = product.inputs.size();
  out << "  ^bb0(%x: " << element;
  for (size_t i = 0; i < inputs; ++i)
    out << ", %x" << i << ": " << element;
  out << "):\n";
  std::vector<std::string> factors{"%x"};
  for (size_t i = 0; i < inputs; ++i)
    factors.push_back("%x" + std::to_string(i));
  // Halves whose products are wider.
  if (const std::string wide = compiler::typeText(arithmetic.element);
      wide != element)
    for (std::string &factor : factors) {
      const std::string stored = std::exchange(factor, factor + "_wide");
      out << "    " << factor << " = arith.extf " << stored << " : " << element
          << " to " << wide << "\n";
    }
  const compiler::ProductText text =
      compiler::productText(arithmetic, factors, "    ");
  out << text.lines << "    astfe.yield \""
      << compiler::opsOf(arithmetic).combiner << "\" " << text.result << " : "
      << result << "\n";
}

void Writer::writeCompute(llvm::raw_ostream &out) const {
  auto separated = [&](auto write) {
    llvm::interleaveComma(product.inputs, out, write);
  };
  size_t i = 0;
  out << "  astfe.compute over %P : !pattern maps [#n, ";
  separated([&](const auto &) { out << "#m" << i++; });
  out << (i ? ", " : "") << "#out]\n      ins(%v";
  for (size_t k = 0; k < product.inputs.size(); ++k)
    out << ", %d" << k;
  out << " : memref<?x" << element << ">";
  for (const std::vector<unsigned> &input : product.inputs)
    out << ", " << buffer(input, element);
  out << ") outs(%out : " << buffer(product.output, result)
      << (overwrite ? ") overwrite {\n" : ") {\n");
  writeBody(out);
  out << "  }\n";
}

std::string Writer::text() {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::string ordinal = map({});
  out << "#n = " << ordinal.substr(0, ordinal.size() - 2) << "n)>\n";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << "#m" << i << " = " << map(product.inputs[i]) << "\n";
  out << "#out = " << map(product.output) << "\n!pattern = !astfe.blocked<";
  for (unsigned mode = 0; mode < product.rank; ++mode)
    out << (mode ? "x?" : "?");
  out << ", " << toAttr(&context, core::Layout())
      << ">\nfunc.func @product(%P: !pattern, %v: memref<?x" << element << ">";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << ", %d" << i << ": " << buffer(product.inputs[i], element);
  out << ", %out: " << buffer(product.output, result)
      << ")\n    attributes {llvm.emit_c_interface} {\n";
  writeCompute(out);
  out << "  return\n}\n";
  return text;
}

} // namespace

std::string compiler::kernelText(mlir::MLIRContext &context,
                                 const TensorRequest &request) {
  return Writer(context, request).text();
}
