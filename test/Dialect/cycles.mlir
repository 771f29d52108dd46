// RUN: astfe-opt %s --allow-unregistered-dialect --astfe-refine | FileCheck %s

// A module's body is a graph region, in which a value may define itself: no
// search along definitions runs for ever.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

// CHECK: %[[G:.*]] = astfe.refine %[[G]] by
%A = "test.tensor"() : () -> tensor<8x8xf32, #CSR>
%h = astfe.profile of %A order = "hilbert" min = 2
  : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
%g = astfe.refine %g by %h : !astfe.graph<8x8>, !astfe.profile<8x8>
%P = astfe.pack %A by %g
  : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #view>
