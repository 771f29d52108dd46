// RUN: not astfe-opt %s --astfe-attach-profile 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx file=x.json" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=zigzag" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/missing.mtx" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=1" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=0 order=rows" 2>&1 | FileCheck %s --check-prefix=ALONG

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// NONE:    error: expected one of the options 'file' and 'matrix'
// ORDER:   error: expected option 'order' to be rows, morton, hilbert or panels but got 'zigzag'
// MISSING: error: {{.*}}missing.mtx
// SHAPE:   error: the profile in '{{.*}}small.mtx' does not fit: expected shape 4x? but got 8x8
// ALONG:   error: 'astfe.profile' op expected a profile along 'hilbert' but '{{.*}}small.mtx' has one along 'rows'
func.func @f(%A: tensor<?x?xf32, #CSR>, %B: tensor<4x?xf32, #CSR>)
    -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}
