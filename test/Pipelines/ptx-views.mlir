// RUN: not astfe-opt %s --astfe-to-ptx 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx=storage=packed | FileCheck %s --check-prefix=PACKED

// Where nobody packs, a matrix by columns has no kernel: the op says what to do.

// CHECK: error: 'linalg.generic' op expected a computation that a kernel is made of, but it is left to the host: expected a view of a CSR tensor on a GPU; pack other formats
// PACKED: gpu.binary

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

func.func @csc(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSC>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
