// UNSUPPORTED: asan
// (a plain C program cannot link what the sanitizer was built into)
// RUN: astfe-opt %s --astfe-to-cpu=openmp=false \
// RUN:   | mlir-translate --mlir-to-llvmir | llc --filetype=obj -o %t.o --relocation-model=pic
// RUN: %cc %S/Inputs/own-gemm.c %t.o -L%astfe_lib -lastfe_runtime \
// RUN:   -Wl,-rpath,%astfe_lib -lm -o %t && %t | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s --check-prefix=GUEST

// A layer of a graph network, R = A (X W): the sparse product is ours, the dense
// one calls somebody's own gemm on buffers. Nothing is copied for the call.

// CHECK: gemm 3 x 2 x 2
// CHECK: 15 22 9 12

// GUEST-NOT: call @memrefCopy
// GUEST:     call @{{(_mlir_ciface_)?}}gemm

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

func.func private @gemm(memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>)
    attributes {llvm.emit_c_interface}

func.func @layer(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x?xf32>,
                 %W: tensor<?x?xf32>,
                 %R: tensor<?x?xf32> {astfe.undefined}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %X, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %W, %c1 : tensor<?x?xf32>
  %x = bufferization.to_buffer %X read_only : tensor<?x?xf32> to memref<?x?xf32>
  %w = bufferization.to_buffer %W read_only : tensor<?x?xf32> to memref<?x?xf32>
  %h = memref.alloc(%rows, %columns) : memref<?x?xf32>
  call @gemm(%x, %w, %h)
    : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  %H = bufferization.to_tensor %h restrict : memref<?x?xf32> to tensor<?x?xf32>
  %r = linalg.matmul ins(%A, %H : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%R : tensor<?x?xf32>) -> tensor<?x?xf32>
  memref.dealloc %h : memref<?x?xf32>
  return %r : tensor<?x?xf32>
}
