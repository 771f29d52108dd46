// RUN: astfe-opt %s --split-input-file --verify-diagnostics

// One module per labelled constraint of compute and yield.

#n = affine_map<(n, i, k) -> (n)>
func.func private @compute_c1(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected 2 maps, one per input and output, but got 1}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n] ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, k) -> (n)>
#i = affine_map<(n, i, k, j) -> (i)>
func.func private @compute_c2(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected map 1 to have 3 dimensions and no symbols but got 4 and 0}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #i] ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, k) -> (n)>
#i = affine_map<(n, i, k) -> (i + k)>
func.func private @compute_c3(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected map 1 to pick 1 different dimensions but got affine_map<(d0, d1, d2) -> (d1 + d2)>}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #i] ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, k) -> (n, i)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c4(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?x4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected an operand that is indexed by the nonzero to have rank 1 but got 'tensor<?x4xf32>'}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #i] ins(%v : tensor<?x4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c5(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<9xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected dimension 2 to have the extent 8 but got 9}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<9xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k, j) -> (k)>
#i = affine_map<(n, i, k, j) -> (i)>
func.func private @compute_c6(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected an operand indexed by dimension 3 but got none}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c7(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected buffers only but got 'tensor<8xf32>'}}
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c8(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32, #SV>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected dense operands but got}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32, #SV>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i) -> (n)>
#i = affine_map<(n, i) -> (i)>
func.func private @compute_c9(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected maps of at least 3 dimensions but got 2}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #i] ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c10(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected a body with 1 arguments, one per input, but got 2}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c11(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf16>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected argument 0 of the body to be 'f16' but got 'f32'}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf16>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c12(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected 1 contributions, one per output, but got 0}}
    astfe.yield
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c13(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf64>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf64>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected contribution 0 to be 'f64' but got 'f32'}}
    astfe.yield "addf" %a : f32
  } -> tensor<4xf64>
  return
}

// -----

// Results are checked by the destination-style interface.
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c14(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected type of operand #2 ('tensor<4xf32>') to match type of corresponding result ('tensor<5xf32>')}}
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<5xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c1(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected one combiner per contribution but got 0 for 1}}
    "astfe.yield"(%a) {kinds = []} : (f32) -> ()
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c2(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a combiner of 'f32' but got 'addi'}}
    astfe.yield "addi" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c3_count(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected one start per contribution but got 0 for 1}}
    "astfe.yield"(%a) {kinds = [0 : i64], starts = []} : (f32) -> ()
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c3_type(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a start of type 'f32' but got 1.000000e+00 : f64}}
    astfe.yield "minimumf" from 1.0 : f64 %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c3_sum(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a finite number that may be combined several times, and no truth value, but got 1.000000e+00 : f32 of 'addf'}}
    astfe.yield "addf" from 1.0 : f32 %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#n = affine_map<(n, i, k) -> (n)>
func.func private @yield_c3_infinite(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a finite number that may be combined several times, and no truth value, but got 0x7F800000 : f32 of 'maximumf'}}
    astfe.yield "maximumf" from 0x7F800000 : f32 %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#n = affine_map<(n, i, k) -> (n)>
func.func private @yield_c3_truth(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xi1>, %y: tensor<4xi1>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xi1>) outs(%y : tensor<4xi1>) overwrite {
  ^bb0(%a: i1):
    // expected-error @+1 {{expected a finite number that may be combined several times, and no truth value, but got true of 'ori'}}
    astfe.yield "ori" from true %a : i1
  } -> tensor<4xi1>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#n = affine_map<(n, i, k) -> (n)>
func.func private @yield_c3_units(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a start, or none to be given, but got identities alone}}
    "astfe.yield"(%a) {kinds = [0 : i64], starts = [unit]} : (f32) -> ()
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#n = affine_map<(n, i, k) -> (n)>
func.func private @yield_c4_nonzeros(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<?xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #n] ins(%x : tensor<8xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected no start of output 0, which has an element for each nonzero}}
    astfe.yield "minimumf" from 1.0 : f32 %a : f32
  } -> tensor<?xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c4(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected no start where the output is added to}}
    astfe.yield "minimumf" from 1.0 : f32 %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_c2_complex(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xcomplex<f32>>) outs(%y : tensor<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>):
    // expected-error @+1 {{expected a combiner of 'complex<f32>' but got 'maximumf'}}
    astfe.yield "maximumf" %a : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @yield_name(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %x: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#k, #i] ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected a combiner such as "addf" but got 'plus'}}
    astfe.yield "plus" %a : f32
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, k) -> (n)>
func.func private @compute_c15(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xf32>) {
  // expected-error @+1 {{expected at least one output but got none}}
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n] ins(%v : tensor<?xf32>) outs() {
  ^bb0(%a: f32):
    astfe.yield
  }
  return
}

// -----

#n = affine_map<(n, i, k) -> (n)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c16(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: tensor<?xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) {
  %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #i] ins(%v : tensor<?xcomplex<f32>>) outs(%y : tensor<4xcomplex<f32>>) overwrite {
  ^bb0(%a: complex<f32>):
    // expected-error @+1 {{expected a combiner with an identity, as the output is overwritten, but got 'mulf' of 'complex<f32>'}}
    astfe.yield "mulf" %a : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return
}

// -----

#n = affine_map<(n, i, k) -> (n)>
#i = affine_map<(n, i, k) -> (i)>
func.func private @compute_c16_second(%P: !astfe.blocked<4x8, #astfe.layout<view>>, %v: memref<?xf32>, %w: memref<?xcomplex<f32>>, %x: memref<4xf32>, %y: memref<4xcomplex<f32>>) {
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>> maps [#n, #n, #i, #i] ins(%v, %w : memref<?xf32>, memref<?xcomplex<f32>>) outs(%x, %y : memref<4xf32>, memref<4xcomplex<f32>>) overwrite {
  ^bb0(%a: f32, %b: complex<f32>):
    // expected-error @+1 {{expected a combiner with an identity, as the output is overwritten, but got 'mulf' of 'complex<f32>'}}
    astfe.yield "addf" %a : f32, "mulf" %b : complex<f32>
  }
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#pack = #astfe.layout<packed, columns = 32, classes = [scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#k = affine_map<(n, i, j, k) -> (k)>
func.func private @compute_c17(%A: tensor<4x5x6xf32, #CSF>, %P: !astfe.blocked<4x5x6, #pack>, %y: tensor<6xf32>) {
  %v = astfe.values %A in %P key = 1 : tensor<4x5x6xf32, #CSF>, !astfe.blocked<4x5x6, #pack> -> tensor<?xf32>
  // expected-error @+1 {{expected values by the key 2, which indexes the output, but got 1}}
  %r = astfe.compute over %P : !astfe.blocked<4x5x6, #pack> maps [#n, #k] ins(%v : tensor<?xf32>) outs(%y : tensor<6xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<6xf32>
  return
}
