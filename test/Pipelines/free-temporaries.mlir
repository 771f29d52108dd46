// RUN: astfe-opt %s --astfe-free-temporaries | FileCheck %s
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-cpu="storage=packed fuse=false" --mlir-print-ir-after=astfe-free-temporaries -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx="storage=packed fuse=false host=true" --mlir-print-ir-after=astfe-free-temporaries -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-cpu --mlir-print-ir-after=astfe-free-temporaries -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx=host=true --mlir-print-ir-after=astfe-free-temporaries -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// Four arrays of attention one computation after the other: scores, which
// exponentials and weights are written over, maxima, exponentials and sums. As one
// chain it has none.

// CHAIN-COUNT-4: memref.dealloc
// CHAIN-NOT:     memref.{{alloc|dealloc}}
// NONE:          func.func @attention
// NONE-NOT:      memref.alloc

// CHECK-LABEL: @between
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         memref.copy
// CHECK:         scf.for
// CHECK-NOT:     dealloc
// CHECK:         memref.store
// CHECK:         }
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return
func.func @between(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  %half = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.for %i = %c0 to %c4 step %c1 {
    %e = memref.load %half[%i] : memref<4xf32, strided<[1], offset: 4>>
    memref.store %e, %y[%i] : memref<8xf32>
  }
  return
}

// One of each trip.
// CHECK-LABEL: @inside
// CHECK:         scf.for
// CHECK:         memref.alloc
// CHECK:         memref.load
// CHECK-NEXT:    memref.dealloc
// CHECK:         }
func.func @inside(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf32>
    memref.copy %x, %a : memref<8xf32> to memref<8xf32>
    %e = memref.load %a[%i] : memref<8xf32>
    memref.store %e, %x[%c0] : memref<8xf32>
  }
  return
}

// Loops that hand on the same buffer in each trip.

// CHECK-LABEL: @carried
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         scf.for
// CHECK:         memref.copy
// CHECK:         memref.copy
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return
func.func @carried(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> memref<8xf32> {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%c = %b) -> memref<8xf32> {
      memref.copy %x, %c : memref<8xf32> to memref<8xf32>
      scf.yield %c : memref<8xf32>
    }
    scf.yield %inner : memref<8xf32>
  }
  memref.copy %last, %x : memref<8xf32> to memref<8xf32>
  return
}

// One of two is freed where neither that nor what is selected is read again.
// CHECK-LABEL: @selected
// CHECK:         memref.copy %{{.*}}, %[[ONE:.*]] : memref<8xf32>
// CHECK-NEXT:    memref.dealloc %{{.*}} : memref<8xf32>
// CHECK-NEXT:    return
func.func @selected(%x: memref<8xf32>, %y: memref<8xf32>, %which: i1) {
  %chosen = memref.alloc() : memref<8xf32>
  %one = arith.select %which, %x, %chosen : memref<8xf32>
  memref.copy %y, %one : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: @unused
// CHECK-NEXT:    return
func.func @unused() {
  %a = memref.alloc() : memref<8xf32>
  return
}

// Others see these: who is called, another trip, who reads what is stored there, and
// whoever has the address, and what runs later.
func.func private @see(%a: memref<8xf32>)

// CHECK-LABEL: @seen
// CHECK-NOT:     dealloc
// CHECK-LABEL: @freed
func.func @seen(%x: memref<8xf32>, %to: memref<1xmemref<8xf32>>, %n: index, %which: i1)
    -> (memref<8xf32>, index, memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %returned = memref.alloc() : memref<8xf32>
  %called = memref.alloc() : memref<8xf32>
  func.call @see(%called) : (memref<8xf32>) -> ()
  %stored = memref.alloc() : memref<8xf32>
  memref.store %stored, %to[%c0] : memref<1xmemref<8xf32>>
  %carried = memref.alloc() : memref<8xf32>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %carried, %c = %x)
      -> (memref<8xf32>, memref<8xf32>) {
    memref.copy %c, %b : memref<8xf32> to memref<8xf32>
    scf.yield %c, %b : memref<8xf32>, memref<8xf32>
  }
  memref.copy %last#0, %last#1 : memref<8xf32> to memref<8xf32>
  %chosen = memref.alloc() : memref<8xf32>
  %one = arith.select %which, %x, %chosen : memref<8xf32>
  memref.copy %x, %one : memref<8xf32> to memref<8xf32>
  memref.store %one, %to[%c0] : memref<1xmemref<8xf32>>
  %named = memref.alloc() : memref<8xf32>
  %address = memref.extract_aligned_pointer_as_index %named : memref<8xf32> -> index
  %cast = memref.alloc() : memref<8xf32>
  %number = builtin.unrealized_conversion_cast %cast : memref<8xf32> to i64
  %branch = memref.alloc() : memref<8xf32>
  %either = scf.if %which -> (memref<8xf32>) {
    scf.yield %branch : memref<8xf32>
  } else {
    scf.yield %x : memref<8xf32>
  }
  memref.copy %x, %either : memref<8xf32> to memref<8xf32>
  %task = memref.alloc() : memref<8xf32>
  %token = async.execute {
    memref.copy %x, %task : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %viewed = memref.alloc() : memref<8xf32>
  %view = memref.cast %viewed : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %same = memref.cast %view : memref<8xf32, strided<[?], offset: ?>> to memref<8xf32>
  return %returned, %address, %same : memref<8xf32>, index, memref<8xf32>
}

// CHECK:         memref.dealloc
// CHECK-NOT:     memref.dealloc
// CHECK-LABEL: @end
func.func @freed(%x: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}
func.func @end() {
  return
}

// Branches that yield one buffer, or allocate one each, of the same size.

// CHECK-LABEL: @branches(
// CHECK:         %[[A:.*]] = memref.alloc(%[[N:.*]])
// CHECK:         %[[D:.*]] = memref.dim %[[A]]
// CHECK:         %[[B:.*]] = memref.alloc(%[[D]])
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:      memref.copy %[[X:.*]], %[[A]]
// CHECK-NEXT:      memref.copy %[[A]], %[[B]]
// CHECK-NOT:     memref.alloc
// CHECK:         memref.dealloc %[[A]]
// CHECK-NEXT:    memref.copy %[[B]], %[[X]]
// CHECK-NEXT:    memref.dealloc %[[B]]
// CHECK-NEXT:    return
func.func @branches(%x: memref<?xf32>, %g: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %r:2 = scf.if %g -> (memref<?xf32>, memref<?xf32>) {
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    %d = memref.dim %a, %c0 : memref<?xf32>
    %b = memref.alloc(%d) : memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  } else {
    %d = memref.dim %a, %c0 : memref<?xf32>
    %b = memref.alloc(%d) : memref<?xf32>
    memref.copy %x, %b : memref<?xf32> to memref<?xf32>
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  }
  memref.copy %r#1, %x : memref<?xf32> to memref<?xf32>
  return
}

// Other sizes, one that a branch reads, and a buffer of the caller's.

// CHECK-LABEL: @other_branches(
// CHECK:         %{{.*}}:3 = scf.if %{{.*}} -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
// CHECK-NOT:     dealloc
// CHECK:         return
func.func @other_branches(%x: memref<?xf32>, %s: memref<index>, %g: i1, %n: index, %m: index) {
  %r:3 = scf.if %g -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    %a = memref.alloc(%n) : memref<?xf32>
    %d = memref.load %s[] : memref<index>
    %b = memref.alloc(%d) : memref<?xf32>
    %c = memref.alloc(%n) : memref<?xf32>
    scf.yield %a, %b, %c : memref<?xf32>, memref<?xf32>, memref<?xf32>
  } else {
    %a = memref.alloc(%m) : memref<?xf32>
    %d = memref.load %s[] : memref<index>
    %b = memref.alloc(%d) : memref<?xf32>
    scf.yield %a, %b, %x : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  memref.copy %r#0, %x : memref<?xf32> to memref<?xf32>
  memref.copy %r#1, %x : memref<?xf32> to memref<?xf32>
  memref.copy %r#2, %x : memref<?xf32> to memref<?xf32>
  return
}
