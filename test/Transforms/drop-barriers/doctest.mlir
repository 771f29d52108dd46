// RUN: astfe-opt %s --astfe-drop-barriers | FileCheck %s

// CHECK-LABEL: func.func @last
// CHECK:         omp.wsloop nowait
func.func @last(%n: index, %x: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%zero) to (%n) step (%one) {
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// What follows the loop may read what other threads wrote.
// CHECK-LABEL: func.func @before
// CHECK:         omp.wsloop {
// CHECK:         memref.load
func.func @before(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%zero) to (%n) step (%one) {
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    %first = memref.load %x[%zero] : memref<?xf32>
    memref.store %first, %y[%zero] : memref<?xf32>
    omp.terminator
  }
  return
}
