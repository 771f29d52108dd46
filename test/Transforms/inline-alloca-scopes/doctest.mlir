// RUN: astfe-opt %s --astfe-inline-alloca-scopes | FileCheck %s

func.func private @f()

// CHECK-LABEL: func.func @calls
// CHECK-NOT:     memref.alloca_scope
// CHECK-NOT:     llvm.intr.stack
// CHECK:         scf.for
// CHECK:           func.call @f()
func.func @calls(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  memref.alloca_scope {
    scf.for %i = %zero to %n step %one {
      func.call @f() : () -> ()
    }
  }
  return
}

// What allocates gives its memory back, and what it computed stays.
// CHECK-LABEL: func.func @allocates
// CHECK:         %[[STACK:.*]] = llvm.intr.stacksave
// CHECK:         memref.alloca()
// CHECK:         %[[SUM:.*]] = memref.load
// CHECK:         llvm.intr.stackrestore %[[STACK]]
// CHECK:         return %[[SUM]]
func.func @allocates(%x: f32) -> f32 {
  %r = memref.alloca_scope -> (f32) {
    %m = memref.alloca() : memref<f32>
    memref.store %x, %m[] : memref<f32>
    %v = memref.load %m[] : memref<f32>
    memref.alloca_scope.return %v : f32
  }
  return %r : f32
}

// So does what is put onto the stack later, the descriptor of an unranked buffer.
// CHECK-LABEL: func.func @unranked
// CHECK:         llvm.intr.stacksave
// CHECK:         memref.cast
// CHECK:         llvm.intr.stackrestore
func.func private @print(memref<*xf32>)
func.func @unranked(%m: memref<?xf32>) {
  memref.alloca_scope {
    %u = memref.cast %m : memref<?xf32> to memref<*xf32>
    func.call @print(%u) : (memref<*xf32>) -> ()
  }
  return
}
