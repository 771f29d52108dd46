// UNSUPPORTED: asan
// (the sanitizer cannot enter a stock mlir-opt)
// DEFINE: %{stock}=mlir-opt %s --load-dialect-plugin=%astfe_lib/ASTFEPlugin.so --load-pass-plugin=%astfe_lib/ASTFEPlugin.so
// DEFINE: %{cpu}='builtin.module(astfe-sparsifier{storage=packed})'
// DEFINE: %{ptx}='builtin.module(astfe-to-ptx{storage=packed chip=sm_80})'
// RUN: %{stock} --pass-pipeline=%{cpu} > %t.plugin
// RUN: astfe-opt %s --astfe-sparsifier=storage=packed > %t.own
// RUN: diff %t.plugin %t.own
// RUN: %{stock} --pass-pipeline=%{ptx} | sed s/TimeInMs.*i64,// > %t.plugin
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed chip=sm_80" | sed s/TimeInMs.*i64,// > %t.own
// RUN: diff %t.plugin %t.own
// RUN: not %{stock} --pass-pipeline='builtin.module(astfe-sparsifier{storage=dense})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// RUN: not %{stock} --pass-pipeline='builtin.module(astfe-to-ptx{chip=sm_80 chip=sm_90})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: not %{stock} --pass-pipeline='builtin.module(astfe-partition{columns=1 columns=2})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASS

// A stock mlir-opt knows our pipelines by --pass-pipeline, with their options.

// WRONG: expected option 'storage' to be view, packed or auto but got 'dense'
// TWICE: expected option 'chip' once but got it 2 times
// TWICE-NOT: module {
// PASS: expected option 'columns' once but got it 2 times

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmm(%A: tensor<64x48xf32, #CSR>, %B: tensor<48x32xf32>,
                %C: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<64x48xf32, #CSR>, tensor<48x32xf32>)
    outs(%C : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
