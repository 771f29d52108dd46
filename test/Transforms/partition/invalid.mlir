// RUN: not astfe-opt %s --astfe-partition="storage=view order=hilbert" 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not astfe-opt %s --astfe-partition=order=zigzag 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not astfe-opt %s --astfe-partition=storage=dense 2>&1 | FileCheck %s --check-prefix=STORAGE
// RUN: not astfe-opt %s --astfe-partition=reorder=metis 2>&1 | FileCheck %s --check-prefix=REORDER
// RUN: not astfe-opt %s --astfe-partition=hubs=-3 2>&1 | FileCheck %s --check-prefix=HUBS
// RUN: not astfe-opt %s --astfe-partition="storage=view reorder=rcm" 2>&1 | FileCheck %s --check-prefix=MOVES
// RUN: not astfe-opt %s --astfe-attach-profile=matrix=%S/../attach-profile/Inputs/small.mtx \
// RUN:   --astfe-partition=order=hilbert 2>&1 | FileCheck %s --check-prefix=ALONG

// RUN: not astfe-opt %s --astfe-attach-profile="matrix=%S/../attach-profile/Inputs/small.mtx order=panels panel=2" \
// RUN:   --astfe-partition="order=panels panel=3" 2>&1 | FileCheck %s --check-prefix=PANEL

// VIEW:    error: expected option 'order' to be rows for storage=view but got 'hilbert'
// ORDER:   error: expected option 'order' to be rows, morton, hilbert, panels or auto but got 'zigzag'
// STORAGE: error: expected option 'storage' to be view or packed but got 'dense'
// REORDER: error: expected option 'reorder' to be none, labels, rcm, twins or auto but got 'metis'
// HUBS:    error: expected option 'hubs' to be none, auto or a number from 1 but got '-3'
// MOVES:   error: expected option 'storage' to be packed for numbers that change but got 'view'
// ALONG:   error: 'astfe.pack' op has a known profile that does not fit: expected order hilbert but got rows
// PANEL:   error: 'astfe.pack' op has a known profile that does not fit: expected order panels(3) but got panels(2)

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
