// RUN: astfe-opt %s --astfe-copy-carried | FileCheck %s
// RUN: not astfe-opt %s --astfe-sparsifier 2>&1 | FileCheck %s --check-prefix=ERROR

// What an iteration makes longer has no place in what the loop carries: upstream's
// error stays.

// CHECK-NOT: materialize_in_destination
// ERROR: error: Yield operand #0 is not equivalent to the corresponding iter bbArg
func.func @longer(%x0: tensor<?xf64>, %v: f64, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<?xf64>) {
    %p = tensor.pad %x low[1] high[0] {
    ^bb0(%i: index):
      tensor.yield %v : f64
    } : tensor<?xf64> to tensor<?xf64>
    scf.yield %p : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
