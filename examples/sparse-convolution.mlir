// Sparse convolution in its gather form: O(o,f) = sum of K(o,k,i) X(i,c) W(k,c,f). K has
// an entry for each output site o, offset k of the filter and input site i that lies
// there, as the hash table of a point cloud finds them; c and f are channels.
// `astfe-run examples/sparse-convolution.mlir --tensor K=FILE.tns --check` runs it.

#CSF = #sparse_tensor.encoding<{
  map = (o, k, i) -> (o : dense, k : compressed, i : compressed)
}>

func.func @convolution(%K: tensor<?x?x?xf32, #CSF>, %X: tensor<?x16xf32>,
                       %W: tensor<?x16x32xf32>, %O: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(o, k, i, c, f) -> (o, k, i)>,
                       affine_map<(o, k, i, c, f) -> (i, c)>,
                       affine_map<(o, k, i, c, f) -> (k, c, f)>,
                       affine_map<(o, k, i, c, f) -> (o, f)>],
      iterator_types = ["parallel", "reduction", "reduction", "reduction", "parallel"]}
      ins(%K, %X, %W : tensor<?x?x?xf32, #CSF>, tensor<?x16xf32>, tensor<?x16x32xf32>)
      outs(%O : tensor<?x32xf32>) {
  ^bb0(%entry: f32, %x: f32, %w: f32, %o: f32):
    %p = arith.mulf %entry, %x : f32
    %q = arith.mulf %p, %w : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
