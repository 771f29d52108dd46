// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='convert-linalg-to-astfe' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=storage=packed | FileCheck %s --check-prefix=PACKED
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=target=gpu | FileCheck %s --check-prefix=GPU

// The sum of everything: rows first, in parallel, then the rows' sums.

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[J:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[I:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @sum
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf32, {{.*}}>, %[[X:.*]]: tensor<?xf32>, %[[S:.*]]: tensor<f32>
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[A]], %c0
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[ROWS]]) : tensor<?xf32>
// CHECK:         %[[SUMS:.*]] = astfe.compute over {{.*}} maps [#[[N]], #[[J]], #[[I]]]
// CHECK-NEXT:      ins({{.*}}) outs(%[[EMPTY]] : tensor<?xf32>) overwrite
// CHECK:           arith.mulf
// CHECK:           astfe.yield "addf"
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["reduction"]} ins(%[[SUMS]] : tensor<?xf32>) outs(%[[S]] : tensor<f32>)
// In vectors, as LLVM may take it.
// CHECK:           arith.addf {{.*}} fastmath<reassoc> : f32
// REMARK:      [Passed] raised {{.*}} Function=sum
// REMARK:      [Passed] overwritten {{.*}} Function=sum
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]}
func.func @sum(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic #trait ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// By columns where these are the outer level; integers wrap in any order.

// CHECK-DAG: #[[J:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func @columns
// CHECK:         tensor.dim %{{.*}}, %c1
// CHECK:         astfe.compute over {{.*}} maps [#{{.*}}, #[[J]]]
// CHECK:         linalg.generic
// CHECK:           arith.addi
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]}
func.func @columns(%A: tensor<?x?xi32, #CSC>, %s: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic #trait ins(%A : tensor<?x?xi32, #CSC>) outs(%s : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %r = arith.addi %a, %o : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Half floats are added up in f32, and rounded once.

// CHECK-LABEL: func @half
// CHECK:         %[[ROWS:.*]] = astfe.compute
// CHECK-SAME:      maps
// CHECK-NEXT:      ins({{.*}} : tensor<?xf16>) outs({{.*}} : tensor<?xf32>) overwrite
// CHECK:           arith.extf
// CHECK:           astfe.yield "addf" {{.*}} : f32
// CHECK:         %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<f32>
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[ROWS]] : tensor<?xf32>) outs(%[[ZERO]] : tensor<f32>)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[SUM]] : tensor<f32>) outs(%{{.*}} : tensor<f16>)
// CHECK:           arith.extf
// CHECK:           arith.addf {{.*}} : f32
// CHECK:           arith.truncf
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]}
func.func @half(%A: tensor<?x?xf16, #CSR>, %s: tensor<f16>) -> tensor<f16> {
  %0 = linalg.generic #trait ins(%A : tensor<?x?xf16, #CSR>) outs(%s : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %r = arith.addf %o, %a : f16
    linalg.yield %r : f16
  } -> tensor<f16>
  return %0 : tensor<f16>
}

// -----

// Complex numbers; and a reduction of sparse_tensor.

// CHECK-LABEL: func @complex
// CHECK:         astfe.compute {{.*}}
// CHECK-NEXT:      outs({{.*}} : tensor<?xcomplex<f32>>) overwrite
// CHECK:         linalg.generic
// CHECK:           complex.add
// CHECK-LABEL: func @least
// CHECK:         astfe.compute
// CHECK:           astfe.yield "minimumf"
// CHECK:         linalg.generic
// CHECK-NOT:       sparse_tensor.reduce
// CHECK:           arith.minimumf
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]}
func.func @complex(%A: tensor<?x?xcomplex<f32>, #CSR>, %s: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = linalg.generic #trait ins(%A : tensor<?x?xcomplex<f32>, #CSR>) outs(%s : tensor<complex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %r = complex.add %o, %a : complex<f32>
    linalg.yield %r : complex<f32>
  } -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
func.func @least(%A: tensor<?x?xf32, #CSR>, %s: tensor<f32>) -> tensor<f32> {
  %inf = arith.constant 0x7F800000 : f32
  %0 = linalg.generic #trait ins(%A : tensor<?x?xf32, #CSR>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = sparse_tensor.reduce %a, %o, %inf : f32 {
    ^bb0(%u: f32, %v: f32):
      %2 = arith.minimumf %u, %v : f32
      sparse_tensor.yield %2 : f32
    }
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A sum over a dense dimension: rows of a matrix add up their columns, of which
// a sum of everything is one of rows; those of halves are rounded once. Columns
// that are stored as such, complex numbers, rows that are no output's and a GPU
// have an array of sums.

// CHECK-DAG:   #[[I:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK-LABEL: func @over_columns
// CHECK:         %[[ROWS:.*]] = astfe.compute over {{.*}} maps [#{{.*}}, #{{.*}}, #[[I]]]
// CHECK-NEXT:      outs(%{{.*}} : tensor<?xf32>)
// CHECK-NOT:     linalg.generic
// CHECK-LABEL: func @over_everything
// CHECK:         %[[ROWS:.*]] = astfe.compute over {{.*}} maps [#{{.*}}, #{{.*}}, #[[I]]]
// CHECK-NEXT:      outs(%{{.*}} : tensor<?xf32>) overwrite
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["reduction"]} ins(%[[ROWS]] : tensor<?xf32>) outs(%{{.*}} : tensor<f32>)
// CHECK-LABEL: func @over_stored_columns
// CHECK:         %[[ROWS:.*]] = astfe.compute
// CHECK-NEXT:      outs({{.*}} : tensor<512x8xf32>) overwrite
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] : tensor<512x8xf32>) outs(%{{.*}} : tensor<512xf32>)
// CHECK-LABEL: func @over_columns_of_halves
// CHECK:         %[[ROWS:.*]] = astfe.compute
// CHECK-NEXT:      outs({{.*}} : tensor<?xf32>) overwrite
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel"]} ins(%[[ROWS]] : tensor<?xf32>) outs(%{{.*}} : tensor<?xf16>)
// CHECK:           arith.extf
// CHECK:           arith.addf
// CHECK:           arith.truncf
// CHECK-LABEL: func @over_columns_of_complex_numbers
// CHECK:         astfe.compute
// CHECK-NEXT:      outs({{.*}} : tensor<?x8xcomplex<f32>>) overwrite
// CHECK-LABEL: func @over_rows
// CHECK:         %[[ROWS:.*]] = astfe.compute
// CHECK-NEXT:      outs({{.*}} : tensor<?x8xf32>) overwrite
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] : tensor<?x8xf32>) outs(%{{.*}} : tensor<8xf32>)

// Where it is packed, rows are made of columns.
// PACKED-LABEL: func @over_stored_columns
// PACKED:         astfe.compute
// PACKED-NEXT:      outs({{.*}} : tensor<512xf32>)
// PACKED-NOT:     linalg.generic
// PACKED-LABEL: func @over_columns_of_halves
// PACKED-LABEL: func @over_columns_of_complex_numbers
// So do rows of a tensor, but of complex numbers.
// PACKED-LABEL: func @over_columns_of_a_tensor
// PACKED:         astfe.compute
// PACKED-NEXT:      outs({{.*}} : tensor<20xf32>) overwrite
// PACKED-LABEL: func @over_complex_columns_of_a_tensor
// PACKED:         astfe.compute
// PACKED-NEXT:      outs({{.*}} : tensor<20x8xcomplex<f32>>) overwrite

// GPU-LABEL:   func @over_columns
// GPU:           %[[ROWS:.*]] = astfe.compute
// GPU-NEXT:        outs({{.*}} : tensor<?x8xf32>) overwrite
// GPU:           linalg.generic
// GPU-SAME:        iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] : tensor<?x8xf32>) outs(%{{.*}} : tensor<?xf32>)
// GPU-LABEL:   func @over_everything
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
func.func @over_columns(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x8xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @over_everything(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x8xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @over_stored_columns(%A: tensor<512x?xf32, #CSC>, %B: tensor<?x8xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<512x?xf32, #CSC>, tensor<?x8xf32>) outs(%y : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
func.func @over_columns_of_halves(%A: tensor<?x?xf16, #CSR>, %B: tensor<?x8xf16>, %y: tensor<?xf16>) -> tensor<?xf16> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<?x?xf16, #CSR>, tensor<?x8xf16>) outs(%y : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %p = arith.mulf %a, %b : f16
    %q = arith.addf %o, %p : f16
    linalg.yield %q : f16
  } -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
func.func @over_columns_of_complex_numbers(%A: tensor<?x?xcomplex<f32>, #CSR>, %B: tensor<?x8xcomplex<f32>>, %y: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<?x?xcomplex<f32>, #CSR>, tensor<?x8xcomplex<f32>>) outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %o: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    %q = complex.add %o, %p : complex<f32>
    linalg.yield %q : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %0 : tensor<?xcomplex<f32>>
}
func.func @over_columns_of_a_tensor(%A: tensor<20x30x40xf32, #CSF>, %B: tensor<40x8xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, r) -> (i, j, k)>, affine_map<(i, j, k, r) -> (k, r)>,
                       affine_map<(i, j, k, r) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%A, %B : tensor<20x30x40xf32, #CSF>, tensor<40x8xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @over_complex_columns_of_a_tensor(%A: tensor<20x30x40xcomplex<f32>, #CSF>, %B: tensor<40x8xcomplex<f32>>, %s: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, r) -> (i, j, k)>, affine_map<(i, j, k, r) -> (k, r)>,
                       affine_map<(i, j, k, r) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%A, %B : tensor<20x30x40xcomplex<f32>, #CSF>, tensor<40x8xcomplex<f32>>) outs(%s : tensor<complex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %o: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    %q = complex.add %o, %p : complex<f32>
    linalg.yield %q : complex<f32>
  } -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
func.func @over_rows(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (i, r)>,
                       affine_map<(i, j, r) -> (r)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Where the outermost level is not dense, rows are those that a dense operand has,
// or the first ones: here columns, of what would be packed.

// PACKED-LABEL: func @shared
// PACKED:         tensor.dim {{.*}}, %c0 : tensor<?xf32>
// PACKED:         sparse_tensor.reinterpret_map
// PACKED:         astfe.compute
// PACKED-LABEL: func @vector
// PACKED:         astfe.compute
// PACKED-NEXT:      ins({{.*}}) outs({{.*}} : tensor<?xf32>) overwrite
#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
#SV = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
func.func @shared(%A: tensor<?x?xf32, #DCSR>, %x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #DCSR>, tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @vector(%A: tensor<?xf32, #SV>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%A : tensor<?xf32, #SV>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What is not taken so: rows of a level that is known to be long, and sums that might
// take more memory than all operands (on a GPU they are taken as long as they are not
// known to). What is taken away is: from rows of zeros, which are added up.

// CHECK-LABEL: func @long
// CHECK-NOT:     astfe.compute
// CHECK-LABEL: func @apart
// CHECK-NOT:     astfe.compute
// CHECK-LABEL: func @tall
// CHECK-NOT:     astfe.compute
// CHECK-LABEL: func @difference
// CHECK:         astfe.compute
// CHECK:           %[[TAKEN:.*]] = arith.negf
// CHECK:           astfe.yield "addf" %[[TAKEN]]
// CHECK:         linalg.generic
// CHECK:           arith.addf
// GPU-LABEL:   func @long
// GPU-NOT:       astfe.compute
// GPU-LABEL:   func @apart
// GPU:           astfe.compute
// GPU-LABEL:   func @tall
// GPU:           astfe.compute
// GPU-LABEL:   func @difference
// GPU:           astfe.compute
// REMARK: [Missed] kept {{.*}} Function=apart | Reason="the sums of rows might take more memory than all operands"
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]}
func.func @long(%A: tensor<3000000000x3000000000xf32, #DCSR>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic #trait ins(%A : tensor<3000000000x3000000000xf32, #DCSR>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @apart(%A: tensor<?x?xf32, #CSR>, %x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (r)>,
                       affine_map<(i, j, r) -> (r)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<32xf32>) outs(%y : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
func.func @tall(%A: tensor<?x?xf32, #CSC>, %B: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, r) -> (i, j)>, affine_map<(i, j, r) -> (j, r)>,
                       affine_map<(i, j, r) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<?x?xf32, #CSC>, tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @difference(%A: tensor<?x?xf32, #CSR>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic #trait ins(%A : tensor<?x?xf32, #CSR>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.subf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
