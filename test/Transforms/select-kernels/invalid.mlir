// RUN: not astfe-opt %s --astfe-select-kernels=chip=gfx90a 2>&1 | FileCheck %s --check-prefix=VENDOR
// RUN: not astfe-opt %s --astfe-select-kernels=chip=sm_banana 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not astfe-opt %s --astfe-select-kernels=chip=sm_90x 2>&1 | FileCheck %s --check-prefix=SUFFIX
// RUN: not astfe-opt %s --astfe-select-kernels=columns=-4 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90a

// VENDOR:  error: expected option 'chip' to be sm_70, {{.*}} or sm_121f but got 'gfx90a'
// NUMBER:  error: expected option 'chip' to be sm_70, {{.*}} or sm_121f but got 'sm_banana'
// SUFFIX:  error: expected option 'chip' to be sm_70, {{.*}} or sm_121f but got 'sm_90x'
// COLUMNS: error: expected option 'columns' to be at least 1 but got '-4'
module {
}
