// RUN: astfe-opt %s --convert-astfe-to-scf --allow-unregistered-dialect | FileCheck %s

// Ops may be in the module's body itself.

// CHECK: call @astfe_rt_graph(
%g = astfe.graph rows [8, 8] {b0 : 4} groups [0, 1] : !astfe.graph<8x8>
"test.use"(%g) : (!astfe.graph<8x8>) -> ()
