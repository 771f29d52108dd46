// RUN: not astfe-opt %s --astfe-tile-dense=vector-bytes=24 2>&1 | FileCheck %s

// CHECK: 'vector-bytes' {{.*}}16, 32 or 64{{.*}}24
