// RUN: not astfe-opt %s --astfe-to-cpu=order=hilbert 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not astfe-opt %s --astfe-to-cpu="storage=packed threshold=2" 2>&1 | FileCheck %s --check-prefix=TAU
// RUN: not astfe-opt %s --astfe-sparsifier=curve=hilbert 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not astfe-opt %s --astfe-to-cpu=matrix=%t.missing.mtx 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not astfe-opt %s --astfe-to-cpu=storage=bogus 2>&1 | FileCheck %s --check-prefix=STORAGE
// RUN: not astfe-opt %s --astfe-to-cpu="storage=bogus matrix=%S/Inputs/eye.mtx" 2>&1 | FileCheck %s --check-prefix=STORAGE
// RUN: not astfe-opt %s --astfe-to-cpu=columns=-4 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not astfe-opt %s --astfe-to-cpu=workers=0 2>&1 | FileCheck %s --check-prefix=WORKERS
// RUN: not astfe-opt %s --astfe-to-cpu=leaf=-1 2>&1 | FileCheck %s --check-prefix=LEAF
// RUN: not astfe-opt %s --astfe-to-cpu=min=0 2>&1 | FileCheck %s --check-prefix=MIN
// RUN: not astfe-opt %s --astfe-to-cpu=panel=63 2>&1 | FileCheck %s --check-prefix=PANEL
// RUN: not astfe-opt %s --astfe-to-cpu="storage=packed cache=0" 2>&1 | FileCheck %s --check-prefix=CACHE
// RUN: not astfe-opt %s --astfe-to-cpu=chip=sm_90 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not astfe-opt %s --astfe-sparsifier=chip=sm_90 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not astfe-opt %s --astfe-sparsifier=expected-runs=-5 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: not astfe-opt %s --astfe-to-ptx=chip=sm_banana 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not astfe-opt %s --astfe-to-ptx=chip= 2>&1 | FileCheck %s --check-prefix=NOCHIP
// RUN: not astfe-opt %s --astfe-to-ptx="chip=sm_86 features=+ptx70" 2>&1 | FileCheck %s --check-prefix=OLDPTX
// RUN: not astfe-opt %s --astfe-to-ptx=features=+banana 2>&1 | FileCheck %s --check-prefix=NOPTX

// RUN: not astfe-opt %s --astfe-to-cpu=threshold=2 2>&1 | FileCheck %s --check-prefix=TAU
// RUN: not astfe-opt %s --astfe-to-ptx=threshold=nan 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not astfe-opt %s --astfe-sparsifier=cache=0 2>&1 | FileCheck %s --check-prefix=CACHE
// RUN: not astfe-opt %s --astfe-to-ptx=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not astfe-opt %s --astfe-to-ptx=index-bits=48 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not astfe-opt %s --astfe-to-ptx=column-tile=48 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not astfe-opt %s --astfe-to-cpu=vector-bytes=7 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not astfe-opt %s --astfe-to-ptx=classes=rows 2>&1 | FileCheck %s --check-prefix=CLASSES
// RUN: not astfe-opt %s --pass-pipeline='builtin.module(func.func(astfe-to-cpu))' 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: not astfe-opt %s --pass-pipeline='any(astfe-to-ptx)' 2>&1 | FileCheck %s --check-prefix=ANY

// Options are refused when they are parsed: no module is printed.
// RUN: not astfe-opt %s --astfe-to-cpu=columns=-4 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not astfe-opt %s --pass-pipeline='builtin.module(func.func(astfe-partition{columns=-4}))' 2>&1 | FileCheck %s --check-prefixes=COLUMNS,QUIET

// STORAGE: error: expected option 'storage' to be view, packed or auto but got 'bogus'
// COLUMNS: error: expected option 'columns' to be at least 1 but got '-4'
// WORKERS: error: expected option 'workers' to be at least 1 but got '0'
// LEAF:    error: expected option 'leaf' to be at least 0 but got '-1'
// MIN:     error: expected option 'min' to be at least 1 but got '0'
// PANEL:   error: expected option 'panel' to be in 0..62 but got '63'
// CACHE:   error: expected option 'cache' to be at least 1 but got '0'
// HOST:    error: expected no option 'chip' for the host but got 'sm_90'
// RUNS:    error: expected option 'expected-runs' to be at least 1 but got '-5'
// CHIP:    error: expected option 'chip' to be sm_70, {{.*}} or sm_121f but got 'sm_banana'
// NOCHIP:  error: expected option 'chip' to be sm_70, {{.*}} or sm_121f but got ''
// OLDPTX:  error: option 'features': expected features of sm_86 to be +ptx71, {{.*}} or +ptx90 but got '+ptx70'
// NOPTX:   error: option 'features': expected features of sm_90 to be +ptx78, {{.*}} or +ptx90 but got '+banana'

// VIEW:   error: expected option 'order' to be rows for storage=view but got 'hilbert'
// TAU:    error: expected option 'threshold' to be auto, or above 0.5 and below 1 but got '2'
// NAN:    error: expected option 'threshold' to be auto, or above 0.5 and below 1 but got 'nan'
// INDEX:   error: expected option 'index-bits' to be 32 or 64 but got '48'
// TILE:    error: expected option 'column-tile' to be 32, 64 or 128 but got '48'
// BYTES:   error: expected option 'vector-bytes' to be 16, 32 or 64 but got '7'
// CLASSES: error: expected option 'classes' to be row_segments, {{.*}} but got 'rows'
// FUNC:    error: expected pipeline 'astfe-to-cpu' on builtin.module but got it on 'func.func'
// ANY:     error: expected pipeline 'astfe-to-ptx' on builtin.module but got it on 'any'
// QUIET-NOT: module {

// FORMAT: error: expected option 'format' to be isa, llvm, binary or fatbin but got 'elf'
// OPTION: no such option curve
// FILE:   error: {{.*}}missing.mtx
module {
}
