//===- AttentionText.cpp - sparse attention as chains in MLIR -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/AttentionText.h"
#include "ASTFE/Product/ChainPrograms.h"
#include <cmath>
#include <cstdio>
#include <vector>

using namespace astfe;
using namespace astfe::product;

core::NameList product::maskNames() {
  static constexpr std::string_view kNames[] = {
#define ASTFE_MASK(Name, name, What) #name,
#include "ASTFE/Product/Masks.def"
  };
  return core::NameList(kNames);
}

core::Status AttentionShape::check() const {
  constexpr int64_t kMost = 1 << 20;
  auto inRange = [](int64_t value) { return value >= 1 && value <= kMost; };
  if (!inRange(heads))
    return core::Error{"expected 1.." + std::to_string(kMost) +
                       " heads but got " + std::to_string(heads)};
  if (!inRange(dim))
    return core::Error{"expected 1.." + std::to_string(kMost) +
                       " dimensions of a head but got " + std::to_string(dim)};
  return core::Success();
}

double AttentionShape::scale() const { return 1 / std::sqrt(double(dim)); }

std::string_view product::chainName(AttentionChain chain) {
  switch (chain) {
  case AttentionChain::Forward:
    return "forward";
  case AttentionChain::Rows:
    return "rows";
  case AttentionChain::Columns:
    break;
  }
  return "columns";
}

namespace {
/// Of one head: (row, dim), or (row) of sums.
struct Operand {
  std::string name;
  bool isSum;
  bool isGathered = false;
};

/// What a computation reads, and the name that it has in its body.
struct Read {
  std::string map, value, argument;
  bool isRow = false;    ///< of dims; else one element
  bool isStored = false; ///< of one element: like the operands
};

class Writer {
public:
  Writer(const AttentionShape &shape, Heads heads);

  void open(AttentionChain chain, const std::vector<Operand> &inputs,
            const std::vector<Operand> &outputs);
  void dot(const std::string &name, const std::string &left,
           const std::string &right);
  void scores(const std::string &left, const std::string &right);
  void compute(const std::string &name, const std::vector<Read> &reads,
               const std::string &map, const std::string &output,
               const std::string &body, const std::string &combiner,
               const std::string &yielded);
  void product(const std::string &name, const std::string &weights,
               const std::string &rows, const std::string &output);
  void scoreGradients(const std::string &map, const std::string &sums);
  void exponential(const std::string &name, const std::string &map,
                   const std::string &subtracted, bool isSaved);
  void logarithms(const std::string &name, const std::string &maximum,
                  const std::string &sum, const std::string &output);
  void returnValues(const std::vector<std::string> &values);
  std::string finish();

  std::string text;

private:
  std::string typeOfHeads(const Operand &operand) const;
  std::string bufferType(const Operand &operand) const;
  std::string sliceOf(const Operand &operand) const;
  std::string type(bool isSum) const { return isSum ? vector : row; }

  const AttentionShape &shape;
  const Heads heads;
  std::string stored, element; ///< of operands, and of sums
  std::string sparse, row, vector, storedVector;
  std::vector<Operand> outputs;
  std::string scale; ///< the op
};
} // namespace

Writer::Writer(const AttentionShape &shape, Heads heads)
    : shape(shape), heads(heads) {
  stored = core::elementName(shape.element);
  element = core::elementName(shape.sums());
  sparse = "tensor<?x?x" + stored + ", #CSR>";
  row = "tensor<?x" + std::to_string(shape.dim) + "x" + stored + ">";
  vector = "tensor<?x" + element + ">";
  storedVector = "tensor<?x" + stored + ">";
  char number[40];
  std::snprintf(number, sizeof(number), "%.17e", shape.scale());
  scale = std::string("        %scale = arith.constant ") + number + " : " +
          element + "\n";
  text = chainPreamble();
}

/// Of all heads.
std::string Writer::typeOfHeads(const Operand &operand) const {
  return operand.isSum
             ? "memref<?x?x" + element + ">"
             : "memref<?x?x" + std::to_string(shape.dim) + "x" + stored + ">";
}

/// Of one.
std::string Writer::bufferType(const Operand &operand) const {
  std::string type = "memref<?x";
  if (!operand.isSum)
    type += std::to_string(shape.dim) + "x";
  type += operand.isSum ? element : stored;
  if (heads == Heads::All || (heads == Heads::OneOfMany && !operand.isGathered))
    type += operand.isSum ? ", strided<[?], offset: ?>"
                          : ", strided<[?, 1], offset: ?>";
  return type + ">";
}

/// Head %h.
std::string Writer::sliceOf(const Operand &o) const {
  const std::string rows = "%" + o.name + ".rows", all = "%" + o.name + ".all";
  return "  " + rows + " = memref.dim " + all + ", %c0 : " + typeOfHeads(o) +
         "\n  %" + o.name + " = memref.subview " + all +
         (o.isSum ? "[0, %h] [" + rows + ", 1] [1, 1]"
                  : "[0, %h, 0] [" + rows + ", 1, " +
                        std::to_string(shape.dim) + "] [1, 1, 1]") +
         " : " + typeOfHeads(o) + " to " + bufferType(o) + "\n";
}

static std::string join(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts)
    all += (all.empty() ? "" : ", ") + part;
  return all;
}

/// The function up to the first computation of the chain.
void Writer::open(AttentionChain chain, const std::vector<Operand> &inputs,
                  const std::vector<Operand> &outputs) {
  this->outputs = outputs;
  const bool readsValues = shape.mask != Mask::Pattern;
  std::vector<std::string> arguments = {"%A: " + sparse}, ins, inTypes, outs,
                           outTypes;
  const bool isAll = heads == Heads::All;
  std::string loop, tensors;
  auto add = [&](const Operand &o, const char *access) {
    arguments.push_back(
        "%" + o.name +
        (isAll ? ".all: " + typeOfHeads(o) : ": " + bufferType(o)));
    if (isAll)
      tensors += sliceOf(o);
    tensors += "  %" + o.name + ".t = bufferization.to_tensor %" + o.name +
               " restrict" + access + " : " + bufferType(o) + " to " +
               type(o.isSum) + "\n";
  };
  for (const Operand &o : inputs) {
    add(o, "");
    ins.push_back("%" + o.name + ".c = %" + o.name + ".t");
    inTypes.push_back(type(o.isSum));
  }
  for (const Operand &o : outputs) {
    add(o, " writable");
    outs.push_back("%" + o.name + ".c = %" + o.name + ".t");
    outTypes.push_back(type(o.isSum));
  }
  if (readsValues) {
    ins.insert(ins.begin(), "%mask = %W");
    inTypes.insert(inTypes.begin(), storedVector);
    loop += "  %W = astfe.values %A in %P : " + sparse + ", " + kChainPattern +
            " -> " + storedVector + "\n";
  }
  if (isAll)
    loop += "  %c0 = arith.constant 0 : index\n"
            "  %c1 = arith.constant 1 : index\n"
            "  %heads = memref.dim %" +
            inputs.front().name + ".all, %c1 : " + typeOfHeads(inputs.front()) +
            "\n  scf.for %h = %c0 to %heads step %c1 {\n";
  text += "func.func @" + std::string(chainName(chain)) + "(" +
          join(arguments) +
          ") attributes {llvm.emit_c_interface} {\n"
          "  %P = astfe.pack %A : " +
          sparse + " -> " + kChainPattern + "\n" + loop + tensors +
          "  %f:" + std::to_string(outs.size()) +
          " = astfe.fused over %p = %P : " + kChainPattern + "\n      ins(" +
          join(ins) + " : " + join(inTypes) + ")\n      outs(" + join(outs) +
          " : " + join(outTypes) + ") {\n";
}

/// `output` empty: a local, of which nothing leaves the kernel. Halves are
/// widened in the body; what is yielded into halves is summed up in f32 and
/// rounded once.
void Writer::compute(const std::string &name, const std::vector<Read> &reads,
                     const std::string &map, const std::string &output,
                     const std::string &body, const std::string &combiner,
                     const std::string &yielded) {
  std::string into = output;
  const std::string written = map == "#ix" ? row : vector;
  const bool narrows = map == "#ix" && stored != element;
  if (into.empty()) {
    into = name + ".l";
    text += "      %" + into + " = astfe.local over %p at " +
            (map == "#nx" ? "#n" : map) + " : " + kChainPattern + " -> " +
            written + "\n";
  }
  std::vector<std::string> maps, values, types, arguments;
  std::string widened;
  for (const Read &read : reads) {
    const bool isStored = read.isRow || read.isStored,
               widens = isStored && stored != element;
    maps.push_back(read.map);
    values.push_back("%" + read.value);
    types.push_back(read.isRow ? row : isStored ? storedVector : vector);
    arguments.push_back("%" + read.argument + (widens ? ".h" : "") + ": " +
                        (isStored ? stored : element));
    if (widens)
      widened += "        %" + read.argument + " = arith.extf %" +
                 read.argument + ".h : " + stored + " to " + element + "\n";
  }
  const std::string result = narrows ? yielded + ".h" : yielded;
  const std::string narrowed =
      narrows ? "        %" + result + " = arith.truncf %" + yielded + " : " +
                    element + " to " + stored + "\n"
              : "";
  maps.push_back(map);
  text += "      %" + name + " = astfe.compute over %p : " + kChainPattern +
          " maps [" + join(maps) + "]\n          ins(" + join(values) + " : " +
          join(types) + ") outs(%" + into + " : " + written +
          ") overwrite {\n      ^bb0(" + join(arguments) + "):\n" + widened +
          body + narrowed + "        astfe.yield \"" + combiner + "\" %" +
          result + " : " + (narrows ? stored : element) + "\n      } -> " +
          written + "\n";
}

/// An op of a body on two of its values.
static std::string op(const std::string &result, const std::string &name,
                      const std::string &x, const std::string &y,
                      const std::string &element) {
  return "        %" + result + " = " + name + " %" + x + ", %" + y + " : " +
         element + "\n";
}

void Writer::dot(const std::string &name, const std::string &left,
                 const std::string &right) {
  compute(name, {{"#ix", left, "x", true}, {"#jx", right, "y", true}}, "#nx",
          "", op("t", "arith.mulf", "x", "y", element), "addf", "t");
}

/// %score, of rows of `left` and columns of `right`.
void Writer::scores(const std::string &left, const std::string &right) {
  dot("dot", left, right);
  std::vector<Read> reads = {{"#n", "dot", "x"}};
  std::string body = scale + op("t", "arith.mulf", "x", "scale", element);
  if (shape.mask != Mask::Pattern) {
    reads.push_back({"#n", "mask", "y", false, true});
    body += op("u", shape.mask == Mask::Add ? "arith.addf" : "arith.mulf", "t",
               "y", element);
  }
  compute("score", reads, "#n", "", body, "addf",
          shape.mask == Mask::Pattern ? "t" : "u");
}

/// exp(%score - what is subtracted). A row that is masked whole has a maximum
/// of -inf, and -inf - -inf is no number: what is subtracted is at least the
/// lowest finite one, so that its exponentials are 0. A sum that forward saved
/// belongs to scores that were summed up in another order: where scores of 1e9
/// differ by 64, exp(64) is no probability, which is 1 at most.
void Writer::exponential(const std::string &name, const std::string &map,
                         const std::string &subtracted, bool isSaved) {
  std::string body, from = "y";
  if (shape.mask == Mask::Add) {
    const char *lowest = shape.element == core::Element::F64
                             ? "-1.7976931348623157e+308"
                             : "-3.4028234663852886e+38";
    body = std::string("        %lowest = arith.constant ") + lowest + " : " +
           element + "\n" + op("z", "arith.maximumf", "y", "lowest", element);
    from = "z";
  }
  body += op("t", "arith.subf", "x", from, element);
  std::string exponent = "t";
  if (isSaved) {
    body += "        %most = arith.constant 0.0 : " + element + "\n" +
            op("limited", "arith.minimumf", "t", "most", element);
    exponent = "limited";
  }
  body += "        %u = math.exp %" + exponent + " : " + element + "\n";
  compute(name, {{"#n", "score", "x"}, {map, subtracted, "y"}}, "#n", "", body,
          "addf", "u");
}

void Writer::product(const std::string &name, const std::string &weights,
                     const std::string &rows, const std::string &output) {
  compute(name, {{"#nx", weights, "x"}, {"#jx", rows, "y", true}}, "#ix",
          output, op("t", "arith.mulf", "x", "y", element), "addf", "t");
}

/// %ds, of %p and %g and the sums of both.
void Writer::scoreGradients(const std::string &map, const std::string &sums) {
  std::vector<Read> reads = {
      {"#n", "prob", "x"}, {"#n", "g", "y"}, {map, sums, "z"}};
  std::string body = scale + op("t", "arith.subf", "y", "z", element) +
                     op("u", "arith.mulf", "x", "t", element) +
                     op("r", "arith.mulf", "u", "scale", element);
  const bool isScaled = shape.mask == Mask::Multiply;
  if (isScaled) {
    reads.push_back({"#n", "mask", "w", false, true});
    body += op("s", "arith.mulf", "r", "w", element);
  }
  compute("ds", reads, "#n", "", body, "addf", isScaled ? "s" : "r");
}

/// What maxima and sums of exponentials are logarithms of, when a row is done.
void Writer::logarithms(const std::string &name, const std::string &maximum,
                        const std::string &sum, const std::string &output) {
  text += "      %" + name +
          " = linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = "
          "[\"parallel\"]}\n          ins(%" +
          maximum + ", %" + sum + " : " + vector + ", " + vector + ") outs(%" +
          output + " : " + vector + ") {\n      ^bb0(%x: " + element +
          ", %y: " + element + ", %z: " + element +
          "):\n        %t = math.log %y : " + element + "\n" +
          op("u", "arith.addf", "x", "t", element) +
          "        linalg.yield %u : " + element + "\n      } -> " + vector +
          "\n";
}

void Writer::returnValues(const std::vector<std::string> &values) {
  std::vector<std::string> names, types;
  for (const std::string &value : values) {
    names.push_back("%" + value);
    types.push_back(type(value == "logs" || value == "gsum"));
  }
  text += "      astfe.return " + join(names) + " : " + join(types) +
          "\n    } -> (" + join(types) + ")\n";
}

/// Everything behind the chain; its first results are the function's outputs.
std::string Writer::finish() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Operand &o = outputs[i];
    text += "  bufferization.materialize_in_destination %f#" +
            std::to_string(i) + " in restrict writable %" + o.name + " : (" +
            type(o.isSum) + ", " + bufferType(o) + ") -> ()\n";
  }
  text += heads == Heads::All ? "  }\n  return\n}\n" : "  return\n}\n";
  return std::move(text);
}

static std::string forwardText(const AttentionShape &shape, Heads heads) {
  Writer w(shape, heads);
  w.open(AttentionChain::Forward,
         {{"q", false}, {"k", false, true}, {"v", false, true}},
         {{"o", false}, {"lse", true}});
  const std::string element(core::elementName(shape.sums()));
  w.scores("q.c", "k.c");
  w.compute("max", {{"#n", "score", "x"}}, "#i", "", "", "maximumf", "x");
  w.exponential("e", "#i", "max", /*isSaved=*/false);
  w.compute("sum", {{"#n", "e", "x"}}, "#i", "", "", "addf", "x");
  // A row with a score above -inf sums to 1 or more.
  std::string body, divisor = "y";
  if (shape.mask == Mask::Add) {
    body = "        %one = arith.constant 1.0 : " + element + "\n" +
           op("z", "arith.maximumf", "y", "one", element);
    divisor = "z";
  }
  body += op("t", "arith.divf", "x", divisor, element);
  w.compute("prob", {{"#n", "e", "x"}, {"#i", "sum", "y"}}, "#n", "", body,
            "addf", "t");
  w.product("out", "prob", "v.c", "o.c");
  w.logarithms("logs", "max", "sum", "lse.c");
  w.returnValues({"out", "logs"});
  return w.finish();
}

static std::string rowsText(const AttentionShape &shape, Heads heads) {
  Writer w(shape, heads);
  w.open(AttentionChain::Rows,
         {{"q", false},
          {"k", false, true},
          {"v", false, true},
          {"go", false},
          {"lse", true}},
         {{"dq", false}, {"d", true}});
  const std::string element(core::elementName(shape.sums()));
  w.scores("q.c", "k.c");
  w.exponential("prob", "#i", "lse.c", /*isSaved=*/true);
  w.dot("g", "go.c", "v.c");
  w.compute("gsum", {{"#n", "prob", "x"}, {"#n", "g", "y"}}, "#i", "d.c",
            op("t", "arith.mulf", "x", "y", element), "addf", "t");
  w.scoreGradients("#i", "gsum");
  w.product("out", "ds", "k.c", "dq.c");
  w.returnValues({"out", "gsum"});
  return w.finish();
}

static std::string columnsText(const AttentionShape &shape, Heads heads) {
  Writer w(shape, heads);
  // The matrix is the transposed one, whose rows are those of K and V.
  w.open(AttentionChain::Columns,
         {{"q", false, true},
          {"k", false},
          {"v", false},
          {"go", false, true},
          {"lse", true, true},
          {"d", true, true}},
         {{"dk", false}, {"dv", false}});
  w.scores("k.c", "q.c");
  w.exponential("prob", "#j", "lse.c", /*isSaved=*/true);
  w.dot("g", "v.c", "go.c");
  w.product("values", "prob", "go.c", "dv.c");
  w.scoreGradients("#j", "d.c");
  w.product("keys", "ds", "q.c", "dk.c");
  w.returnValues({"keys", "values"});
  return w.finish();
}

std::string product::attentionText(const AttentionShape &shape,
                                   AttentionChain chain, Heads heads) {
  switch (chain) {
  case AttentionChain::Forward:
    return forwardText(shape, heads);
  case AttentionChain::Rows:
    return rowsText(shape, heads);
  case AttentionChain::Columns:
    break;
  }
  return columnsText(shape, heads);
}
