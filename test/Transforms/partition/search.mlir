// order=auto leaves the arrangement to the run time, and says what it is for.
// RUN: astfe-opt %s --astfe-partition="order=auto reorder=auto" --remarks-filter='.*partition' 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-partition="order=auto reorder=auto search-runs=7 for-gpu" | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-partition="order=hilbert reorder=auto hubs=3 search-runs=9 whole-rows=false" | FileCheck %s --check-prefix=GIVEN
// RUN: not astfe-opt %s --astfe-partition="order=auto search-runs=0" 2>&1 | FileCheck %s --check-prefix=RUNS

// RUNS: expected option 'search-runs' to be at least 1 but got '0'

// Remarks come before the module.
// CHECK-COUNT-3: order="chosen at run time"
// CHECK:         Function=row_sums {{.*}} order=rows
// CHECK:         Function=scaled {{.*}} order=rows
// CHECK:         Function=scaled {{.*}} order="chosen at run time"

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, k) -> (n)>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#nj = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>
#t = affine_map<(n, i, j, k) -> (n)>
#ti = affine_map<(n, i, j, k) -> (i)>

// One column: groups of a host are cut, as their slices are sorted.
// CHECK-LABEL: func.func @spmv(
// CHECK:         astfe.profile of %{{.*}} order = "rows" hubs = auto min = 256
// CHECK-SAME:      search = <columns = 1, element_bytes = 4, runs = 100> :
// GIVEN-LABEL: func.func @spmv(
// GIVEN:         astfe.profile of %{{.*}} order = "hilbert" hubs = 3 min = 256
// GIVEN-SAME:      search = <columns = 1, element_bytes = 4, runs = 9, orders = false> :
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #k, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// In a loop of 50 trips runs count as often.
// CHECK-LABEL: func.func @spmm(
// CHECK:         search = <columns = 32, element_bytes = 4, runs = 5000, whole = true> :
// GPU-LABEL:   func.func @spmm(
// GPU:           search = <columns = 32, element_bytes = 4, runs = 350, gpu = true> :
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %s = scf.for %t = %c0 to %c50 step %c1 iter_args(%D = %C) -> tensor<?x32xf32> {
    %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
    %v = astfe.values %A in %P
      : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
    %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#nj, #kj, #ij]
        ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>) outs(%D : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<?x32xf32>
    scf.yield %r : tensor<?x32xf32>
  }
  return %s : tensor<?x32xf32>
}

// Two patterns of a tensor, which merge-inspectors makes one: the wider products
// and the more runs.
// CHECK-LABEL: func.func @both(
// CHECK-COUNT-2: search = <columns = 32, element_bytes = 4, runs = 5000, whole = true> :
func.func @both(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                %C: tensor<?x32xf32>, %D: tensor<?x8xf32>, %E: tensor<?x8xf32>)
    -> (tensor<?x32xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#nj, #kj, #ij]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>) outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  %s = scf.for %t = %c0 to %c50 step %c1 iter_args(%F = %E) -> tensor<?x8xf32> {
    %Q = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
    %w = astfe.values %A in %Q
      : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
    %1 = astfe.compute over %Q : !astfe.blocked<?x?, #view> maps [#nj, #kj, #ij]
        ins(%w, %D : tensor<?xf32>, tensor<?x8xf32>) outs(%F : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<?x8xf32>
    scf.yield %1 : tensor<?x8xf32>
  }
  return %r, %s : tensor<?x32xf32>, tensor<?x8xf32>
}

// Samples have elements for stored values alone.
// CHECK-LABEL: func.func @sddmm(
// CHECK:         search = <columns = 32, element_bytes = 4, runs = 100, samples = true, whole = true> :
func.func @sddmm(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x32xf32>,
                 %Y: tensor<?x32xf32>, %S: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#nj, #ij, #kj, #nj]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%S : tensor<?xf32>) {
  ^bb0(%a: f32, %x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %a, %p : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Sums of rows gather nothing, and rows are read as they are.
// CHECK-LABEL: func.func @row_sums(
// CHECK:         astfe.profile of %{{.*}} order = "rows" min = 256 : tensor<
func.func @row_sums(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Rows that are scaled are read as they are; columns are gathered.
// CHECK-LABEL: func.func @scaled(
// CHECK:         astfe.profile of %{{.*}} order = "rows" min = 256 : tensor<
// CHECK:         astfe.profile of %{{.*}} order = "rows" hubs = auto min = 256
// CHECK-SAME:      search = <columns = 1, element_bytes = 4, runs = 100, samples = true> :
func.func @scaled(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32, #CSR>, %d: tensor<?xf32>,
                  %S: tensor<?xf32>, %T: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #i, #n]
      ins(%v, %d : tensor<?xf32>, tensor<?xf32>) outs(%S : tensor<?xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %Q = astfe.pack %B : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %w = astfe.values %B in %Q
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %s = astfe.compute over %Q : !astfe.blocked<?x?, #view> maps [#n, #k, #n]
      ins(%w, %d : tensor<?xf32>, tensor<?xf32>) outs(%T : tensor<?xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}

// The transpose that is packed comes from outside of the loop, too.
// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[T:.*]] = sparse_tensor.reinterpret_map
// CHECK:         astfe.profile of %[[T]] {{.*}} search = <columns = 32, element_bytes = 4, runs = 5000, whole = true> :
func.func @transposed(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                      %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %s = scf.for %t = %c0 to %c50 step %c1 iter_args(%D = %C) -> tensor<?x32xf32> {
    %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
    %v = astfe.values %A in %P
      : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
    %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#nj, #ij, #kj]
        ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>) outs(%D : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<?x32xf32>
    scf.yield %r : tensor<?x32xf32>
  }
  return %s : tensor<?x32xf32>
}
