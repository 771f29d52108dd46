// RUN: not astfe-opt %s --astfe-attach-profile 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx file=x.json" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=zigzag" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/missing.mtx" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=1" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=0 order=rows" 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=7" 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=2" 2>&1 | FileCheck %s --check-prefix=DENSE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx arg=-2" 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=panels panel=4294967297" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=panels panel=-3" 2>&1 | FileCheck %s --check-prefix=NEGATIVE

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// NONE:    error: expected one of the options 'file' and 'matrix'
// ORDER:   error: expected option 'order' to be rows, morton, hilbert or panels but got 'zigzag'
// MISSING: error: {{.*}}missing.mtx
// SHAPE:   error: the profile in '{{.*}}small.mtx' does not fit: expected shape 4x? but got 8x8
// ALONG:   error: the profile in '{{.*}}small.mtx' does not fit: expected order hilbert but got rows
// ABSENT:   error: expected a function whose argument 7 is sparse but got none
// DENSE:    error: expected a function whose argument 2 is sparse but got none
// BELOW:    error: expected option 'arg' to be at least -1 but got '-2'
// WIDE:     error: expected option 'panel' to be in 0..62 but got '4294967297'
// NEGATIVE: error: expected option 'panel' to be in 0..62 but got '-3'
func.func @f(%A: tensor<?x?xf32, #CSR>, %B: tensor<4x?xf32, #CSR>,
             %x: tensor<?xf32>)
    -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}
