// RUN: astfe-opt %s --astfe-to-ptx --split-input-file --verify-diagnostics | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx=storage=packed --split-input-file | FileCheck %s --check-prefix=PACKED

// Where nobody packs, a matrix by columns is walked as it is stored: what its columns
// add to rows is added by atomics, and a result that is not added to is filled first.

// CHECK-LABEL: func.func @csc
// CHECK:       gpu.launch_func {{.*}}@fill
// CHECK:       gpu.launch_func {{.*}}@one_column
// CHECK:       atom.global.add.f32
// PACKED:      gpu.binary

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

func.func @csc(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSC>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// No GPU adds to a half at once: sums are f32, apart from the output, to which they are
// added then.

// CHECK-LABEL: func.func @halves
// CHECK:       gpu.launch_func {{.*}}@fill
// CHECK:       gpu.launch_func {{.*}}@one_column
// CHECK:       gpu.launch_func {{.*}}@store
// CHECK:       atom.global.add.f32

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

func.func @halves(%A: tensor<?x?xf16, #CSC>, %x: tensor<?xf16>, %y: tensor<?xf16>)
    -> tensor<?xf16> {
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf16, #CSC>, tensor<?xf16>)
                     outs(%y : tensor<?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}

// -----

// Nothing multiplies at once.

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

func.func @products(%A: tensor<?x?xi8, #CSC>, %y: tensor<?xi8>) -> tensor<?xi8> {
  // expected-error @below {{expected a computation that a kernel is made of, but it is left to the host: expected a combiner with an atomic form but got muli of 'i8'}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xi8, #CSC>) outs(%y : tensor<?xi8>) {
  ^bb0(%a: i8, %o: i8):
    %id = arith.constant 1 : i8
    %p = sparse_tensor.unary %a : i8 to i8 present = {
    ^bb0(%u: i8):
      sparse_tensor.yield %u : i8
    } absent = {}
    %s = sparse_tensor.reduce %p, %o, %id : i8 {
    ^bb0(%u: i8, %v: i8):
      %w = arith.muli %u, %v : i8
      sparse_tensor.yield %w : i8
    }
    linalg.yield %s : i8
  } -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
