// RUN: astfe-opt %s --astfe-sparsifier="vl=8 enable-x86vector=true" --dump-pass-pipeline 2>&1 | FileCheck %s

// Upstream's passes, in upstream's order, with ours around bufferization alone.

// CHECK:      linalg-generalize-named-ops
// CHECK:      linalg-fuse-elementwise-ops
// CHECK:      convert-linalg-to-astfe
// CHECK-NOT:  {{^ *}}c{{se|anonicalize}}
// CHECK:      sparsification-and-bufferization{{.*}}vl=8
// CHECK:      sparse-storage-specifier-to-llvm
// CHECK:      canonicalize
// CHECK:      convert-linalg-to-loops
// CHECK:      convert-vector-to-llvm{{.*}}enable-x86vector=true
// CHECK:      convert-to-llvm
// CHECK-NEXT: reconcile-unrealized-casts

module {}
