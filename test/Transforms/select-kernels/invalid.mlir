// RUN: astfe-opt %s --astfe-select-kernels=chip=gfx90a --verify-diagnostics

// expected-error @below {{expected option 'chip' to be like sm_90 but got 'gfx90a'}}
module {
}
