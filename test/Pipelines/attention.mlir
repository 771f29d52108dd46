// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py multiply > %t.multiply.mlir
// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py add scale=0.125 dim=? > %t.add.mlir
// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py pattern type=f64 dim=16 rows=61 columns=90 width=32 > %t.pattern.mlir
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-cpu --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.cpu 2>&1 | FileCheck %s -DCOUNT=5
// RUN: astfe-opt %t.multiply.mlir --astfe-sparsifier --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.sparsifier 2>&1 | FileCheck %s -DCOUNT=5
// RUN: astfe-opt %t.add.mlir --astfe-to-cpu --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.cpu 2>&1 | FileCheck %s -DCOUNT=6
// RUN: astfe-opt %t.pattern.mlir --astfe-to-cpu --remarks-filter='(astfe-.*fuse.*|convert-astfe-to-scf)' -o %t.cpu 2>&1 | FileCheck %s -DCOUNT=5
// RUN: astfe-opt %t.add.mlir --astfe-to-cpu="storage=packed fuse=false" --remarks-filter='(astfe-.*fuse-.*)' -o %t.packed 2>&1 | FileCheck %s --check-prefix=APART -DCOUNT=6
// RUN: astfe-opt %t.add.mlir --astfe-to-cpu=storage=packed --remarks-filter='(astfe-.*fuse.*|astfe-partition|convert-astfe-to-scf)' -o %t.packed 2>&1 | FileCheck %s --check-prefix=STORED -DCOUNT=6 -DTARGET=scf
// RUN: astfe-opt %t.add.mlir --astfe-to-ptx="chip=sm_90 storage=packed" --remarks-filter='(astfe-.*fuse.*|astfe-partition|convert-astfe-to-gpu)' -o %t.packed 2>&1 | FileCheck %s --check-prefix=STORED -DCOUNT=6 -DTARGET=gpu
// RUN: astfe-opt %t.add.mlir --astfe-to-cpu="storage=packed fuse=false" --mlir-print-ir-after=astfe-merge-inspectors -o %t.packed 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: astfe-opt %t.add.mlir --astfe-to-ptx="chip=sm_90 storage=packed fuse=false" --remarks-filter='(astfe-.*fuse-.*)' -o %t.ptx 2>&1 | FileCheck %s --check-prefix=APART -DCOUNT=6
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx

// Sparse attention is one chain, whatever its mask: sampled scores, their scale
// and mask, the row's maximum, exponentials, their sum, and the product with V.
// Whoever asks for packed storage gets the chain, too, over the matrix where it is
// stored: it gathers the same, once. On request there is a kernel for each
// computation, all over one packed pattern.

// CHECK-NOT: kept-apart
// CHECK:     [Passed] fused | Category:astfe-fuse-computes | Function=attention | {{.*}}computations=[[COUNT]], epilogues=0
// CHECK-NOT: kept-apart
// CHECK:     [Passed] fused | Category:convert-astfe-to-scf
// CHECK-NOT: vectors

// STORED:     [Passed] fused | Category:astfe-fuse-computes | Function=attention | {{.*}}computations=[[COUNT]], epilogues=0
// STORED-NOT: unfused
// STORED:     [Missed] kept | Category:astfe-partition | Function=attention | Reason="a chain over it is one kernel, which reads the matrix where it is stored"
// STORED:     [Passed] fused | Category:convert-astfe-to-[[TARGET]]
// STORED-NOT: vectors

// APART: [Passed] fused | Category:astfe-fuse-computes | Function=attention | {{.*}}computations=[[COUNT]], epilogues=0
// APART: [Missed] unfused | Category:astfe-unfuse-computes | Function=attention

// ONCE:     astfe.pack
// ONCE-NOT: astfe.pack
// PTX-COUNT-2: .visible .entry
