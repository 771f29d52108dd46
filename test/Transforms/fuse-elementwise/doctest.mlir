// RUN: astfe-opt %s --linalg-generalize-named-ops --astfe-fuse-elementwise --split-input-file | FileCheck %s
// RUN: astfe-opt %s --linalg-generalize-named-ops --astfe-fuse-elementwise --split-input-file \
// RUN:   --remarks-filter='.*fuse-elementwise' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#row = affine_map<(i, x) -> (i, x)>
#bias = affine_map<(i, x) -> (x)>

// Bias and activation become one op, which stays with the product before it: in
// the dense product they would be computed for each of 7 columns.

// CHECK-LABEL: @dense
// CHECK:         %[[AX:.*]] = linalg.generic
// CHECK:           arith.mulf
// CHECK:         %[[H:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[AX]], %{{.*}} : tensor<8x16xf32>, tensor<16xf32>)
// CHECK:           arith.addf
// CHECK-NEXT:      arith.maximumf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:      ins(%[[H]], %{{.*}} : tensor<8x16xf32>, tensor<16x7xf32>)
// CHECK-NOT:     linalg.generic

// REMARK: [Missed] kept-apart | Category:astfe-fuse-elementwise | Function=dense | Reason="it is the epilogue of a sparse product and a reduction reads it"
func.func @dense(%A: tensor<8x8xf32, #CSR>, %X: tensor<8x16xf32>,
                 %b: tensor<16xf32>, %W: tensor<16x7xf32>,
                 %C: tensor<8x16xf32>, %D: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %ax = linalg.matmul ins(%A, %X : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                      outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [#row, #bias, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ax, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %y = arith.addf %c, %d : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%c: f32, %o: f32):
    %y = arith.maximumf %c, %zero : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %r = linalg.matmul ins(%h, %W : tensor<8x16xf32>, tensor<16x7xf32>)
                     outs(%D : tensor<8x7xf32>) -> tensor<8x7xf32>
  return %r : tensor<8x7xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#row = affine_map<(i, x) -> (i, x)>

// A second product reads rows j of what the first one makes at rows i.

// CHECK-LABEL: @other_rows
// CHECK:         %[[AX:.*]] = linalg.generic
// CHECK:           arith.mulf
// CHECK:         %[[H:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[AX]] : tensor<8x16xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.tanh
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %[[H]] : tensor<8x8xf32, #{{.*}}>, tensor<8x16xf32>)

// REMARK: [Missed] kept-apart | {{.*}} | Function=other_rows | Reason="it is the epilogue of a sparse product and is read at another nonzero or key"
func.func @other_rows(%A: tensor<8x8xf32, #CSR>, %X: tensor<8x16xf32>,
                      %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %ax = linalg.matmul ins(%A, %X : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                      outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ax : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%c: f32, %o: f32):
    %y = math.tanh %c : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %r = linalg.matmul ins(%A, %h : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                     outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#row = affine_map<(i, x) -> (i, x)>
#ij = affine_map<(i, j, k) -> (i, j)>
#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>

// A sampled product reads whole rows, each for every nonzero of the row.

// CHECK-LABEL: @sampled
// CHECK:           math.tanh
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK:           arith.mulf

// REMARK: [Missed] kept-apart | {{.*}} | Function=sampled | Reason="it is the epilogue of a sparse product and is read at another nonzero or key"
func.func @sampled(%A: tensor<8x8xf32, #CSR>, %X: tensor<8x16xf32>,
                   %C: tensor<8x16xf32>) -> tensor<8x8xf32, #CSR> {
  %e = tensor.empty() : tensor<8x16xf32>
  %ax = linalg.matmul ins(%A, %X : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                      outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ax : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%c: f32, %o: f32):
    %y = math.tanh %c : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %s = tensor.empty() : tensor<8x8xf32, #CSR>
  %r = linalg.generic {indexing_maps = [#ij, #ik, #jk, #ij],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %h, %X : tensor<8x8xf32, #CSR>, tensor<8x16xf32>, tensor<8x16xf32>)
      outs(%s : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %x: f32, %z: f32, %o: f32):
    %0 = arith.mulf %x, %z : f32
    %1 = arith.mulf %0, %a : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#i = affine_map<(i) -> (i)>
#fromx = affine_map<(i, x) -> (i)>
#x = affine_map<(i, x) -> (x)>
#row = affine_map<(i, x) -> (i, x)>

// An outer product would compute each element 16 times.

// CHECK-LABEL: @outer
// CHECK:           math.exp
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic

// REMARK: [Missed] kept-apart | {{.*}} | Function=outer | Reason="it is the epilogue of a sparse product and is read several times"
func.func @outer(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                 %y: tensor<8xf32>, %z: tensor<16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %ax = linalg.matvec ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
                      outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %h = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%ax : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%c: f32, %o: f32):
    %0 = math.exp %c : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#fromx, #x, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%h, %z : tensor<8xf32>, tensor<16xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %0 = arith.mulf %c, %d : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#key = affine_map<(i, j) -> (i)>

// The sum of a row is read where it is made: one chain, as the softmax is.

// CHECK-LABEL: @by_rows
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.sqrt
// CHECK-NEXT:      arith.divf
// CHECK-NOT:     linalg.generic
func.func @by_rows(%A: tensor<8x8xf32, #CSR>, %y: tensor<8xf32>)
    -> tensor<8x8xf32, #CSR> {
  %e = tensor.empty() : tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#ij, #key],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf32, #CSR>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %h = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%l : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%c: f32, %o: f32):
    %0 = math.sqrt %c : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %s = tensor.empty() : tensor<8x8xf32, #CSR>
  %r = linalg.generic {indexing_maps = [#ij, #key, #ij],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A, %h : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%s : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.divf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#i = affine_map<(i) -> (i)>
#fromx = affine_map<(i, x) -> (i)>
#row = affine_map<(i, x) -> (i, x)>

// The mean over neighbours divides by a degree that is one at least: the epilogue
// of one product reads that of another at the same row.

// CHECK-LABEL: @mean
// CHECK:         arith.maximumf
// CHECK-NEXT:    arith.divf
func.func @mean(%A: tensor<8x8xf32, #CSR>, %X: tensor<8x16xf32>,
                %ones: tensor<8xf32>, %y: tensor<8xf32>,
                %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %ax = linalg.matmul ins(%A, %X : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                      outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  %d = linalg.matvec ins(%A, %ones : tensor<8x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %h = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%c: f32, %o: f32):
    %0 = arith.maximumf %c, %one : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#row, #fromx, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ax, %h : tensor<8x16xf32>, tensor<8xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%c: f32, %n: f32, %o: f32):
    %0 = arith.divf %c, %n : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#row = affine_map<(i, x) -> (i, x)>
#bias = affine_map<(i, x) -> (x)>

// What reads its outs is not done again for each column of a product, sparse
// tensor or not.

// CHECK-LABEL: @in_place
// CHECK:         %[[H:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:      ins(%[[H]], %{{.*}} : tensor<8x16xf32>, tensor<16x7xf32>)

// REMARK: Function=in_place | Reason="it reads what it writes and is read several times"
func.func @in_place(%ax: tensor<8x16xf32>, %b: tensor<16xf32>,
                    %W: tensor<16x7xf32>, %D: tensor<8x7xf32>)
    -> tensor<8x7xf32> {
  %h = linalg.generic {indexing_maps = [#bias, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<16xf32>) outs(%ax : tensor<8x16xf32>) {
  ^bb0(%d: f32, %o: f32):
    %y = arith.addf %o, %d : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %r = linalg.matmul ins(%h, %W : tensor<8x16xf32>, tensor<16x7xf32>)
                     outs(%D : tensor<8x7xf32>) -> tensor<8x7xf32>
  return %r : tensor<8x7xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#row = affine_map<(i, x) -> (i, x)>

// What no sparse product made goes where upstream moves it, into a sparse product
// too.

// CHECK-LABEL: @from_elsewhere
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:     linalg.generic
// REMARK-NOT: kept-apart
func.func @from_elsewhere(%A: tensor<8x8xf32, #CSR>, %X: tensor<8x16xf32>,
                          %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%X : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%c: f32, %o: f32):
    %y = math.exp %c : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %r = linalg.matmul ins(%A, %h : tensor<8x8xf32, #CSR>, tensor<8x16xf32>)
                     outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
