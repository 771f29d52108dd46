// UNSUPPORTED: asan
// (a plain C program cannot link what the sanitizer was built into)
// RUN: astfe-opt %s --astfe-to-cpu=openmp=false \
// RUN:   | mlir-translate --mlir-to-llvmir | llc --filetype=obj -o %t.o --relocation-model=pic
// RUN: %cc %S/Inputs/entry.c %t.o -L%astfe_lib -lASTFERuntime -lASTFECore -lstdc++ -lm -ldl -lpthread -o %t && %t | FileCheck %s --check-prefix=RESULT
// RUN: %cc %S/Inputs/extents.c %t.o -L%astfe_lib -lASTFERuntime -lASTFECore -lstdc++ -lm -ldl -lpthread -o %t.extents
// RUN: %t.extents | FileCheck %s --check-prefix=EXTENTS
// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s --check-prefix=OMP
// RUN: astfe-opt %s --astfe-to-cpu=openmp=false | FileCheck %s --check-prefix=SERIAL
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed order=hilbert leaf=64 min=16 threshold=0.75 workers=3 cache=4096 panel=5" \
// RUN:   | FileCheck %s --check-prefix=PACKED
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed columns=24" --mlir-print-ir-after=astfe-fuse -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COLUMNS
// RUN: astfe-opt %s --astfe-to-cpu=fma=false | FileCheck %s --check-prefix=EXACT

// The same C program as in entry.mlir, with ASTFE's kernel.

// RESULT: 111 14 9 12 in place

// Extents that disagree: an error, and nothing is written.

// EXTENTS:      100 0 0 0
// EXTENTS-NEXT: expected operands of a computation whose extents agree with each other and with the pattern

// Viewed: no copy, nothing left to lower; the one runtime call says that extents
// differ.

// OMP-NOT:   @malloc
// OMP-NOT:   llvm.call @astfe
// OMP:       omp.wsloop
// OMP-NOT:   llvm.call @astfe
// OMP:       llvm.call @astfe_rt_report
// OMP-NOT:   llvm.call @astfe
// OMP-NOT:   builtin.unrealized_conversion_cast
// OMP:       llvm.func @_mlir_ciface_spmm
// SERIAL-NOT: omp.

// EXACT-NOT: #llvm.fastmath<contract>

// COLUMNS:    astfe.fuse {{.*}} columns = 24

// PACKED:     llvm.call @astfe_rt_profile_p32c32
// PACKED:     llvm.call @astfe_rt_partition
// PACKED:     llvm.call @astfe_rt_refine
// PACKED:     llvm.call @astfe_rt_fuse
// PACKED:     llvm.call @astfe_rt_pack_p32c32
// PACKED:     omp.wsloop

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
