// RUN: astfe-opt %s --astfe-select-kernels="deterministic assume-finite" \
// RUN:   --split-input-file --remarks-filter='.*select.*' --remark-policy=all \
// RUN:   --verify-diagnostics | FileCheck %s

// A pattern whose type others fix keeps its layout.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK:       #pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
// CHECK-LABEL: @returned
// CHECK:         astfe.pack {{.*}} -> !astfe.blocked<8x8, #pack>
func.func @returned(%A: tensor<8x8xf32, #CSR>, %g: !astfe.graph<8x8>)
    -> !astfe.blocked<8x8, #pack> {
  // expected-remark @below {{the pattern leaves the function}}
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  return %P : !astfe.blocked<8x8, #pack>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

func.func private @callee(!astfe.blocked<8x8, #pack>)

// CHECK:       #pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
// CHECK-LABEL: @argument
// CHECK:         call @callee(%{{.*}}) : (!astfe.blocked<8x8, #pack>)
func.func @argument(%A: tensor<8x8xf32, #CSR>, %g: !astfe.graph<8x8>) {
  // expected-remark @below {{the pattern leaves the function}}
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  call @callee(%P) : (!astfe.blocked<8x8, #pack>) -> ()
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK:       #pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
// CHECK-LABEL: @yielded
// CHECK:         scf.yield %{{.*}} : !astfe.blocked<8x8, #pack>
func.func @yielded(%A: tensor<8x8xf32, #CSR>, %g: !astfe.graph<8x8>,
                   %condition: i1, %other: !astfe.blocked<8x8, #pack>)
    -> tensor<?xf32> {
  %P = scf.if %condition -> !astfe.blocked<8x8, #pack> {
    // expected-remark @below {{the pattern leaves the function}}
    %Q = astfe.pack %A by %g
      : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
    scf.yield %Q : !astfe.blocked<8x8, #pack>
  } else {
    scf.yield %other : !astfe.blocked<8x8, #pack>
  }
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
