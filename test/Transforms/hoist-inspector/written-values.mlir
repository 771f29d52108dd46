// DEFINE: %{levels} = i : compressed(nonunique), j : singleton
// DEFINE: %{moved} = sed -e 's/LEVELS/%{levels}/' %s | astfe-opt \
// DEFINE:   --convert-linalg-to-astfe=storage=packed --astfe-partition \
// DEFINE:   --astfe-hoist-inspector --astfe-merge-inspectors
// DEFINE: %{run} = %{moved} --remarks-filter=astfe-hoist-inspector 2> %t | FileCheck %s
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: %{moved} --astfe-split-inspector=with-values | FileCheck %s --check-prefix=SPLIT
// REDEFINE: %{levels} = i : compressed, j : compressed
// RUN: %{run}
// REDEFINE: %{levels} = i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense
// RUN: %{run}

// Values that the program writes through sparse_tensor.values are put in order in
// front of each computation, where the pattern is packed once. Those of other
// matrices, and those that are only read, are put in order once.

// REMARK-COUNT-4: remark: [Missed] kept {{.*}}Reason="its values are written through sparse_tensor.values, so that they are put in order for each computation"
// REMARK-NOT:     remark: [Missed]

#S = #sparse_tensor.encoding<{map = (i, j) -> (LEVELS)}>
#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>

// CHECK-LABEL: func @between(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<8x8xf64, #{{[a-zA-Z0-9]*}}>, %[[O:[^:]*]]: tensor
// CHECK:         %[[P:.*]] = astfe.pack %[[A]]
// CHECK:         %[[V:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         astfe.compute over %[[P]] {{.*}}
// CHECK-NEXT:      ins(%[[V]],
// CHECK:         memref.store
// CHECK-NOT:     astfe.pack %[[A]]
// CHECK:         %[[W:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         astfe.compute over %[[P]] {{.*}}
// CHECK-NEXT:      ins(%[[W]],
// CHECK:         astfe.pack %[[O]]
// CHECK:         astfe.values %[[O]]
// CHECK-NOT:     astfe.values
// CHECK:         return

// SPLIT-LABEL: func.func @between_prepare(
// SPLIT-COUNT-2: astfe.pack
// SPLIT:         %[[V:.*]] = astfe.values
// SPLIT-NOT:     astfe.values
// SPLIT:         return
// SPLIT-LABEL: func.func @between_run(
// SPLIT:         astfe.values
// SPLIT:         memref.store
// SPLIT:         astfe.values
// SPLIT-NOT:     astfe.values
// SPLIT:         return
func.func @between(%A: tensor<8x8xf64, #S>, %O: tensor<8x8xf64, #S>,
                   %X: tensor<8x4xf64>, %Y: tensor<8x4xf64>, %h: f64) -> tensor<8x4xf64> {
  %c0 = arith.constant 0 : index
  %0 = linalg.matmul ins(%A, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%Y : tensor<8x4xf64>) -> tensor<8x4xf64>
  %v = sparse_tensor.values %A : tensor<8x8xf64, #S> to memref<?xf64>
  memref.store %h, %v[%c0] : memref<?xf64>
  %1 = linalg.matmul ins(%A, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%0 : tensor<8x4xf64>) -> tensor<8x4xf64>
  %2 = linalg.matmul ins(%O, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%1 : tensor<8x4xf64>) -> tensor<8x4xf64>
  %3 = linalg.matmul ins(%O, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%2 : tensor<8x4xf64>) -> tensor<8x4xf64>
  return %3 : tensor<8x4xf64>
}

// A function that is handed the buffer may write it.

func.func private @write(memref<?xf64>)

// CHECK-LABEL: func @loop(
// CHECK:         %[[P:.*]] = astfe.pack
// CHECK:         scf.for
// CHECK:           astfe.values {{.*}} in %[[P]]
// CHECK:           astfe.compute
// CHECK:           call @write
func.func @loop(%A: tensor<8x8xf64, #S>, %X: tensor<8x4xf64>, %Y: tensor<8x4xf64>, %trips: index) -> tensor<8x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = sparse_tensor.values %A : tensor<8x8xf64, #S> to memref<?xf64>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%z = %Y) -> tensor<8x4xf64> {
    %0 = linalg.matmul ins(%A, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%z : tensor<8x4xf64>) -> tensor<8x4xf64>
    func.call @write(%v) : (memref<?xf64>) -> ()
    scf.yield %0 : tensor<8x4xf64>
  }
  return %r : tensor<8x4xf64>
}

// CHECK-LABEL: func @read(
// CHECK:         astfe.values
// CHECK:         scf.for
// CHECK-NOT:       astfe.values
// CHECK:         return
func.func @read(%A: tensor<8x8xf64, #S>, %X: tensor<8x4xf64>, %Y: tensor<8x4xf64>, %trips: index) -> tensor<8x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = sparse_tensor.values %A : tensor<8x8xf64, #S> to memref<?xf64>
  %part = memref.subview %v[1] [1] [1] : memref<?xf64> to memref<1xf64, strided<[1], offset: 1>>
  %size = memref.dim %v, %c0 : memref<?xf64>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%z = %Y) -> tensor<8x4xf64> {
    %0 = linalg.matmul ins(%A, %X : tensor<8x8xf64, #S>, tensor<8x4xf64>) outs(%z : tensor<8x4xf64>) -> tensor<8x4xf64>
    %first = memref.load %part[%c0] : memref<1xf64, strided<[1], offset: 1>>
    vector.print %first : f64
    scf.yield %0 : tensor<8x4xf64>
  }
  return %r : tensor<8x4xf64>
}

// The callers of a function pack for it, and it puts the values in order itself.

// CHECK-LABEL: func private @product(
// CHECK-SAME:    %[[P:[^:]*]]: !astfe.blocked<8x8x8, #{{[a-z0-9_]*}}>
// CHECK:         astfe.values {{.*}} in %[[P]]
func.func private @product(%T: tensor<8x8x8xf64, #CSF>, %X: tensor<8x4xf64>, %Y: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, r) -> (i, j, k)>, affine_map<(i, j, k, r) -> (j, r)>,
                       affine_map<(i, j, k, r) -> (k, r)>, affine_map<(i, j, k, r) -> (i, r)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%T, %X, %X : tensor<8x8x8xf64, #CSF>, tensor<8x4xf64>, tensor<8x4xf64>) outs(%Y : tensor<8x4xf64>) {
  ^bb0(%t: f64, %b: f64, %c: f64, %m: f64):
    %p = arith.mulf %t, %b : f64
    %q = arith.mulf %p, %c : f64
    %s = arith.addf %m, %q : f64
    linalg.yield %s : f64
  } -> tensor<8x4xf64>
  return %0 : tensor<8x4xf64>
}

// CHECK-LABEL: func @calls(
// CHECK:         astfe.pack
// CHECK-NOT:     astfe.pack
// CHECK-NOT:     astfe.values
// CHECK:         return
func.func @calls(%T: tensor<8x8x8xf64, #CSF>, %X: tensor<8x4xf64>, %Y: tensor<8x4xf64>, %h: f64) -> tensor<8x4xf64> {
  %c0 = arith.constant 0 : index
  %0 = call @product(%T, %X, %Y) : (tensor<8x8x8xf64, #CSF>, tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  %v = sparse_tensor.values %T : tensor<8x8x8xf64, #CSF> to memref<?xf64>
  memref.store %h, %v[%c0] : memref<?xf64>
  %1 = call @product(%T, %X, %0) : (tensor<8x8x8xf64, #CSF>, tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %1 : tensor<8x4xf64>
}
