// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=1 order=hilbert min=64" | FileCheck %s --check-prefix=ARG
// RUN: astfe-opt %s --astfe-attach-profile="file=%S/Inputs/measured.json arg=0" | FileCheck %s --check-prefix=FILE
// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=panels panel=1 min=8" \
// RUN:   --remarks-filter='.*attach.*' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=REMARK

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// ARG:      func.func @two(%{{.*}}: tensor<?x?xf32, #{{[a-z]*}}>, %{{.*}}: tensor<?x?xf32, #{{[a-z]*}}> {astfe.profile = #astfe.profile<hilbert [8, 8] {
// FILE:     func.func @two(%{{.*}}: tensor<?x?xf32, #{{[a-z]*}}> {astfe.profile = #astfe.profile<rows [8, 8] measured [cycles] {
// FILE:     b0 : 7 (700) b1 : 5 (500)
// FILE:     kernel "spmm" target "sm_90"
// REMARK:     [Passed] attached | Category:astfe-attach-profile | Function=two | argument=0, bins=2
// REMARK:     [Passed] attached | Category:astfe-attach-profile | Function=two | argument=1, bins=2
func.func @two(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32, #CSR>) {
  return
}
