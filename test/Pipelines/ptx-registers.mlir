// REQUIRES: ptxas
// RUN: %python %S/Inputs/ptxas_usage.py sm_90 64 | FileCheck %s --check-prefix=SM90
// RUN: %python %S/Inputs/ptxas_usage.py sm_80 64 | FileCheck %s --check-prefix=SM80

// Every kernel for every layout, tile and type: no spills, no stack, at most 64
// registers.

// SM90: sm_90: 68 kernels
// SM80: sm_80: 68 kernels
