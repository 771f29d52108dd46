//===- AttentionLinalg.cpp - sparse attention as linalg, for upstream -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionLinalg.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Pipelines/Upstream.h"
#include "ASTFE/Product/PackedCall.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Transforms/Passes.h"
#include "InTurn.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::run {
namespace {

/// Types are $S (sparse), $Q, $K, $B (the buffer of O) and $V (a vector of
/// rows), $E is the element.
const char *const kText = R"(
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#sampled = {
  indexing_maps = [affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, d)>,
                   affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
#byRow = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#spmm = {
  indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (j, x)>,
                   affine_map<(i, j, x) -> (i, x)>],
  iterator_types = ["parallel", "reduction", "parallel"]
}
func.func @head(%A: $S, %Q: $Q, %K: $K, %V: $K, %M: $B)
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0.0 : $E
  %scale = arith.constant $C : $E
  %lowest = arith.constant $L : $E
  %s0 = tensor.empty() : $S
  %s = linalg.generic #sampled ins(%A, %Q, %K : $S, $Q, $K) outs(%s0 : $S) {
  ^bb0(%a: $E, %q: $E, %k: $E, %out: $E):
    %p = arith.mulf %q, %k : $E
    %w = arith.mulf %a, %scale : $E
    %t = arith.mulf %w, %p : $E
    %r = arith.addf %out, %t : $E
    linalg.yield %r : $E
  } -> $S
  %m0 = tensor.empty() : $V
  %m1 = linalg.fill ins(%lowest : $E) outs(%m0 : $V) -> $V
  %max = linalg.generic #rows ins(%s : $S) outs(%m1 : $V) {
  ^bb0(%a: $E, %out: $E):
    %r = sparse_tensor.reduce %out, %a, %lowest : $E {
    ^bb0(%x: $E, %y: $E):
      %z = arith.maximumf %x, %y : $E
      sparse_tensor.yield %z : $E
    }
    linalg.yield %r : $E
  } -> $V
  %e0 = tensor.empty() : $S
  %e = linalg.generic #byRow ins(%s, %max : $S, $V) outs(%e0 : $S) {
  ^bb0(%a: $E, %b: $E, %out: $E):
    %r = sparse_tensor.binary %a, %b : $E, $E to $E
      overlap = {
      ^bb0(%x: $E, %y: $E):
        %d = arith.subf %x, %y : $E
        %z = math.exp %d : $E
        sparse_tensor.yield %z : $E
      }
      left = {}
      right = {}
    linalg.yield %r : $E
  } -> $S
  %l0 = tensor.empty() : $V
  %l1 = linalg.fill ins(%zero : $E) outs(%l0 : $V) -> $V
  %l = linalg.generic #rows ins(%e : $S) outs(%l1 : $V) {
  ^bb0(%a: $E, %out: $E):
    %r = arith.addf %out, %a : $E
    linalg.yield %r : $E
  } -> $V
  %p0 = tensor.empty() : $S
  %p = linalg.generic #byRow ins(%e, %l : $S, $V) outs(%p0 : $S) {
  ^bb0(%a: $E, %b: $E, %out: $E):
    %r = sparse_tensor.binary %a, %b : $E, $E to $E
      overlap = {
      ^bb0(%x: $E, %y: $E):
        %z = arith.divf %x, %y : $E
        sparse_tensor.yield %z : $E
      }
      left = {}
      right = {}
    linalg.yield %r : $E
  } -> $S
  linalg.fill ins(%zero : $E) outs(%M : $B)
  %O = bufferization.to_tensor %M restrict writable : $B to $Q
  %o = linalg.generic #spmm ins(%p, %V : $S, $K) outs(%O : $Q) {
  ^bb0(%a: $E, %b: $E, %out: $E):
    %t = arith.mulf %a, %b : $E
    %r = arith.addf %out, %t : $E
    linalg.yield %r : $E
  } -> $Q
  bufferization.materialize_in_destination %o in restrict writable %M : ($Q, $B) -> ()
  bufferization.dealloc_tensor %s : $S
  bufferization.dealloc_tensor %e : $S
  bufferization.dealloc_tensor %p : $S
  return
}
)";

/// Rows of one head.
Dense headOf(const Dense &all, int64_t head, int64_t dim) {
  Dense one = Dense::zero(all.rows, dim, all.element);
  for (int64_t i = 0; i < all.rows; ++i)
    for (int64_t x = 0; x < dim; ++x) {
      const auto from = size_t(i * all.columns + head * dim + x),
                 to = size_t(i * dim + x);
      one.set(int64_t(to), all.at(int64_t(from)));
    }
  return one;
}

product::Descriptor descriptorOf(Dense &dense) {
  return product::describe(dense.data(), {dense.rows, dense.columns});
}

} // namespace

std::string attentionLinalg(const AttentionProblem &problem) {
  const std::string element(core::elementName(problem.shape.element));
  const std::string rows = std::to_string(problem.mask.rows),
                    columns = std::to_string(problem.mask.columns),
                    dim = std::to_string(problem.shape.dim);
  std::string text, scale;
  llvm::raw_string_ostream(scale)
      << llvm::format("%.17e", problem.shape.scale());
  for (const char *c = kText; *c; ++c) {
    if (*c != '$') {
      text += *c;
      continue;
    }
    switch (*++c) {
    case 'S':
      text += "tensor<" + rows + "x" + columns + "x" + element + ", #CSR>";
      break;
    case 'Q':
      text += "tensor<" + rows + "x" + dim + "x" + element + ">";
      break;
    case 'K':
      text += "tensor<" + columns + "x" + dim + "x" + element + ">";
      break;
    case 'B':
      text += "memref<" + rows + "x" + dim + "x" + element + ">";
      break;
    case 'V':
      text += "tensor<" + rows + "x" + element + ">";
      break;
    case 'C':
      text += scale;
      break;
    case 'L':
      text += problem.shape.element == core::Element::F64 ? "0xFFF0000000000000"
                                                          : "0xFF800000";
      break;
    default:
      text += element;
    }
  }
  return text;
}

core::Result<std::unique_ptr<UpstreamAttention>>
UpstreamAttention::compile(Lowering &lowering, const Settings &settings,
                           AttentionProblem &problem, int64_t vectorLength) {
  const double begin = now();
  std::unique_ptr<UpstreamAttention> made(new UpstreamAttention(problem));
  auto module = lowering.parse(attentionLinalg(problem), "head.mlir");
  if (!module)
    return module.error();
  const std::string name = "upstream-vl" + std::to_string(vectorLength);
  UpstreamOptions upstream;
  upstream.vectorLength = vectorLength;
  JitOptions options;
  options.cpu = settings.cpu;
  options.features = settings.features;
  options.contract = true;
  auto code = KernelCache::process().compile(**module, options, name, [&] {
    return lowering.run(**module,
                        {compiler::stage("entry",
                                         [](mlir::OpPassManager &pm) {
                                           pm.addPass(
                                               createExposeBuffersPass());
                                         }),
                         {"upstream",
                          [=](mlir::OpPassManager &pm) {
                            return buildUpstreamSparsifier(pm, upstream);
                          }}},
                        settings.dumpIr, name + "-");
  });
  if (!code)
    return code.error();
  auto address = code->jit->lookup("_mlir__mlir_ciface_head");
  if (!address)
    return address.error();
  made->jit = code->jit;
  made->entry = reinterpret_cast<void (*)(void **)>(*address);
  made->seconds = now() - begin;
  made->values = problem.mask.values;
  if (problem.shape.mask == product::Mask::Pattern)
    for (int64_t n = 0; n < problem.mask.nonzeros(); ++n)
      made->values.set(n, 1);
  const int64_t dim = problem.shape.dim;
  for (int64_t head = 0; head < problem.shape.heads; ++head)
    made->heads.push_back(
        {headOf(problem.q, head, dim), headOf(problem.k, head, dim),
         headOf(problem.v, head, dim),
         Dense::zero(problem.mask.rows, dim, problem.q.element)});
  return made;
}

core::Status UpstreamAttention::run() {
  Problem &mask = problem.mask;
  for (OneHead &head : heads) {
    product::PackedCall call;
    call.passBuffer(product::describe(mask.positions.data(),
                                      {int64_t(mask.positions.size())}));
    call.passBuffer(
        product::describe(mask.coordinates.data(), {mask.nonzeros()}));
    call.passBuffer(product::describe(values.data(), {mask.nonzeros()}));
    call.passNumber(mask.rows);
    call.passNumber(mask.columns);
    for (Dense *operand : {&head.q, &head.k, &head.v, &head.o})
      call.passBuffer(descriptorOf(*operand));
    astfe_rt_clear_error();
    entry(call.arguments());
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
  }
  return core::Success();
}

void UpstreamAttention::fetch(AttentionResult &result) const {
  const int64_t dim = problem.shape.dim;
  for (size_t head = 0; head < heads.size(); ++head)
    for (int64_t i = 0; i < result.o.rows; ++i)
      for (int64_t x = 0; x < dim; ++x) {
        const auto to = size_t(i * result.o.columns + int64_t(head) * dim + x),
                   from = size_t(i * dim + x);
        result.o.set(int64_t(to), heads[head].o.at(int64_t(from)));
      }
}

} // namespace astfe::run
