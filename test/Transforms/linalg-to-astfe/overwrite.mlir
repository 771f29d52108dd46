// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --linalg-generalize-named-ops --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --convert-linalg-to-astfe --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// C = A B: a fill with the identity of the combiner is dead once the product
// writes its output.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#id = affine_map<(i) -> (i)>

// A constant of zeros, which upstream's passes make of a fill of known extents,
// is not copied to be added to.
// CHECK-LABEL: func.func @constant(
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         outs(%[[E]] : tensor<4xf32>) overwrite {
func.func @constant(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%zeros : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @constants(
// CHECK:         %[[C:.*]] = arith.constant dense<
// CHECK:         outs(%[[C]] : tensor<4xf32>) {
func.func @constants(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<4xf32> {
  %c = arith.constant dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The buffer that the output is was filled before, and is read by nobody else.
// CHECK-LABEL: func.func @filled_buffer(
// CHECK-NOT:     linalg.
// CHECK:         %[[T:.*]] = bufferization.to_tensor
// CHECK:         outs(%[[T]] : tensor<4xf32>) overwrite {
func.func @filled_buffer(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                         %m: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  %y = bufferization.to_tensor %m restrict writable
      : memref<4xf32> to tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %r in writable %m
      : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// Two computations begin with one fill.
// CHECK-LABEL: func.func @buffer_twice(
// CHECK:         linalg.{{fill|generic}}
// CHECK:         %[[T:.*]] = bufferization.to_tensor
// CHECK:         outs(%[[T]] : tensor<4xf32>) {
// CHECK:         outs(%[[T]] : tensor<4xf32>) {
func.func @buffer_twice(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                        %m: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  %y = bufferization.to_tensor %m restrict writable
      : memref<4xf32> to tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// Something is stored behind the fill, or somebody reads it.
// CHECK-LABEL: func.func @stored_behind(
// CHECK:         linalg.{{fill|generic}}
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
func.func @stored_behind(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                         %m: memref<4xf32>, %n: memref<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c2 = arith.constant 2 : index
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  memref.store %one, %n[%c2] : memref<4xf32>
  %y = bufferization.to_tensor %m restrict writable
      : memref<4xf32> to tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @read_behind(
// CHECK:         linalg.{{fill|generic}}
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
func.func @read_behind(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                       %m: memref<4xf32>) -> (f32, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  %y = bufferization.to_tensor %m restrict writable
      : memref<4xf32> to tensor<4xf32>
  %f = memref.load %m[%c2] : memref<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %f, %r : f32, tensor<4xf32>
}

// What was filled is wanted where the computation does not run.

// CHECK-LABEL: func.func @conditional(
// CHECK:         linalg.{{fill|generic}}
// CHECK-NOT:     overwrite
// CHECK:         return
func.func @conditional(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                       %m: memref<4xf32>, %c: i1) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  %y = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  scf.if %c {
    %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                       outs(%y : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %r in writable %m
        : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// The memory has another name.

// CHECK-LABEL: func.func @alias(
// CHECK:         linalg.{{fill|generic}}
// CHECK-NOT:     overwrite
// CHECK:         return
func.func @alias(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                 %base: memref<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %m = memref.subview %base[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32, strided<[1]>>)
  %y = bufferization.to_tensor %m restrict writable
      : memref<4xf32, strided<[1]>> to tensor<4xf32>
  %f = memref.load %base[%c2] : memref<8xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %r in writable %m
      : (tensor<4xf32>, memref<4xf32, strided<[1]>>) -> ()
  return %f : f32
}

// So has what a loop carries.

// CHECK-LABEL: func.func @carried_buffer(
// CHECK:         linalg.{{fill|generic}}
// CHECK-NOT:     overwrite
// CHECK:         return
func.func @carried_buffer(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                          %base: memref<4xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %base, %s = %zero)
      -> (memref<4xf32>, f32) {
    linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
    %y = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
    %f = memref.load %base[%c1] : memref<4xf32>
    %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                       outs(%y : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %r in writable %base
        : (tensor<4xf32>, memref<4xf32>) -> ()
    scf.yield %base, %f : memref<4xf32>, f32
  }
  return %end#1 : f32
}

// The fill does more than that.

// CHECK-LABEL: func.func @filled_and_stored(
// CHECK:         linalg.generic
// CHECK:           memref.store
// CHECK-NOT:     overwrite
// CHECK:         return
func.func @filled_and_stored(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                             %m: memref<4xf32>, %n: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%m : memref<4xf32>) {
  ^bb0(%old: f32):
    memref.store %zero, %n[%c0] : memref<1xf32>
    linalg.yield %zero : f32
  }
  %y = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %r in writable %m
      : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A buffer that only may be read is copied, and so is what it was filled with.
// CHECK-LABEL: func.func @read_only(
// CHECK:         linalg.{{fill|generic}}
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
func.func @read_only(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                     %m: memref<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  %y = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is filled is overwritten.
// CHECK-LABEL: func.func @filled(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NOT:     linalg.
// CHECK:         astfe.compute
// CHECK-NEXT:      outs(%[[Y]] : tensor<4xf32>) overwrite {
// REMARK:        [Passed] overwritten | Category:convert-linalg-to-astfe | Function=filled
func.func @filled(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                  %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         outs(%[[E]] : tensor<4xf32>) overwrite {
func.func @empty(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>)
    -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The caller says that the argument holds nothing.
// CHECK-LABEL: func.func @undefined(
// CHECK:         outs(%{{.*}} : tensor<4xf32>) overwrite {
func.func @undefined(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                     %y: tensor<4xf32> {astfe.undefined}) -> tensor<4xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A fill that captured its constant; others read it, so that it stays.
// CHECK-LABEL: func.func @shared_fill(
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[F:.*]] = linalg.generic
// CHECK:         %[[R:.*]] = astfe.compute
// CHECK-NEXT:      outs(%[[E]] : tensor<4xf32>) overwrite {
// CHECK:         return %[[R]], %[[F]]
func.func @shared_fill(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %r, %f : tensor<4xf32>, tensor<4xf32>
}

// A fill outside of a loop is what each trip begins with.
// CHECK-LABEL: func.func @other_block(
// CHECK:         scf.for
// CHECK:           outs(%{{.*}} : tensor<4xf32>) overwrite {
func.func @other_block(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                       %y: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%z = %y) -> tensor<4xf32> {
    %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                       outs(%f : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// CHECK-LABEL: func.func @argument(
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
// REMARK:        [Missed] added | Category:convert-linalg-to-astfe | Function=argument
// REMARK-SAME:   the output comes from outside of the function
func.func @argument(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                    %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @carried(
// CHECK:         scf.for
// CHECK:           outs(%{{.*}} : tensor<4xf32>) {
// REMARK:        [Missed] added | Category:convert-linalg-to-astfe | Function=carried
// REMARK-SAME:   the output is carried by a loop
func.func @carried(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                   %y: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%z = %f) -> tensor<4xf32> {
    %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                       outs(%z : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// One is no identity of addition, and a copy is no fill.
// CHECK-LABEL: func.func @ones(
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
// REMARK:        [Missed] added | Category:convert-linalg-to-astfe | Function=ones
// REMARK-SAME:   the output is no fill with the combiner's identity
func.func @ones(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                %y: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @copied(
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
func.func @copied(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                  %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %f = linalg.copy ins(%z : tensor<4xf32>) outs(%y : tensor<4xf32>)
    -> tensor<4xf32>
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A minimum may begin with any number, which is combined as often as it likes.
// CHECK-LABEL: func.func @minimum(
// CHECK-SAME:      %[[Y:[^ ]*]]: tensor<4xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         outs(%[[Y]] : tensor<4xf32>) overwrite {
// CHECK:           astfe.yield "minimumf" from 1.000000e+30 : f32 %{{.*}} : f32
// REMARK:        [Passed] overwritten | Category:convert-linalg-to-astfe | Function=minimum
// REMARK-SAME:   writes its output, which holds one number before
func.func @minimum(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
                   %y: tensor<4xf32>) -> tensor<4xf32> {
  %far = arith.constant 1.0e30 : f32
  %f = linalg.fill ins(%far : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
      outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%u: f32, %v: f32):
        %t = arith.addf %u, %v : f32
        sparse_tensor.yield %t : f32
      }
      left = {}
      right = {}
    %n = sparse_tensor.reduce %s, %c, %far : f32 {
      ^bb0(%u: f32, %v: f32):
        %t = arith.minimumf %u, %v : f32
        sparse_tensor.yield %t : f32
    }
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// From infinity on the other side nothing is subtracted.
// CHECK-LABEL: func.func @infinite(
// CHECK:         outs(%{{.*}} : tensor<4xf32>) {
func.func @infinite(%A: tensor<4x8xf32, #CSR>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %inf = arith.constant 0x7F800000 : f32
  %f = linalg.fill ins(%inf : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>,
        affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x8xf32, #CSR>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %n = sparse_tensor.reduce %a, %c, %inf : f32 {
      ^bb0(%u: f32, %v: f32):
        %t = arith.maximumf %u, %v : f32
        sparse_tensor.yield %t : f32
    }
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
