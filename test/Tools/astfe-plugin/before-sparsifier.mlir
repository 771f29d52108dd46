// UNSUPPORTED: asan
// (the sanitizer cannot enter a stock mlir-opt)
// DEFINE: %{pipeline}='builtin.module(func.func(linalg-generalize-named-ops,convert-linalg-to-astfe),convert-astfe-to-scf,sparsifier{enable-runtime-library=false})'
// RUN: mlir-opt %s --load-dialect-plugin=%astfe_lib/ASTFEPlugin.so \
// RUN:   --load-pass-plugin=%astfe_lib/ASTFEPlugin.so \
// RUN:   --pass-pipeline=%{pipeline} > %t.plugin
// RUN: astfe-opt %s --pass-pipeline=%{pipeline} > %t.own
// RUN: diff %t.plugin %t.own
// RUN: FileCheck %s < %t.plugin

// Inside the stock mlir-opt our passes lower what they match and upstream's
// sparsifier lowers the rest of the function, to the same code as astfe-opt's.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: llvm.func @matched_and_not
// CHECK-NOT:     astfe.
// CHECK-NOT:     linalg.
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         llvm.return
func.func @matched_and_not(%A: tensor<64x48xf32, #CSR>, %x: tensor<48xf32>,
                           %y: tensor<64xf32>, %s: tensor<f32>)
    -> (tensor<64xf32>, tensor<f32>) {
  %r = linalg.matvec
    ins(%A, %x : tensor<64x48xf32, #CSR>, tensor<48xf32>)
    outs(%y : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%A : tensor<64x48xf32, #CSR>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r, %sum : tensor<64xf32>, tensor<f32>
}
