// RUN: not astfe-opt %s --astfe-partition="storage=view order=hilbert" 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not astfe-opt %s --astfe-partition=order=zigzag 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not astfe-opt %s --astfe-partition=storage=dense 2>&1 | FileCheck %s --check-prefix=STORAGE
// RUN: not astfe-opt %s --astfe-attach-profile=matrix=%S/../attach-profile/Inputs/small.mtx \
// RUN:   --astfe-partition=order=hilbert 2>&1 | FileCheck %s --check-prefix=ALONG

// VIEW:    error: expected option 'order' to be rows for storage=view but got 'hilbert'
// ORDER:   error: expected option 'order' to be rows, morton, hilbert or panels but got 'zigzag'
// STORAGE: error: expected option 'storage' to be packed or view but got 'dense'
// ALONG:   error: 'astfe.pack' op expected a known profile along 'hilbert' but got one along 'rows'

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
