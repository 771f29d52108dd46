// RUN: astfe-opt %s --astfe-split-inspector | FileCheck %s
// RUN: astfe-opt %s --astfe-split-inspector=with-values | FileCheck %s --check-prefix=VALUES

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// The graph comes out of a branch: what is in regions does not move.

// CHECK-LABEL: func.func @branch(
// CHECK:         scf.if
// CHECK:         astfe.pack
// CHECK-NOT:   @branch_prepare
func.func @branch(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                  %h: !astfe.graph<?x?>, %c: i1) -> tensor<?xf32> {
  %k = scf.if %c -> !astfe.graph<?x?> {
    scf.yield %g : !astfe.graph<?x?>
  } else {
    scf.yield %h : !astfe.graph<?x?>
  }
  %P = astfe.pack %A by %k : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// An argument that nobody reads stays one of @f_run: callers pass it. Both new
// functions are as private as the old one, and arguments keep their attributes.

// CHECK-LABEL: func.func private @hidden(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z]*}}> {my.pattern}, %[[G:[^:]*]]: !astfe.graph<?x?>, %[[N:[^:]*]]: index {my.unused})
// CHECK-NEXT:    %[[P:.*]] = call @hidden_prepare(%[[A]], %[[G]])
// CHECK-NEXT:    call @hidden_run(%[[P]], %[[A]], %[[N]])
// CHECK:       func.func private @hidden_prepare(%{{[^:]*}}: tensor<?x?xf32, #{{[a-z]*}}> {my.pattern}, %{{[^:]*}}: !astfe.graph<?x?>)
// CHECK:       func.func private @hidden_run(%{{[^:]*}}: !astfe.blocked<?x?, #pack>, %{{[^:]*}}: tensor<?x?xf32, #{{[a-z]*}}> {my.pattern}, %{{[^:]*}}: index {my.unused})
func.func private @hidden(%A: tensor<?x?xf32, #CSR> {my.pattern},
                          %g: !astfe.graph<?x?>, %unused: index {my.unused})
    -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// Values that are read in an inner block alone stay there, also where values
// move.

// VALUES-LABEL: func.func @inner_prepare(
// VALUES-NOT:     astfe.values
// VALUES:         return %{{[^,]*}} : !astfe.blocked
// VALUES-LABEL: func.func @inner_run(
// VALUES:         scf.if
// VALUES:           astfe.values
func.func @inner(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>, %c: i1,
                 %z: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = scf.if %c -> tensor<?xf32> {
    %w = astfe.values %A in %P
      : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  } else {
    scf.yield %z : tensor<?xf32>
  }
  return %v : tensor<?xf32>
}
