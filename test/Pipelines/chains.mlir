// RUN: astfe-opt %s --astfe-to-cpu --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.fused 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FUSED
// RUN: astfe-opt %s --astfe-to-cpu="fuse=false" --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.apart 2>&1 \
// RUN:   | FileCheck %s --check-prefix=APART
// RUN: astfe-opt %s --astfe-sparsifier --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.sparsifier 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FUSED
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed" --remarks-filter='(astfe-.*fuse-.*|convert-astfe-to-scf)' -o %t.packed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=APART
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90" --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-gpu)' -o %t.ptx 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-to-cpu="fma=false" | FileCheck %s --check-prefix=PLAIN --implicit-check-not=contract

// PLAIN: llvm.func @layer

// A layer of a graph network, relu(A X + b): one kernel for a view, on request
// none, nor for packed storage, where one computation is the faster without.

// FUSED:     [Passed] fused | Category:astfe-fuse-computes | Function=layer | {{.*}}computations=1, epilogues=1
// FUSED:     [Passed] fused | Category:convert-astfe-to-scf
// FUSED-NOT: vectors
// GPU:       [Passed] fused | Category:astfe-fuse-computes | Function=layer | {{.*}}computations=1, epilogues=1
// GPU:       [Passed] fused | Category:convert-astfe-to-gpu
// APART-NOT: [Passed] fused | Category:convert-astfe-to-scf
// APART:     [Missed] unfused | Category:astfe-unfuse-computes
// APART:     [Passed] vectors | Category:convert-astfe-to-scf

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#kx = affine_map<(k, x) -> (k, x)>
#x = affine_map<(k, x) -> (x)>

func.func @layer(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x32xf32>,
                 %b: tensor<32xf32>, %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %A, %c0 : tensor<?x?xf32, #CSR>
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>)
    -> tensor<?x32xf32>
  %y = linalg.matmul ins(%A, %X : tensor<?x?xf32, #CSR>, tensor<?x32xf32>)
                     outs(%filled : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#kx, #x, #kx],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<?x32xf32>, tensor<32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%c: f32, %d: f32, %out: f32):
    %s = arith.addf %c, %d : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
