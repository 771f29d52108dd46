// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-partition="expected-runs=100" --astfe-hoist-inspector \
// RUN:   --remarks-filter='.*(partition|hoist).*' --remark-policy=all 2>&1 | FileCheck %s

// 100 runs would not pay for packing, but a loop around the product counts: each
// run of the function multiplies 20 x 5 times. A matrix that the loop carries has
// to be packed anew in each trip.

// CHECK: [Passed] repartition | {{.*}} | Function=looped | {{.*}}expected-runs=10000, {{.*}}trips=100
// CHECK: [Missed] repartition | {{.*}} | Function=straight | {{.*}}expected-runs=100, {{.*}}trips=1,
// CHECK: [Missed] repartition | {{.*}} | Function=unknown | {{.*}}expected-runs=100, {{.*}}trips=1,
// CHECK: [Missed] repartition | {{.*}} | Function=carried | {{.*}}expected-runs=100, {{.*}}trips=1,
// CHECK: [Passed] hoisted | {{.*}} | Function=looped | {{.*}}op=astfe.pack
// CHECK-LABEL: func.func @looped
// CHECK:         astfe.pack
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         astfe.pack
// CHECK:             astfe.compute

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
!A = tensor<?x?xf32, #CSR>
!x = tensor<?xf32>

func.func @looped(%A: !A, %x: !x, %y: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  %r = scf.for %i = %c0 to %c20 step %c1 iter_args(%a = %y) -> !x {
    %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%b = %a) -> !x {
      %p = linalg.matvec ins(%A, %x : !A, !x) outs(%b : !x) -> !x
      scf.yield %p : !x
    }
    scf.yield %s : !x
  }
  return %r : !x
}

func.func @straight(%A: !A, %x: !x, %y: !x) -> !x {
  %p = linalg.matvec ins(%A, %x : !A, !x) outs(%y : !x) -> !x
  return %p : !x
}

func.func @unknown(%A: !A, %x: !x, %y: !x, %n: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %y) -> !x {
    %p = linalg.matvec ins(%A, %x : !A, !x) outs(%b : !x) -> !x
    scf.yield %p : !x
  }
  return %r : !x
}

func.func @carried(%A: !A, %A2: !A, %x: !x, %y: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %r:3 = scf.for %i = %c0 to %c20 step %c1
      iter_args(%b = %y, %M = %A, %N = %A2) -> (!x, !A, !A) {
    %p = linalg.matvec ins(%M, %x : !A, !x) outs(%b : !x) -> !x
    scf.yield %p, %N, %M : !x, !A, !A
  }
  return %r#0 : !x
}
