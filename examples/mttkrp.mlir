// M(i,r) = sum of T(i,j,k) B(j,r) C(k,r): the step of a tensor's decomposition that
// costs most. `astfe-run examples/mttkrp.mlir --tensor T=FILE.tns --check` runs it.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

func.func @mttkrp(%T: tensor<?x?x?xf32, #CSF>, %B: tensor<?x32xf32>,
                  %C: tensor<?x32xf32>, %M: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, r) -> (i, j, k)>,
                       affine_map<(i, j, k, r) -> (j, r)>,
                       affine_map<(i, j, k, r) -> (k, r)>,
                       affine_map<(i, j, k, r) -> (i, r)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%T, %B, %C : tensor<?x?x?xf32, #CSF>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%M : tensor<?x32xf32>) {
  ^bb0(%t: f32, %b: f32, %c: f32, %m: f32):
    %p = arith.mulf %t, %b : f32
    %q = arith.mulf %p, %c : f32
    %s = arith.addf %m, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
