// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-partition --astfe-refine --astfe-fuse \
// RUN:   --astfe-to-cpu=storage=packed --mlir-print-ir-after=astfe-fuse -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-partition --astfe-refine \
// RUN:   --astfe-to-cpu=storage=packed --mlir-print-ir-after=astfe-fuse -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFINED
// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-attach-profile=matrix=%S/Inputs/eye.mtx \
// RUN:   --astfe-partition --astfe-refine --astfe-fuse \
// RUN:   --astfe-to-cpu=storage=packed --remarks-filter='.*(refine|fuse).*' --remark-policy=all -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KNOWN

// A pipeline takes a module from any stage on and repeats no step.

// BOTH:         IR Dump After FusePass
// BOTH:         IR Dump After FusePass
// BOTH-COUNT-1: = astfe.refine
// BOTH-NOT:     = astfe.refine
// BOTH-COUNT-1: = astfe.fuse
// BOTH-NOT:     = astfe.{{refine|fuse}}

// REFINED:         IR Dump After FusePass
// REFINED-COUNT-1: = astfe.refine
// REFINED-NOT:     = astfe.refine
// REFINED:         = astfe.fuse

// KNOWN-DAG: [Passed] added | Category:astfe-refine
// KNOWN-DAG: [Passed] added | Category:astfe-fuse
// KNOWN-DAG: [Missed] kept | Category:astfe-refine | Function=spmv | Reason="the graph has had this step"
// KNOWN-DAG: [Missed] kept | Category:astfe-fuse | Function=spmv | Reason="the graph has had this step"

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
