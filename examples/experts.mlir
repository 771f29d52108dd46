// A mixture of experts: Y(t,f) = sum of R(t,e) X(t,c) W(e,c,f). R routes each token t to
// a few experts e, by weights; each expert has a dense block of W.
// `astfe-run examples/experts.mlir --matrix R=FILE.mtx --check` runs it.

#CSR = #sparse_tensor.encoding<{map = (t, e) -> (t : dense, e : compressed)}>

func.func @experts(%R: tensor<?x?xf32, #CSR>, %X: tensor<?x16xf32>,
                   %W: tensor<?x16x32xf32>, %Y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(t, e, c, f) -> (t, e)>,
                       affine_map<(t, e, c, f) -> (t, c)>,
                       affine_map<(t, e, c, f) -> (e, c, f)>,
                       affine_map<(t, e, c, f) -> (t, f)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%R, %X, %W : tensor<?x?xf32, #CSR>, tensor<?x16xf32>, tensor<?x16x32xf32>)
      outs(%Y : tensor<?x32xf32>) {
  ^bb0(%weight: f32, %x: f32, %w: f32, %y: f32):
    %p = arith.mulf %weight, %x : f32
    %q = arith.mulf %p, %w : f32
    %s = arith.addf %y, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
