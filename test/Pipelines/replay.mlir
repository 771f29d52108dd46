// RUN: astfe-opt %s --astfe-to-cpu="storage=packed split-inspector" --dump-pass-pipeline -o %t.cpu 2> %t.dump
// RUN: bash -c 'astfe-opt %s --pass-pipeline="$(sed 1d %t.dump)" -o %t.again' && diff %t.cpu %t.again
// RUN: FileCheck %s --check-prefix=CPU --input-file=%t.dump
// RUN: astfe-opt %s --astfe-to-cpu=openmp=false --dump-pass-pipeline -o %t.cpu 2> %t.dump
// RUN: bash -c 'astfe-opt %s --pass-pipeline="$(sed 1d %t.dump)" -o %t.again' && diff %t.cpu %t.again
// RUN: astfe-opt %s --astfe-sparsifier=enable-runtime-library=false --dump-pass-pipeline -o %t.guest 2> %t.dump
// RUN: bash -c 'astfe-opt %s --pass-pipeline="$(sed 1d %t.dump)" -o %t.again' && diff %t.guest %t.again

// What a kernel's translation took is a number of its own.
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed host chip=sm_86 index-bits=32" --dump-pass-pipeline 2> %t.dump | sed s/TimeInMs.*i64/TIME/ > %t.ptx
// RUN: bash -c 'astfe-opt %s --pass-pipeline="$(sed 1d %t.dump)"' | sed s/TimeInMs.*i64/TIME/ | diff %t.ptx -
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.dump

// A printed pipeline is the pipeline: every pass has a name that parses, with
// the options that it ran with.

// CPU:     convert-linalg-to-astfe
// CPU:     astfe-partition{{.*}}storage=packed
// CPU:     astfe-split-inspector
// CPU:     astfe-finish-host
// CPU:     astfe-hoist-fields
// PTX:     nvvm-attach-target{{.*}}chip=sm_86{{.*}}features=+ptx71
// PTX:     lower-astfe-gpu-to-nvvm{index-bits=32}
// PTX:     astfe-serialize-kernels{format=isa}

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x32xf32>)
                     outs(%C : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
