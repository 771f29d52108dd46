// RUN: astfe-opt %s --split-input-file --verify-diagnostics

// One module per labelled constraint of profile, partition, refine, fuse,
// graph, pack, values and unpack.

func.func private @profile_c1(%A: tensor<4x4xf32>) {
  // expected-error @+1 {{expected a tensor with a sparse encoding but got 'tensor<4x4xf32>'}}
  %h = astfe.profile of %A order = "rows" min = 1 : tensor<4x4xf32> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c2(%A: tensor<4x?xf32, #CSR>) {
  // expected-error @+1 {{expected a result of shape 4x? but got 5x?}}
  %h = astfe.profile of %A order = "rows" min = 1 : tensor<4x?xf32, #CSR> -> !astfe.profile<5x?>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c3(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected min of at least 1 but got 0}}
  %h = astfe.profile of %A order = "rows" min = 0 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c4(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected a panel in 0..62 but got 63}}
  %h = astfe.profile of %A order = "panels" panel = 63 min = 1 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c5(%A: tensor<4x?xf32, #CSR>) {
  // expected-error @+1 {{expected a known profile of shape 4x? but got 8x4}}
  %h = astfe.profile of %A order = "rows" min = 1 known = <rows [8, 4] {b : 1}> : tensor<4x?xf32, #CSR> -> !astfe.profile<4x?>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c6(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{has a known profile that does not fit: expected order hilbert but got morton}}
  %h = astfe.profile of %A order = "hilbert" min = 1 known = <morton [4, 4] {b : 1}> : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c7(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected hubs of at least -1 but got -2}}
  %h = astfe.profile of %A order = "rows" hubs = -2 min = 1 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#COO3 = #sparse_tensor.encoding<{map = (i, j, k) -> (i : dense, j : compressed, k : compressed)}>
func.func private @profile_c8(%A: tensor<4x4x4xf32, #COO3>) {
  // expected-error @+1 {{expected a matrix to reorder but got rank 3}}
  %h = astfe.profile of %A order = "rows" reorder = "rcm" min = 1 : tensor<4x4x4xf32, #COO3> -> !astfe.profile<4x4x4>
  return
}

// -----

#COO3 = #sparse_tensor.encoding<{map = (i, j, k) -> (i : dense, j : compressed, k : compressed)}>
func.func private @profile_c8_searched(%A: tensor<4x4x4xf32, #COO3>) {
  // expected-error @+1 {{expected a matrix to search an order for but got rank 3}}
  %h = astfe.profile of %A order = "rows" min = 1 search = <columns = 8, element_bytes = 4, runs = 9> : tensor<4x4x4xf32, #COO3> -> !astfe.profile<4x4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c9(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected no search of a profile that is known}}
  %h = astfe.profile of %A order = "rows" min = 1 known = <rows [4, 4] {b0 : 1}> search = <columns = 8, element_bytes = 4, runs = 9> : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c10(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected the order rows to compare others with but got hilbert}}
  %h = astfe.profile of %A order = "hilbert" min = 1 search = <columns = 8, element_bytes = 4, runs = 9> : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_c11(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected no reordering to compare others with but got rcm}}
  %h = astfe.profile of %A order = "rows" reorder = "rcm" min = 1 search = <columns = 8, element_bytes = 4, runs = 9> : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_reorder(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected none, labels, rcm or twins but got 'metis'}}
  %h = astfe.profile of %A order = "rows" reorder = "metis" min = 1 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @profile_order(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected rows, morton, hilbert or panels but got 'spiral'}}
  %h = astfe.profile of %A order = "spiral" min = 1 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  return
}

// -----

func.func private @partition_c1(%h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected leaf of at least 0 but got -1}}
  %g = astfe.partition %h leaf = -1 : !astfe.profile<4x4> -> !astfe.graph<4x4>
  return
}

// -----

func.func private @partition_c2(%h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected workers of at least 1 but got 0}}
  %g = astfe.partition %h leaf = auto workers = 0 : !astfe.profile<4x4> -> !astfe.graph<4x4>
  return
}

// -----

func.func private @partition_c3(%h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected a result of shape 4x4 but got 4x4x4}}
  %g = astfe.partition %h leaf = auto : !astfe.profile<4x4> -> !astfe.graph<4x4x4>
  return
}

// -----

func.func private @refine_c1(%g: !astfe.graph<4x?>, %h: !astfe.profile<5x4>) {
  // expected-error @+1 {{expected a profile of shape 4x? but got 5x4}}
  %r = astfe.refine %g by %h : !astfe.graph<4x?>, !astfe.profile<5x4>
  return
}

// -----

func.func private @refine_c2(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected a threshold between 0.5 and 1 but got 5.000000e-01}}
  %r = astfe.refine %g by %h threshold = 0.5 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @refine_c3(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected workers of at least 1 but got 0}}
  %r = astfe.refine %g by %h workers = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @refine_c4(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected waves of at least 1 but got -3}}
  %r = astfe.refine %g by %h waves = -3 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @refine_c5(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected min of at least 1 but got 0}}
  %r = astfe.refine %g by %h min = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @refine_c6(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected steps of at least -1 but got -2}}
  %r = astfe.refine %g by %h steps = -2 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c1(%g: !astfe.graph<4x4>, %h: !astfe.profile<4>) {
  // expected-error @+1 {{expected a profile of shape 4x4 but got 4}}
  %r = astfe.fuse %g by %h : !astfe.graph<4x4>, !astfe.profile<4>
  return
}

// -----

func.func private @fuse_c2(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected a threshold between 0.5 and 1 but got 1.000000e+00}}
  %r = astfe.fuse %g by %h threshold = 1.0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c3(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected workers of at least 1 but got 0}}
  %r = astfe.fuse %g by %h workers = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c4(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected waves of at least 1 but got 0}}
  %r = astfe.fuse %g by %h waves = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c5(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected cache of at least 1 but got 0}}
  %r = astfe.fuse %g by %h cache = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c6(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected columns of at least 1 but got 0}}
  %r = astfe.fuse %g by %h columns = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @fuse_c7(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>) {
  // expected-error @+1 {{expected element_bytes of at least 1 but got 0}}
  %r = astfe.fuse %g by %h element_bytes = 0 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return
}

// -----

func.func private @graph_c1() {
  // expected-error @+1 {{expected a graph of shape 5x? but got 4x4}}
  %g = astfe.graph rows [4, 4] {b : 1} groups [0, 1] : !astfe.graph<5x?>
  return
}

// -----

func.func private @view_c1(%p: memref<?xi32>, %c: memref<?xi32>, %n: index) {
  // expected-error @+1 {{expected the layout of a view but got #astfe.layout<packed}}
  %V = astfe.view %p, %c [%n, %n] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>>
  return
}

// -----

func.func private @view_c2(%p: memref<?xi32>, %c: memref<?xi32>, %n: index) {
  // expected-error @+1 {{expected a pattern of rank 2 but got rank 3}}
  %V = astfe.view %p, %c [%n, %n] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?x?, #astfe.layout<view>>
  return
}

// -----

func.func private @pack_c1(%A: tensor<4x4xf32>) {
  // expected-error @+1 {{expected a tensor with a sparse encoding but got 'tensor<4x4xf32>'}}
  %P = astfe.pack %A : tensor<4x4xf32> -> !astfe.blocked<4x4, #astfe.layout<view>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c2(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected a result of shape 4x4 but got 4x5}}
  %P = astfe.pack %A : tensor<4x4xf32, #CSR> -> !astfe.blocked<4x5, #astfe.layout<view>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c3(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected a graph for a packed layout but got none}}
  %P = astfe.pack %A : tensor<4x4xf32, #CSR> -> !astfe.blocked<4x4, #astfe.layout<packed, classes = [scattered]>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c4(%A: tensor<4x4xf32, #CSR>, %g: !astfe.graph<4x8>) {
  // expected-error @+1 {{expected a graph of shape 4x4 but got 4x8}}
  %P = astfe.pack %A by %g : tensor<4x4xf32, #CSR>, !astfe.graph<4x8> -> !astfe.blocked<4x4, #astfe.layout<packed, classes = [scattered]>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c5(%A: tensor<4x4xf32, #CSR>) {
  %h = astfe.profile of %A order = "hilbert" min = 1 : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  %g = astfe.partition %h leaf = auto : !astfe.profile<4x4> -> !astfe.graph<4x4>
  %r = astfe.refine %g by %h : !astfe.graph<4x4>, !astfe.profile<4x4>
  // expected-error @+1 {{expected the order rows for a view but got hilbert}}
  %P = astfe.pack %A by %r : tensor<4x4xf32, #CSR>, !astfe.graph<4x4> -> !astfe.blocked<4x4, #astfe.layout<view>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c5_constant(%A: tensor<4x4xf32, #CSR>) {
  %g = astfe.graph morton [4, 4] {b : 1} groups [0, 1] : !astfe.graph<4x4>
  // expected-error @+1 {{expected the order rows for a view but got morton}}
  %P = astfe.pack %A by %g : tensor<4x4xf32, #CSR>, !astfe.graph<4x4> -> !astfe.blocked<4x4, #astfe.layout<view>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c6(%A: tensor<4x4xf32, #CSR>) {
  // expected-error @+1 {{expected a packed matrix of a host with unless_stored but got a view}}
  %P = astfe.pack %A unless_stored = <columns = 8, element_bytes = 4> : tensor<4x4xf32, #CSR> -> !astfe.blocked<4x4, #astfe.layout<view>>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @pack_c6_gpu(%A: tensor<4x4xf32, #CSR>, %g: !astfe.graph<4x4>) {
  // expected-error @+1 {{expected a packed matrix of a host with unless_stored but got one of a GPU}}
  %P = astfe.pack %A by %g unless_stored = <columns = 8, element_bytes = 4> : tensor<4x4xf32, #CSR>, !astfe.graph<4x4> -> !astfe.blocked<4x4, #astfe.layout<packed, columns = 32, classes = [scattered], target = gpu>>
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : dense, j : compressed, k : compressed)}>
func.func private @pack_c6_rank(%A: tensor<4x4x4xf32, #CSF>, %g: !astfe.graph<4x4x4>) {
  // expected-error @+1 {{expected a packed matrix of a host with unless_stored but got a tensor of another rank}}
  %P = astfe.pack %A by %g unless_stored = <columns = 8, element_bytes = 4> : tensor<4x4x4xf32, #CSF>, !astfe.graph<4x4x4> -> !astfe.blocked<4x4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>>
  return
}

// -----

func.func private @matricize_c1(%T: tensor<4x5x6xf32>) {
  // expected-error @+1 {{expected a tensor with a sparse encoding but got 'tensor<4x5x6xf32>'}}
  %A = astfe.matricize %T rows [0, 1] column 2 : tensor<4x5x6xf32> to tensor<20x6xf32>
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
func.func private @matricize_c2(%T: tensor<4x5x6xf32, #CSF>) {
  // expected-error @+1 {{expected rows and column to be the modes 0 to 2, each once, but got rows [0, 2] and column 2}}
  %A = astfe.matricize %T rows [0, 2] column 2 : tensor<4x5x6xf32, #CSF> to tensor<24x6xf32, #DCSR>
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
func.func private @matricize_c3(%T: tensor<4x5x6xf32, #CSF>) {
  // expected-error @+1 {{expected a matrix of shape 24x5 but got 20x6}}
  %A = astfe.matricize %T rows [0, 2] column 1 : tensor<4x5x6xf32, #CSF> to tensor<20x6xf32, #DCSR>
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
func.func private @matricize_c3_element(%T: tensor<4x5x6xf32, #CSF>) {
  // expected-error @+1 {{expected a matrix of 'f32' but got 'f64'}}
  %A = astfe.matricize %T rows [0, 2] column 1 : tensor<4x5x6xf32, #CSF> to tensor<24x5xf64, #DCSR>
  return
}

// -----

func.func private @values_c1(%A: tensor<4xf32>, %P: !astfe.blocked<4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected a tensor with a sparse encoding but got 'tensor<4xf32>'}}
  %v = astfe.values %A in %P : tensor<4xf32>, !astfe.blocked<4, #astfe.layout<view>> -> tensor<?xf32>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @values_c2(%A: tensor<4x4xf32, #CSR>, %P: !astfe.blocked<4x8, #astfe.layout<view>>) {
  // expected-error @+1 {{expected a pattern of shape 4x4 but got 4x8}}
  %v = astfe.values %A in %P : tensor<4x4xf32, #CSR>, !astfe.blocked<4x8, #astfe.layout<view>> -> tensor<?xf32>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @values_c3(%A: tensor<4x4xf32, #CSR>, %P: !astfe.blocked<4x4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected values of type 'f32' but got 'f64'}}
  %v = astfe.values %A in %P : tensor<4x4xf32, #CSR>, !astfe.blocked<4x4, #astfe.layout<view>> -> tensor<?xf64>
  return
}

// -----

func.func private @unpack_c1(%A: tensor<4xf32>, %v: tensor<?xf32>, %P: !astfe.blocked<4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected a tensor with a sparse encoding but got 'tensor<4xf32>'}}
  %B = astfe.unpack %v in %P like %A : tensor<?xf32>, !astfe.blocked<4, #astfe.layout<view>>, tensor<4xf32>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @unpack_c2(%A: tensor<4x4xf32, #CSR>, %v: tensor<?xf32>, %P: !astfe.blocked<4x8, #astfe.layout<view>>) {
  // expected-error @+1 {{expected a pattern of shape 4x4 but got 4x8}}
  %B = astfe.unpack %v in %P like %A : tensor<?xf32>, !astfe.blocked<4x8, #astfe.layout<view>>, tensor<4x4xf32, #CSR>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @unpack_c3(%A: tensor<4x4xf32, #CSR>, %v: tensor<?xf64>, %P: !astfe.blocked<4x4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected values of type 'f32' but got 'f64'}}
  %B = astfe.unpack %v in %P like %A : tensor<?xf64>, !astfe.blocked<4x4, #astfe.layout<view>>, tensor<4x4xf32, #CSR>
  return
}

// -----

#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
func.func private @values_c4(%A: tensor<4x4x4xf32, #CSF>, %P: !astfe.blocked<4x4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>>) {
  // expected-error @+1 {{expected a key in 0..2 but got 3}}
  %v = astfe.values %A in %P key = 3 : tensor<4x4x4xf32, #CSF>, !astfe.blocked<4x4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>> -> tensor<?xf32>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func private @unpack_c4(%A: tensor<4x4xf32, #CSR>, %v: tensor<?xf32>, %P: !astfe.blocked<4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>>) {
  // expected-error @+1 {{expected a key in 0..0 but got 1}}
  %B = astfe.unpack %v in %P like %A key = 1 : tensor<?xf32>, !astfe.blocked<4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>>, tensor<4x4xf32, #CSR>
  return
}

// -----

func.func private @unpack_values_c1(%v: tensor<?xf64>, %P: !astfe.blocked<4x4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected values of type 'f64' but got 'f32'}}
  %w = astfe.unpack_values %v in %P : tensor<?xf64>, !astfe.blocked<4x4, #astfe.layout<view>> -> tensor<?xf32>
  return
}

// -----

func.func private @unpack_values_c2(%v: tensor<?xf32>, %P: !astfe.blocked<4x4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>>) {
  // expected-error @+1 {{expected a key in 0..2 but got 3}}
  %w = astfe.unpack_values %v in %P key = 3 : tensor<?xf32>, !astfe.blocked<4x4x4, #astfe.layout<packed, columns = 32, classes = [scattered]>> -> tensor<?xf32>
  return
}

// -----

func.func private @unpack_values_c3(%v: tensor<?xf32>, %P: !astfe.blocked<4x4, #astfe.layout<view>>) {
  // expected-error @+1 {{expected a result of any length, as the pattern decides it, but got 'tensor<4xf32>'}}
  %w = astfe.unpack_values %v in %P : tensor<?xf32>, !astfe.blocked<4x4, #astfe.layout<view>> -> tensor<4xf32>
  return
}
