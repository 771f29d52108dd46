// RUN: not astfe-opt %s --astfe-to-cpu=order=hilbert 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not astfe-opt %s --astfe-to-cpu="storage=packed threshold=2" 2>&1 | FileCheck %s --check-prefix=TAU
// RUN: not astfe-opt %s --astfe-sparsifier=curve=hilbert 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not astfe-opt %s --astfe-to-cpu=matrix=%t.missing.mtx 2>&1 | FileCheck %s --check-prefix=FILE

// VIEW:   error: expected option 'order' to be rows for storage=view but got 'hilbert'
// TAU:    error: expected a threshold of auto, or above 0.5 and below 1, but got '2'
// OPTION: no such option curve
// FILE:   error: {{.*}}missing.mtx
module {
}
