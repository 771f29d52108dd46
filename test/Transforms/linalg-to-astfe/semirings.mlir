// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// Combiners other than sums. An entry that is not stored has to contribute what
// the combiner ignores, or nothing, as ops of sparse_tensor say.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// The shortest way by one edge: what is not stored is no edge. The output is
// overwritten where it begins as the combiner's identity.

// CHECK-LABEL: func.func @min_plus(
// CHECK-NOT:     linalg.fill
// CHECK:         astfe.compute
// CHECK-NEXT:      outs({{.*}}) overwrite {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[X:.*]]: f32):
// CHECK:           %[[S:.*]] = arith.addf %[[A]], %[[X]] : f32
// CHECK-NEXT:      astfe.yield "minimumf" %[[S]] : f32
func.func @min_plus(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<8xf32> {
  %inf = arith.constant 0x7F800000 : f32
  %E = tensor.empty() : tensor<8xf32>
  %Y = linalg.fill ins(%inf : f32) outs(%E : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%Y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %y: f32):
    %s = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%u: f32, %v: f32):
        %t = arith.addf %u, %v : f32
        sparse_tensor.yield %t : f32
      }
      left = {}
      right = {}
    %m = sparse_tensor.reduce %s, %y, %inf : f32 {
      ^bb0(%u: f32, %v: f32):
        %t = arith.minimumf %u, %v : f32
        sparse_tensor.yield %t : f32
    }
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k, j) -> (i, k)>
#B = affine_map<(i, k, j) -> (k, j)>
#C = affine_map<(i, k, j) -> (i, j)>

// The same without ops of sparse_tensor: zeros are no edges, and infinitely far.

// CHECK-LABEL: func.func @min_plus_zeros
// CHECK:         astfe.compute
// CHECK:           arith.cmpf oeq
// CHECK:           arith.select
// CHECK:           astfe.yield "minimumf"
func.func @min_plus_zeros(%A: tensor<8x8xf64, #CSR>, %B: tensor<8x4xf64>,
                          %C: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<8x8xf64, #CSR>, tensor<8x4xf64>)
      outs(%C : tensor<8x4xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %none = arith.cmpf oeq, %a, %zero : f64
    %s = arith.addf %a, %b : f64
    %d = arith.select %none, %inf, %s : f64
    %m = arith.minimumf %c, %d : f64
    linalg.yield %m : f64
  } -> tensor<8x4xf64>
  return %r : tensor<8x4xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// Zeros change no maximum that begins with 0.

// CHECK-LABEL: func.func @max_times(
// CHECK-NOT:     linalg.fill
// CHECK:         astfe.compute
// CHECK-NEXT:      overwrite {
// CHECK:           astfe.yield "maximumf" from 0.000000e+00 : f32
func.func @max_times(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %E = tensor.empty() : tensor<8xf32>
  %Y = linalg.fill ins(%zero : f32) outs(%E : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%Y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %m = arith.maximumf %c, %p : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// One that began as -inf may be of negative products, which a zero exceeds.

// CHECK-LABEL: func.func @max_times_below
// CHECK-NOT:     = astfe.
// REMARK:      the contribution is not provably one that maximumf ignores where nothing is stored
func.func @max_times_below(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %E = tensor.empty() : tensor<8xf32>
  %Y = linalg.fill ins(%low : f32) outs(%E : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%Y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %m = arith.maximumf %c, %p : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// Reduced by an op of sparse_tensor, of what is stored.

// CHECK-LABEL: func.func @max_times_stored
// CHECK:         astfe.compute
// CHECK-NEXT:      overwrite {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK:           astfe.yield "maximumf"
func.func @max_times_stored(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %E = tensor.empty() : tensor<8xf32>
  %Y = linalg.fill ins(%low : f32) outs(%E : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%Y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %m = sparse_tensor.reduce %c, %p, %low : f32 {
      ^bb0(%u: f32, %v: f32):
        %t = arith.maximumf %v, %u : f32
        sparse_tensor.yield %t : f32
    }
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// Reachability, of truth values.

// CHECK-LABEL: func.func @or_and
// CHECK:         astfe.compute
// CHECK:           arith.andi
// CHECK:           astfe.yield "ori" %{{.*}} : i1
func.func @or_and(%A: tensor<8x8xi1, #CSR>, %x: tensor<8xi1>, %y: tensor<8xi1>)
    -> tensor<8xi1> {
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xi1, #CSR>, tensor<8xi1>)
      outs(%y : tensor<8xi1>) {
  ^bb0(%a: i1, %b: i1, %c: i1):
    %p = arith.andi %a, %b : i1
    %m = arith.ori %p, %c : i1
    linalg.yield %m : i1
  } -> tensor<8xi1>
  return %r : tensor<8xi1>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// Entries that are not selected contribute the identity.

// CHECK-LABEL: func.func @selected
// CHECK:         astfe.compute
// CHECK:         ^bb0(%[[A:.*]]: f64):
// CHECK:           %[[POSITIVE:.*]] = arith.cmpf ogt, %[[A]]
// CHECK:           %[[NONE:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK:           %[[V:.*]] = arith.select %[[POSITIVE]], %[[A]], %[[NONE]]
// CHECK:           astfe.yield "minimumf" %[[V]]
func.func @selected(%A: tensor<8x8xf64, #CSR>, %y: tensor<8xf64>)
    -> tensor<8xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf64, #CSR>) outs(%y : tensor<8xf64>) {
  ^bb0(%a: f64, %c: f64):
    %k = sparse_tensor.select %a : f64 {
      ^bb0(%u: f64):
        %positive = arith.cmpf ogt, %u, %zero : f64
        sparse_tensor.yield %positive : i1
    }
    %m = sparse_tensor.reduce %k, %c, %inf : f64 {
      ^bb0(%u: f64, %v: f64):
        %t = arith.minimumf %u, %v : f64
        sparse_tensor.yield %t : f64
    }
    linalg.yield %m : f64
  } -> tensor<8xf64>
  return %r : tensor<8xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// What is mapped where it is stored, and nowhere else.

// CHECK-LABEL: func.func @mapped
// CHECK:         astfe.compute
// CHECK:           math.exp
// CHECK:           astfe.yield "addf"
func.func @mapped(%A: tensor<8x8xf64, #CSR>, %y: tensor<8xf64>)
    -> tensor<8xf64> {
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf64, #CSR>) outs(%y : tensor<8xf64>) {
  ^bb0(%a: f64, %c: f64):
    %e = sparse_tensor.unary %a : f64 to f64
      present = {
      ^bb0(%u: f64):
        %t = math.exp %u : f64
        sparse_tensor.yield %t : f64
      }
      absent = {}
    %s = arith.addf %c, %e : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %r : tensor<8xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// CHECK-LABEL: func.func @absent
// CHECK-NOT:     = astfe.
// REMARK:      the body says what entries that are not stored contribute
func.func @absent(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                  %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%u: f32, %v: f32):
        %t = arith.addf %u, %v : f32
        sparse_tensor.yield %t : f32
      }
      left = {}
      right = identity
    %m = arith.addf %c, %s : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// A sum of both is there where either is.

// CHECK-LABEL: func.func @either
// CHECK-NOT:     = astfe.
// REMARK:      what is reduced is not provably nothing where nothing is stored
func.func @either(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                  %y: tensor<8xf32>) -> tensor<8xf32> {
  %inf = arith.constant 0x7F800000 : f32
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %m = sparse_tensor.reduce %s, %c, %inf : f32 {
      ^bb0(%u: f32, %v: f32):
        %t = arith.minimumf %u, %v : f32
        sparse_tensor.yield %t : f32
    }
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// 1e20 + 1 is 1e20, but what is added later may leave the 1 to be seen.

// CHECK-LABEL: func.func @swallowed
// CHECK-NOT:     = astfe.
// REMARK:      the contribution is not provably zero where nothing is stored
func.func @swallowed(%A: tensor<8x8xf32, #CSR>) -> tensor<8xf32> {
  %large = arith.constant 1.0e20 : f32
  %one = arith.constant 1.0 : f32
  %E = tensor.empty() : tensor<8xf32>
  %Y = linalg.fill ins(%large : f32) outs(%E : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf32, #CSR>) outs(%Y : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %one : f32
    %s = arith.addf %c, %t : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// What sparse_tensor.reduce begins from counts in upstream's code, which does not
// look at the output where it keeps a sum in a register: a computation is raised
// where the combiner ignores that value, or the output is filled with it.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

// CHECK-LABEL: func @capped
// CHECK:         linalg.generic
// REMARK:      remark: {{.*}}sparse_tensor.reduce begins from a value that maximumf does not ignore, and the output is not filled with it
func.func @capped(%a: tensor<?x?xf64, #CSR>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %cap = arith.constant 0.9 : f64
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf64, #CSR>) outs(%y : tensor<?xf64>) {
  ^bb0(%v: f64, %c: f64):
    %m = sparse_tensor.reduce %c, %v, %cap : f64 {
    ^bb0(%p: f64, %q: f64):
      %w = arith.maximumf %p, %q : f64
      sparse_tensor.yield %w : f64
    }
    linalg.yield %m : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func @filled
// CHECK:         astfe.compute
func.func @filled(%a: tensor<?x?xf64, #CSR>, %e: tensor<?xf64>) -> tensor<?xf64> {
  %cap = arith.constant 0.9 : f64
  %y = linalg.fill ins(%cap : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf64, #CSR>) outs(%y : tensor<?xf64>) {
  ^bb0(%v: f64, %c: f64):
    %m = sparse_tensor.reduce %c, %v, %cap : f64 {
    ^bb0(%p: f64, %q: f64):
      %w = arith.maximumf %p, %q : f64
      sparse_tensor.yield %w : f64
    }
    linalg.yield %m : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// maxnumf ignores NaN, and -inf as maximumf does.

// CHECK-LABEL: func @greatest
// CHECK:         astfe.compute
func.func @greatest(%a: tensor<?x?xf64, #CSR>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf64, #CSR>) outs(%y : tensor<?xf64>) {
  ^bb0(%v: f64, %c: f64):
    %m = sparse_tensor.reduce %c, %v, %low : f64 {
    ^bb0(%p: f64, %q: f64):
      %w = arith.maxnumf %p, %q : f64
      sparse_tensor.yield %w : f64
    }
    linalg.yield %m : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// Of integers the least number is what a maximum ignores, and 0 is not.

// CHECK-LABEL: func @integers
// CHECK:         astfe.compute
// CHECK:         linalg.generic
func.func @integers(%a: tensor<?x?xi32, #CSR>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i32
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xi32, #CSR>) outs(%y : tensor<?xi32>) {
  ^bb0(%v: i32, %c: i32):
    %m = sparse_tensor.reduce %c, %v, %least : i32 {
    ^bb0(%p: i32, %q: i32):
      %w = arith.maxsi %p, %q : i32
      sparse_tensor.yield %w : i32
    }
    linalg.yield %m : i32
  } -> tensor<?xi32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xi32, #CSR>) outs(%y : tensor<?xi32>) {
  ^bb0(%v: i32, %c: i32):
    %m = sparse_tensor.reduce %c, %v, %zero : i32 {
    ^bb0(%p: i32, %q: i32):
      %w = arith.maxsi %p, %q : i32
      sparse_tensor.yield %w : i32
    }
    linalg.yield %m : i32
  } -> tensor<?xi32>
  return %0, %1 : tensor<?xi32>, tensor<?xi32>
}

// Sums of complex numbers ignore 0.

// CHECK-LABEL: func @complex
// CHECK:         astfe.compute
func.func @complex(%a: tensor<?x?xcomplex<f32>, #CSR>, %x: tensor<?xcomplex<f32>>, %y: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %z = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : tensor<?x?xcomplex<f32>, #CSR>, tensor<?xcomplex<f32>>) outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%v: complex<f32>, %w: complex<f32>, %c: complex<f32>):
    %p = complex.mul %v, %w : complex<f32>
    %m = sparse_tensor.reduce %p, %c, %z : complex<f32> {
    ^bb0(%s: complex<f32>, %t: complex<f32>):
      %u = complex.add %s, %t : complex<f32>
      sparse_tensor.yield %u : complex<f32>
    }
    linalg.yield %m : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %0 : tensor<?xcomplex<f32>>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// A selection that the contribution does not read decides nothing.

// CHECK-LABEL: func.func @select_not_read
// CHECK:         astfe.compute
// CHECK-NOT:       arith.cmpf olt
// CHECK-NOT:       arith.andi
// CHECK:           %[[POSITIVE:.*]] = arith.cmpf ogt
// CHECK-NOT:       arith.andi
// CHECK:           arith.select %[[POSITIVE]]
func.func @select_not_read(%A: tensor<8x8xf64, #CSR>, %y: tensor<8xf64>)
    -> tensor<8xf64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf64, #CSR>) outs(%y : tensor<8xf64>) {
  ^bb0(%a: f64, %c: f64):
    %s = sparse_tensor.select %a : f64 {
      ^bb0(%u: f64):
        %positive = arith.cmpf ogt, %u, %zero : f64
        sparse_tensor.yield %positive : i1
    }
    %l = sparse_tensor.select %a : f64 {
      ^bb0(%u: f64):
        %low = arith.cmpf olt, %u, %one : f64
        sparse_tensor.yield %low : i1
    }
    %p = arith.mulf %s, %a : f64
    %t = arith.addf %c, %p : f64
    linalg.yield %t : f64
  } -> tensor<8xf64>
  return %r : tensor<8xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// A product of what is selected is there where both are.

// CHECK-LABEL: func.func @select_both
// CHECK:         astfe.compute
// CHECK:           %[[POSITIVE:.*]] = arith.cmpf ogt
// CHECK:           %[[LOW:.*]] = arith.cmpf olt
// CHECK:           %[[BOTH:.*]] = arith.andi %[[POSITIVE]], %[[LOW]]
// CHECK:           arith.select %[[BOTH]]
func.func @select_both(%A: tensor<8x8xf64, #CSR>, %y: tensor<8xf64>)
    -> tensor<8xf64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<8x8xf64, #CSR>) outs(%y : tensor<8xf64>) {
  ^bb0(%a: f64, %c: f64):
    %s = sparse_tensor.select %a : f64 {
      ^bb0(%u: f64):
        %positive = arith.cmpf ogt, %u, %zero : f64
        sparse_tensor.yield %positive : i1
    }
    %l = sparse_tensor.select %a : f64 {
      ^bb0(%u: f64):
        %low = arith.cmpf olt, %u, %one : f64
        sparse_tensor.yield %low : i1
    }
    %p = arith.mulf %s, %l : f64
    %t = arith.addf %c, %p : f64
    linalg.yield %t : f64
  } -> tensor<8xf64>
  return %r : tensor<8xf64>
}
