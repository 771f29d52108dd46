// UNSUPPORTED: asan
// (the sanitizer cannot enter a stock mlir-opt)
// RUN: mlir-opt %s --load-dialect-plugin=%astfe_lib/ASTFEPlugin.so \
// RUN:   --load-pass-plugin=%astfe_lib/ASTFEPlugin.so \
// RUN:   --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops,convert-linalg-to-astfe))' > %t.plugin
// RUN: astfe-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops,convert-linalg-to-astfe))' > %t.own
// RUN: diff %t.plugin %t.own
// RUN: FileCheck %s < %t.plugin

// The stock mlir-opt with the plug-in does what astfe-opt does.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: @spmm
// CHECK:         astfe.pack
// CHECK:         astfe.compute
// CHECK-NOT:     linalg
func.func @spmm(%A: tensor<64x48xf32, #CSR>, %B: tensor<48x32xf32>,
                %C: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<64x48xf32, #CSR>, tensor<48x32xf32>)
    outs(%C : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
