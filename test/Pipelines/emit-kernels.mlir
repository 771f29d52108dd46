// RUN: rm -rf %t
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed chip=sm_86" --astfe-emit-kernels=directory=%t | FileCheck %s
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/spmm_kernels.ptx
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/spmm_kernels.tile128.json
// RUN: astfe-opt %s --astfe-to-ptx="format=llvm" --astfe-emit-kernels=directory=%t -o /dev/null
// RUN: llvm-dis %t/spmm_kernels.bc -o - | FileCheck %s --check-prefix=LLVM
// RUN: not astfe-opt %s --astfe-emit-kernels=directory=%t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed deterministic=true" --astfe-emit-kernels=directory=%t/a/b -o /dev/null
// RUN: FileCheck %s --check-prefix=PARTIALS --input-file=%t/a/b/spmm_kernels.tile128.json
// RUN: sed 's/%%C: tensor<?x128xf32>/%%C: tensor<?x128xf32> {astfe.undefined}/' %s > %t/overwrite.mlir
// RUN: astfe-opt %t/overwrite.mlir --astfe-to-ptx="storage=packed" --astfe-emit-kernels=directory=%t/c -o /dev/null
// RUN: FileCheck %s --check-prefix=START --input-file=%t/c/spmm_kernels.tile128.json
// RUN: mkdir -p %t/taken/spmm_kernels.ptx
// RUN: not astfe-opt %s --astfe-to-ptx --astfe-emit-kernels=directory=%t/taken 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not astfe-opt %s --astfe-to-ptx --astfe-emit-kernels=directory=%t/spmm_kernels.ptx/d 2>&1 | FileCheck %s --check-prefix=FOLDER

// What a caller must know stays on the gpu.binary, and becomes files for one
// that has neither MLIR nor ASTFE.

// CHECK:      gpu.binary @spmm_kernels
// CHECK-SAME: astfe.element = f32
// CHECK-SAME: astfe.kernels = {tile128 = {astfe.arguments = ["worker_span", {{.*}}"column_count"], astfe.column_tile = 128 : i64
// CHECK-SAME: astfe.layout = "#astfe.layout<packed

// TAKEN: error: {{.*}}/taken/spmm_kernels.ptx: cannot write

// FILES:     spmm_kernels.ptx
// FILES:     spmm_kernels.tile128.json
// FILES:     spmm_kernels.tile128_wide.json

// PTX:       .target sm_86
// PTX:       .visible .entry tile128(

// JSON:      "entry": "tile128",
// JSON-NEXT: "chip": "sm_86",
// JSON:      "worker_span",
// JSON:      "column_tile": 128,
// JSON-NEXT: "wide": false,
// JSON-NEXT: "vector": 0,
// JSON-NEXT: "others": [
// JSON-NEXT:   {
// JSON-NEXT:     "entry": "tile128_wide",
// JSON-NEXT:     "column_tile": 128,
// JSON-NEXT:     "wide": true,
// JSON-NEXT:     "vector": 0
// JSON-NEXT:   }
// JSON-NEXT: ],
// JSON-NEXT: "block_threads": 128,
// JSON-NEXT: "workers_per_block": 4,
// JSON-NEXT: "companions": [],
// JSON-NEXT: "element": "f32",
// JSON-NEXT: "combiner": "addf",
// JSON:      "storage": "packed",
// JSON:      "ptx": "spmm_kernels.ptx"

// LLVM:      define ptx_kernel void @tile128(

// NONE:      error: expected a gpu.binary of astfe-to-ptx to write but got none
// FOLDER:    error: expected the folder '{{.*}}spmm_kernels.ptx/d' to be there or to be made but got: Not a directory

// Kernels that run before and after are in the same file.

// PARTIALS:  "segment_target",
// PARTIALS:  "companions": [
// PARTIALS:    "entry": "combine",
// PARTIALS:      "combine_row",
// PARTIALS:    "block_threads": 128
// PARTIALS:    "entry": "fill",
// PARTIALS:      "partials",
// PARTIALS-NEXT: "count"
// START:     "marks",
// START:     "companions": [
// START:       "entry": "start",
// START-NEXT:  "arguments": [
// START-NEXT:    "gap_begin",
// START-NEXT:    "gap_end",
// START-NEXT:    "combine_row",
// START-NEXT:    "output",
// START-NEXT:    "gaps",
// START-NEXT:    "shared_rows",
// START-NEXT:    "column_count"

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32
}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x128xf32>)
                     outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}
