// RUN: astfe-opt %s --split-input-file --verify-diagnostics

// One module per labelled constraint of types and attributes.

// expected-error @+1 {{expected a rank in 1..8 but got 9}}
func.func private @type_c1(!astfe.graph<1x2x3x4x5x6x7x8x9>)

// -----

// expected-error @+1 {{expected a rank in 1..8 but got 9}}
func.func private @type_c1_profile(!astfe.profile<1x2x3x4x5x6x7x8x9>)

// -----

// expected-error @+1 {{expected columns of 8, 16 or 32 bits but got 24}}
#layout_c1 = #astfe.layout<packed, columns = 24, classes = [scattered]>

// -----

// expected-error @+1 {{expected packed storage to permit 'row_segments' or 'scattered' but got 'dense_tile'}}
#layout_c2 = #astfe.layout<packed, columns = 16, classes = [dense_tile]>

// -----

// expected-error @+1 {{expected 'scattered' beside 'row_slices'}}
#layout_c3 = #astfe.layout<packed, columns = 16, classes = [row_segments, row_slices]>

// -----

// expected-error @+1 {{expected windows of 1..192 columns but got 16777216}}
#layout_c4 = #astfe.layout<packed, classes = [row_segments, row_windows], window = 16777216>

// -----

// expected-error @+1 {{expected rows of the dense operands of at least 0 bytes but got -1}}
#layout_c5 = #astfe.layout<packed, classes = [row_segments], dense_bytes = -1>

// -----

// expected-error @+1 {{expected windows and bytes of dense operands for a host only but got them for a GPU}}
#layout_c6 = #astfe.layout<packed, classes = [row_segments], target = gpu, dense_bytes = 512>

// -----

// expected-error @+1 {{expected windows and bytes of dense operands for a host only but got them for a GPU}}
#layout_c6_window = #astfe.layout<packed, classes = [row_segments], window = 48, target = gpu>

// -----

// expected-error @+1 {{expected a column tile that is 0 or a power of two up to 128 but got 48}}
#layout_c7 = #astfe.layout<packed, classes = [row_segments], target = gpu, column_tile = 48>

// -----

// expected-error @+1 {{expected a column tile that is 0 or a power of two up to 128 but got 256}}
#layout_c7_wide = #astfe.layout<packed, classes = [row_segments], target = gpu, column_tile = 256>

// -----

// expected-error @+1 {{expected a column tile for a GPU only but got 64 for a host}}
#layout_c8 = #astfe.layout<packed, classes = [row_segments], column_tile = 64>

// -----

// expected-error @+1 {{expected classes that kernels of a GPU have but got 'row_slices'}}
#layout_c9 = #astfe.layout<packed, classes = [scattered, row_slices], target = gpu>

// -----

// expected-error @+1 {{expected 'columns' once but got it more often}}
#layout_c10 = #astfe.layout<packed, columns = 8, classes = [scattered], columns = 16>

// -----

// expected-error @+1 {{expected host or gpu but got 'tpu'}}
#layout_target = #astfe.layout<packed, classes = [scattered], target = tpu>

// -----

// expected-error @+1 {{expected columns, classes, target, window, dense_bytes, column_tile, deterministic or assume_finite but got 'panel'}}
#layout_field = #astfe.layout<packed, classes = [scattered], panel = 3>

// -----

// expected-error @+1 {{expected a class of row_segments, scattered, dense_tile, row_slices, row_windows, row_tiles but got 'ellpack'}}
#layout_class = #astfe.layout<packed, classes = [ellpack]>

// -----

// expected-error @+1 {{expected view or packed but got 'copy'}}
#layout_storage = #astfe.layout<copy>

// -----

// expected-error @+1 {{expected a class of row_segments, scattered, dense_tile, row_slices, row_windows, row_tiles but got 'warp'}}
#kernel_c1 = #astfe.kernel<[scattered, warp], column_tile = 32>

// -----

// expected-error @+1 {{expected each class once but got 'scattered' more often}}
#kernel_c2 = #astfe.kernel<[scattered, scattered], column_tile = 32>

// -----

// expected-error @+1 {{expected at least one of row_segments, scattered, dense_tile, row_slices, row_windows, row_tiles}}
#kernel_c3 = #astfe.kernel<[], column_tile = 0>

// -----

// expected-error @+1 {{expected a column tile that is 0 or a power of two but got 48}}
#kernel_c4 = #astfe.kernel<[scattered], column_tile = 48>

// -----

// expected-error @+1 {{expected panels of 2^0 to 2^62 rows but got 2^-1}}
#part_panel = #astfe.part<panels(-1) [4, 4]>

// -----

// expected-error @+1 {{expected an origin of 2 numbers but got 3}}
#part_origin = #astfe.part<hilbert [4, 4] at [0, 0, 0]>

// -----

// expected-error @+1 {{expected the extent of mode 1 in 0..2^62 but got -1}}
#space_c1 = #astfe.space<rows [4, -1]>

// -----

// expected-error @+1 {{permutation of mode 0: expected each index once but got 1 twice}}
#space_c2 = #astfe.space<rows [3, 4] permuted [[0, 1, 1], []]>

// -----

// expected-error @+1 {{expected 2 permutations or none but got 1}}
#space_c3 = #astfe.space<rows [3, 4] permuted [[0, 1, 2]]>

// -----

// expected-error @+1 {{part 1: expected a box inside mode 0 of extent 8 but got 8 from 2}}
#space_c4 = #astfe.space<parts [rows [2, 4], hilbert [8, 4] at [2, 0]] of [8, 4]>

// -----

// expected-error @+1 {{expected disjoint parts but parts 0 and 1 overlap}}
#space_c5 = #astfe.space<parts [rows [3, 4], hilbert [6, 4] at [2, 0]] of [8, 4]>

// -----

// expected-error @+1 {{expected parts that tile the space but they leave a gap}}
#space_c6 = #astfe.space<parts [rows [2, 4], hilbert [5, 4] at [2, 0]] of [8, 4]>

// -----

// expected-error @+1 {{expected rows, morton, hilbert or panels but got 'peano'}}
#space_order = #astfe.space<peano [8, 4]>

// -----

// expected-error @+1 {{expected blocks in ascending curve order and disjoint but got 'b0001'}}
#graph_c1 = #astfe.graph<hilbert [4096, 4096] {b00 : 4711 b0001 : 380} groups [0, 1, 2]>

// -----

// expected-error @+1 {{expected blocks in ascending curve order and disjoint but got 'b0'}}
#graph_c1_order = #astfe.graph<hilbert [4096, 4096] {b1 : 4711 b0 : 380} groups [0, 1, 2]>

// -----

// expected-error @+1 {{block 0: expected a length of at most 4 but got 5}}
#graph_c2 = #astfe.graph<hilbert [4, 4] {b00000 : 1} groups [0, 1]>

// -----

// expected-error @+1 {{block 0: expected a part below 1 but got 1}}
#graph_c3 = #astfe.graph<hilbert [4, 4] {p1.b0 : 1} groups [0, 1]>

// -----

// expected-error @+1 {{block 0: expected a number of nonzeros from 0 but got -1}}
#graph_c4 = #astfe.graph<hilbert [4, 4] {b0 : -1} groups [0, 1]>

// -----

// expected-error @+1 {{expected groups from 0 to 2}}
#graph_c5 = #astfe.graph<hilbert [4, 4] {b0 : 1 b1 : 2} groups [0, 1]>

// -----

// expected-error @+1 {{expected ascending groups but got 1 after 1}}
#graph_c6 = #astfe.graph<hilbert [4, 4] {b0 : 1 b1 : 2} groups [0, 1, 1, 2]>

// -----

// expected-error @+1 {{expected a limit from 0 but got -1}}
#graph_c7 = #astfe.graph<hilbert [4, 4] {b0 : 1} groups [0, 1] limit -1>

// -----

// expected-error @+1 {{expected a threshold between 0.5 and 1 but got 1.5}}
#graph_c8 = #astfe.graph<hilbert [4, 4] {b0 : 1} groups [0, 1] threshold 1.5>

// -----

// expected-error @+1 {{expected an edge of two ascending blocks below 2 but got 0 -- 2}}
#graph_c9 = #astfe.graph<hilbert [4, 4] {b0 : 1 b1 : 2} groups [0, 2] edges {0 -- 2 axis 0 : 1}>

// -----

// expected-error @+1 {{expected an edge of two ascending blocks below 2 but got 1 -- 0}}
#graph_c9_order = #astfe.graph<hilbert [4, 4] {b0 : 1 b1 : 2} groups [0, 2] edges {1 -- 0 axis 0 : 1}>

// -----

// expected-error @+1 {{expected ascending edges but got 0 -- 1 after 0 -- 2}}
#graph_c10 = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4 b10 : 4} groups [0, 3]
  edges {0 -- 2 axis 0 : 2 0 -- 1 axis 1 : 4}>

// -----

// expected-error @+1 {{expected ascending edges but got 0 -- 1 after 0 -- 1}}
#graph_c10_twice = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4 b10 : 4} groups [0, 3]
  edges {0 -- 1 axis 1 : 4 0 -- 1 axis 1 : 4}>

// -----

// expected-error @+1 {{expected blocks that share a face but got edge 1 -- 2}}
#graph_c11 = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4 b10 : 4} groups [0, 3]
  edges {0 -- 1 axis 1 : 4 0 -- 2 axis 0 : 2 1 -- 2 axis 0 : 1}>

// -----

// expected-error @+1 {{expected edge 0 -- 1 but got none between these blocks}}
#graph_c12 = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4 b10 : 4} groups [0, 3]
  edges {0 -- 2 axis 0 : 2}>

// -----

// expected-error @+1 {{expected edge 0 -- 2 but got none between these blocks}}
#graph_c12_last = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4 b10 : 4} groups [0, 3]
  edges {0 -- 1 axis 1 : 4}>

// -----

// expected-error @+1 {{edge 0 -- 1: expected axis 1 but got 0}}
#graph_c13 = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4} groups [0, 2] edges {0 -- 1 axis 0 : 2}>

// -----

// expected-error @+1 {{edge 0 -- 1: expected 4 shared rows but got 3}}
#graph_c14 = #astfe.graph<morton [4, 4] {b00 : 4 b01 : 4} groups [0, 2] edges {0 -- 1 axis 1 : 3}>

// -----

// expected-error @+1 {{expected a block such as b0110 but got 'b0120'}}
#graph_name = #astfe.graph<hilbert [4, 4] {b0120 : 1} groups [0, 1]>

// -----

// expected-error @+1 {{expected bins in ascending curve order and disjoint but got}}
#profile_c7 = #astfe.profile<hilbert [4, 4] {b0 : 1 b01 : 2}>

// -----

// expected-error @+1 {{bin 0: expected a prefix of at most 4 bits but got 5}}
#profile_c8 = #astfe.profile<hilbert [4, 4] {b00000 : 1}>

// -----

// expected-error @+1 {{bin 0: expected a positive number of nonzeros but got 0}}
#profile_c9 = #astfe.profile<hilbert [4, 4] {b0 : 0}>

// -----

// expected-error @+1 {{bin 0: expected a count, or -1 where unknown, but got -2}}
#profile_c10 = #astfe.profile<hilbert [4, 4] measured [cycles] {b0 : 1 (-2)}>

// -----

// expected-error @+1 {{bin 1: expected totals below 2^63 but got 9223372036854775807 more}}
#profile_c11 = #astfe.profile<hilbert [4, 4] {b00 : 9223372036854775807 b01 : 9223372036854775807}>

// -----

// expected-error @+1 {{expected runs of 1 or more but got 0}}
#search_c1 = #astfe.search<columns = 8, element_bytes = 4, runs = 0>

// -----

// expected-error @+1 {{expected orders or reorderings to compare but got neither}}
#search_c2 = #astfe.search<columns = 8, element_bytes = 4, runs = 9, orders = false, reorderings = false>

// -----

// expected-error @+1 {{expected columns of 0 or more but got -1}}
#products_c1 = #astfe.products<columns = -1, element_bytes = 4>

// -----

// expected-error @+1 {{expected element_bytes from 1 to 64 but got 65}}
#products_c2 = #astfe.products<columns = 8, element_bytes = 65>
