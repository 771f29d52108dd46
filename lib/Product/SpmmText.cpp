//===- SpmmText.cpp - a product with bias and activation in MLIR ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Spmm.h"

using namespace astfe;
using namespace astfe::product;

core::NameList product::activationNames() {
  static constexpr std::string_view kNames[] = {
#define ASTFE_ACTIVATION(Name, name, Body) #name,
#include "ASTFE/Product/Activations.def"
  };
  return core::NameList(kNames);
}

static std::string_view bodyOf(Activation activation) {
  switch (activation) {
#define ASTFE_ACTIVATION(Name, name, Body)                                     \
  case Activation::Name:                                                       \
    return Body;
#include "ASTFE/Product/Activations.def"
  }
  return {};
}

/// `text` with this in the place of each $.
static std::string replaced(std::string_view text, const std::string &element) {
  std::string result;
  for (char c : text)
    result += c == '$' ? element : std::string(1, c);
  return result;
}

namespace {
/// The types of a product.
struct Types {
  std::string element, sparse, rows, buffer, vector, bias;

  Types(int64_t columns, core::Element type)
      : element(core::elementName(type)),
        sparse("tensor<?x?x" + element + ", #CSR>"),
        rows("<?x" + std::to_string(columns) + "x" + element + ">"),
        buffer("memref" + rows), vector("<?x" + element + ">"),
        bias("tensor<" + std::to_string(columns) + "x" + element + ">") {
    rows = "tensor" + rows;
  }

  /// %P and %a.
  std::string pattern() const {
    return "  %P = astfe.pack %A : " + sparse + " -> " + kChainPattern +
           "\n  %a = astfe.values %A in %P : " + sparse + ", " + kChainPattern +
           " -> tensor" + vector + "\n";
  }
};
} // namespace

/// %r, of the sum and the bias.
static std::string epilogueText(const Types &types, bool hasBias,
                                Activation activation) {
  const std::string &e = types.element;
  const bool isPlain = activation == Activation::None;
  std::string body = "    %zero = arith.constant 0.0 : " + e +
                     "\n    %one = arith.constant 1.0 : " + e + "\n";
  if (hasBias)
    body += std::string("    ") + (isPlain ? "%r" : "%s") +
            " = arith.addf %y, %b : " + e + "\n";
  body += replaced(bodyOf(activation), e);
  return "  %d = linalg.generic {indexing_maps = [#kx, " +
         std::string(hasBias ? "#x, " : "") +
         "#kx],\n      iterator_types = [\"parallel\", \"parallel\"]}\n      "
         "ins(%p" +
         (hasBias ? ", %bias : " : " : ") + types.rows +
         (hasBias ? ", " + types.bias : "") + ") outs(%c : " + types.rows +
         ") {\n  ^bb0(" + (hasBias ? "%y: " : "%s: ") + e +
         (hasBias ? ", %b: " + e : "") + ", %o: " + e + "):\n" + body +
         "    linalg.yield %r : " + e + "\n  } -> " + types.rows + "\n";
}

std::string product::spmmText(int64_t columns, core::Element element,
                              bool hasBias, Activation activation) {
  const Types types(columns, element);
  const std::string &e = types.element;
  const bool isPlain = !hasBias && activation == Activation::None;
  std::string text =
      chainPreamble() +
      "#kx = affine_map<(k, x) -> (k, x)>\n"
      "#x = affine_map<(k, x) -> (x)>\nfunc.func @product(%A: " +
      types.sparse + ", %B: " + types.rows +
      (hasBias ? ", %bias: " + types.bias : "") + ", %C: " + types.buffer +
      ") attributes {llvm.emit_c_interface} {\n" + types.pattern() +
      "  %c = bufferization.to_tensor %C restrict writable : " + types.buffer +
      " to " + types.rows + "\n";
  if (!isPlain)
    text += "  %c0 = arith.constant 0 : index\n"
            "  %n = tensor.dim %A, %c0 : " +
            types.sparse + "\n  %empty = tensor.empty(%n) : " + types.rows +
            "\n";
  text += std::string("  %p = astfe.compute over %P : ") + kChainPattern +
          " maps [#nx, #jx, #ix]\n      ins(%a, %B : tensor" + types.vector +
          ", " + types.rows + ") outs(%" + (isPlain ? "c" : "empty") + " : " +
          types.rows + ") overwrite {\n  ^bb0(%v: " + e + ", %w: " + e +
          "):\n    %t = arith.mulf %v, %w : " + e +
          "\n    astfe.yield \"addf\" %t : " + e + "\n  } -> " + types.rows +
          "\n";
  if (!isPlain)
    text += epilogueText(types, hasBias, activation);
  return text + "  bufferization.materialize_in_destination %" +
         (isPlain ? "p" : "d") + " in restrict writable %C : (" + types.rows +
         ", " + types.buffer + ") -> ()\n  return\n}\n";
}

std::string product::samplesText(int64_t columns, core::Element element) {
  const Types types(columns, element);
  const std::string &e = types.element, buffer = "memref" + types.vector;
  return chainPreamble() + "func.func @samples(%A: " + types.sparse +
         ", %G: " + types.rows + ", %B: " + types.rows + ", %S: " + buffer +
         ") attributes {llvm.emit_c_interface} {\n  %P = astfe.pack %A : " +
         types.sparse + " -> " + kChainPattern +
         "\n  %s = bufferization.to_tensor %S restrict writable : " + buffer +
         " to tensor" + types.vector +
         "\n  %r = astfe.compute over %P : " + kChainPattern +
         " maps [#ix, #jx, #nx]\n      ins(%G, %B : " + types.rows + ", " +
         types.rows + ") outs(%s : tensor" + types.vector +
         ") overwrite {\n  ^bb0(%x: " + e + ", %y: " + e +
         "):\n    %t = arith.mulf %x, %y : " + e +
         "\n    astfe.yield \"addf\" %t : " + e + "\n  } -> tensor" +
         types.vector +
         "\n  bufferization.materialize_in_destination %r in restrict writable "
         "%S : (tensor" +
         types.vector + ", " + buffer + ") -> ()\n  return\n}\n";
}
