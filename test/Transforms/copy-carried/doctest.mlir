// RUN: astfe-opt %s --astfe-copy-carried | FileCheck %s
// RUN: astfe-opt %s --astfe-copy-carried \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries" -o /dev/null

// What an iteration makes anew is copied into what the loop carries.

#i = affine_map<(i) -> (i)>
#add = {indexing_maps = [#i, #i], iterator_types = ["parallel"]}

// CHECK-LABEL: func @anew
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = linalg.matvec
// CHECK-NEXT:      %[[C:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
// CHECK-NEXT:      scf.yield %[[C]]
func.func @anew(%A: tensor<8x8xf64>, %x0: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<8xf64>) {
    %e = tensor.empty() : tensor<8xf64>
    %z = linalg.fill ins(%zero : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
    %y = linalg.matvec ins(%A, %x : tensor<8x8xf64>, tensor<8xf64>) outs(%z : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// What is changed where it is, by an op, in another loop or by a function that is
// called, stays; it is not where it is read beside that.

// CHECK-LABEL: func @in_place
// CHECK-NOT:     materialize_in_destination
// CHECK:         return
func.func @in_place(%A: tensor<8x8xf64>, %b: tensor<8xf64>, %x0: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<8xf64>) {
    %y = linalg.matvec ins(%A, %b : tensor<8x8xf64>, tensor<8xf64>) outs(%x : tensor<8xf64>) -> tensor<8xf64>
    %d0 = tensor.dim %x, %c0 : tensor<8xf64>
    %w = scf.for %u = %c0 to %d0 step %c1 iter_args(%v = %y) -> (tensor<8xf64>) {
      %d = func.call @twice(%v) : (tensor<8xf64>) -> tensor<8xf64>
      scf.yield %d : tensor<8xf64>
    }
    scf.yield %w : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}
func.func private @twice(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = linalg.generic #add ins(%x : tensor<8xf64>) outs(%x : tensor<8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %a, %o : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %y : tensor<8xf64>
}

// CHECK-LABEL: func @read_beside
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = linalg.matvec ins(%{{.*}}, %[[X]] : {{.*}}) outs(%[[X]]
// CHECK-NEXT:      materialize_in_destination %[[Y]] in %[[X]]
func.func @read_beside(%A: tensor<8x8xf64>, %x0: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<8xf64>) {
    %y = linalg.matvec ins(%A, %x : tensor<8x8xf64>, tensor<8xf64>) outs(%x : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// The same where it is one branch that changes what is read beside that, or behind
// the branches.

// CHECK-LABEL: func @read_in_a_branch
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = scf.if
// CHECK:           materialize_in_destination %[[Y]] in %[[X]]
func.func @read_in_a_branch(%A: tensor<8x8xf64>, %b: tensor<8xf64>, %x0: tensor<8xf64>, %n: index, %g: i1) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<8xf64>) {
    %y = scf.if %g -> (tensor<8xf64>) {
      %p = linalg.matvec ins(%A, %b : tensor<8x8xf64>, tensor<8xf64>) outs(%x : tensor<8xf64>) -> tensor<8xf64>
      scf.yield %p : tensor<8xf64>
    } else {
      %p = linalg.matvec ins(%A, %x : tensor<8x8xf64>, tensor<8xf64>) outs(%x : tensor<8xf64>) -> tensor<8xf64>
      scf.yield %p : tensor<8xf64>
    }
    scf.yield %y : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// CHECK-LABEL: func @read_behind_branches
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = scf.if
// CHECK:           %[[C:.*]] = bufferization.materialize_in_destination %[[P]] in %[[X]]
// CHECK-NEXT:      %[[D:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[P]]
// CHECK-NEXT:      scf.yield %[[C]], %[[D]]
func.func @read_behind_branches(%A: tensor<8x8xf64>, %b: tensor<8xf64>, %x0: tensor<8xf64>, %p0: tensor<8xf64>, %n: index, %g: i1) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0, %p = %p0) -> (tensor<8xf64>, tensor<8xf64>) {
    %y = scf.if %g -> (tensor<8xf64>) {
      %q = linalg.matvec ins(%A, %x : tensor<8x8xf64>, tensor<8xf64>) outs(%p : tensor<8xf64>) -> tensor<8xf64>
      scf.yield %q : tensor<8xf64>
    } else {
      scf.yield %p : tensor<8xf64>
    }
    scf.yield %p, %y : tensor<8xf64>, tensor<8xf64>
  }
  return %r#1 : tensor<8xf64>
}

// CHECK-LABEL: func @in_place_in_a_branch
// CHECK-NOT:     materialize_in_destination
// CHECK:         return
func.func @in_place_in_a_branch(%A: tensor<8x8xf64>, %b: tensor<8xf64>, %x0: tensor<8xf64>, %n: index, %g: i1) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<8xf64>) {
    %y = scf.if %g -> (tensor<8xf64>) {
      %p = linalg.matvec ins(%A, %b : tensor<8x8xf64>, tensor<8xf64>) outs(%x : tensor<8xf64>) -> tensor<8xf64>
      scf.yield %p : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    scf.yield %y : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// What is carried in another place is copied before it is written, and what a
// called function makes anew is what an op makes.

// CHECK-LABEL: func @places
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = func.call @product
// CHECK-NEXT:      %[[D:.*]] = bufferization.materialize_in_destination %[[X]] in %[[P]]
// CHECK-NEXT:      %[[C:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
// CHECK-NEXT:      scf.yield %[[C]], %[[D]]
func.func @places(%A: tensor<8x8xf64>, %x0: tensor<8xf64>, %p0: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0, %p = %p0) -> (tensor<8xf64>, tensor<8xf64>) {
    %y = func.call @product(%A, %x) : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y, %x : tensor<8xf64>, tensor<8xf64>
  }
  return %r#1 : tensor<8xf64>
}
func.func private @product(%A: tensor<8x8xf64>, %x: tensor<8xf64>) -> tensor<8xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  %y = linalg.matvec ins(%A, %x : tensor<8x8xf64>, tensor<8xf64>) outs(%z : tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}

// Two that change places take a third.

// CHECK-LABEL: func @swapped
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK-NEXT:      %[[OLD:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK-NEXT:      %[[C:.*]] = bufferization.materialize_in_destination %[[P]] in %[[X]]
// CHECK-NEXT:      %[[D:.*]] = bufferization.materialize_in_destination %[[OLD]] in %[[P]]
// CHECK-NEXT:      scf.yield %[[C]], %[[D]]
func.func @swapped(%x0: tensor<8xf64>, %p0: tensor<8xf64>, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0, %p = %p0) -> (tensor<8xf64>, tensor<8xf64>) {
    scf.yield %p, %x : tensor<8xf64>, tensor<8xf64>
  }
  return %r#1 : tensor<8xf64>
}

// CHECK-LABEL: func @until
// CHECK:         ^bb0(%[[X:.*]]: tensor<8xf64>):
// CHECK:           %[[Y:.*]] = func.call @product
// CHECK-NEXT:      %[[C:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
// CHECK-NEXT:      scf.yield %[[C]]
func.func @until(%A: tensor<8x8xf64>, %x0: tensor<8xf64>, %limit: f64) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%x = %x0) : (tensor<8xf64>) -> tensor<8xf64> {
    %v = tensor.extract %x[%c0] : tensor<8xf64>
    %goesOn = arith.cmpf olt, %v, %limit : f64
    scf.condition(%goesOn) %x : tensor<8xf64>
  } do {
  ^bb0(%x: tensor<8xf64>):
    %y = func.call @product(%A, %x) : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// What has the extents of what is carried is copied; what may have others is once
// they were compared.

// CHECK-LABEL: func @same_extent
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK-NOT:       cf.assert
// CHECK:           materialize_in_destination %{{.*}} in %[[X]]
func.func @same_extent(%A: tensor<?x?xf64>, %x0: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<?xf64>) {
    %d = tensor.dim %x, %c0 : tensor<?xf64>
    %e = tensor.empty(%d) : tensor<?xf64>
    %y = linalg.generic #add ins(%x : tensor<?xf64>) outs(%e : tensor<?xf64>) {
    ^bb0(%a: f64, %o: f64):
      %s = arith.addf %a, %a : f64
      linalg.yield %s : f64
    } -> tensor<?xf64>
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// CHECK-LABEL: func @perhaps_same_extent
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[Y:.*]] = linalg.matvec
// CHECK:           %[[M:.*]] = tensor.dim %[[Y]], %{{.*}} : tensor<?xf64>
// CHECK:           %[[N:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?xf64>
// CHECK-NEXT:      %[[SAME:.*]] = arith.cmpi eq, %[[M]], %[[N]]
// CHECK-NEXT:      cf.assert %[[SAME]]
// CHECK-NEXT:      materialize_in_destination %[[Y]] in %[[X]]
func.func @perhaps_same_extent(%A: tensor<?x?xf64>, %x0: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<?xf64>) {
    %e = tensor.empty(%m) : tensor<?xf64>
    %y = linalg.matvec ins(%A, %x : tensor<?x?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
