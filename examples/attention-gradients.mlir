// The gradients of sparse attention as a user writes them in linalg, for
//   O(i, x) = sum_j p(i, j) V(j, x),   p(i, j) = exp(mask(i, j) <Q(i), K(j)> - lse(i)),
// where G is the gradient of O, and lse(i) is the logarithm of the sum of the
// exponentials of a row, which forward has left:
//   g(i, j) = <G(i), V(j)>,   D(i) = sum_j p(i, j) g(i, j),
//   ds(i, j) = p(i, j) (g(i, j) - D(i)) mask(i, j),
//   dQ(i, x) = sum_j ds(i, j) K(j, x),
//   dK(j, x) = sum_i ds(i, j) Q(i, x),   dV(j, x) = sum_i p(i, j) G(i, x).
// dQ is made row by row, dK and dV column by column: `masks` is the same matrix as
// `mask`, stored by its columns. Each becomes one kernel.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>
!R = tensor<?x?xf32, #CSR>
!C = tensor<?x?xf32, #CSC>
!X = tensor<?x64xf32>
!V = tensor<?xf32>

#sampled = {
  indexing_maps = [affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, d)>,
                   affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
#by_row = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#row_sums = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
#score_gradients = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#rows = {
  indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (j, x)>, affine_map<(i, j, x) -> (i, x)>],
  iterator_types = ["parallel", "reduction", "parallel"]
}
#columns = {
  indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (i, x)>, affine_map<(i, j, x) -> (j, x)>],
  iterator_types = ["reduction", "parallel", "parallel"]
}

func.func @gradients(%mask: !R, %masks: !C, %Q: !X, %K: !X, %V: !X, %G: !X, %lse: !V)
    -> (!X, !X, !X) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %mask, %c0 : !R
  %m = tensor.dim %mask, %c1 : !R
  %like_rows = tensor.empty(%n) : !X
  %none_rows = linalg.fill ins(%zero : f32) outs(%like_rows : !X) -> !X
  %like_columns = tensor.empty(%m) : !X
  %none_columns = linalg.fill ins(%zero : f32) outs(%like_columns : !X) -> !X
  %row_vector = tensor.empty(%n) : !V
  %none = linalg.fill ins(%zero : f32) outs(%row_vector : !V) -> !V

  // Scores, probabilities and g, row by row.
  %s0 = tensor.empty(%n, %m) : !R
  %s = linalg.generic #sampled ins(%mask, %Q, %K : !R, !X, !X) outs(%s0 : !R) {
  ^bb0(%a: f32, %q: f32, %k: f32, %out: f32):
    %t = arith.mulf %q, %k : f32
    %u = arith.mulf %a, %t : f32
    %r = arith.addf %out, %u : f32
    linalg.yield %r : f32
  } -> !R
  %p0 = tensor.empty(%n, %m) : !R
  %p = linalg.generic #by_row ins(%s, %lse : !R, !V) outs(%p0 : !R) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %z = math.exp %d : f32
        sparse_tensor.yield %z : f32
      }
      left = {}
      right = {}
    linalg.yield %r : f32
  } -> !R
  %g0 = tensor.empty(%n, %m) : !R
  %g = linalg.generic #sampled ins(%mask, %G, %V : !R, !X, !X) outs(%g0 : !R) {
  ^bb0(%a: f32, %b: f32, %v: f32, %out: f32):
    %t = arith.mulf %b, %v : f32
    %u = sparse_tensor.binary %a, %t : f32, f32 to f32
      overlap = {
      ^bb0(%x: f32, %y: f32):
        sparse_tensor.yield %y : f32
      }
      left = {}
      right = {}
    %r = arith.addf %out, %u : f32
    linalg.yield %r : f32
  } -> !R
  // D and dQ.
  %D = linalg.generic #row_sums ins(%p, %g : !R, !R) outs(%none : !V) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %out, %t : f32
    linalg.yield %r : f32
  } -> !V
  %ds0 = tensor.empty(%n, %m) : !R
  %ds = linalg.generic #score_gradients ins(%p, %g, %mask, %D : !R, !R, !R, !V) outs(%ds0 : !R) {
  ^bb0(%a: f32, %b: f32, %e: f32, %d: f32, %out: f32):
    %t = arith.subf %b, %d : f32
    %u = arith.mulf %a, %t : f32
    %r = arith.mulf %u, %e : f32
    linalg.yield %r : f32
  } -> !R
  %dQ = linalg.generic #rows ins(%ds, %K : !R, !X) outs(%none_rows : !X) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %out, %t : f32
    linalg.yield %r : f32
  } -> !X

  // Scores, probabilities and g, column by column.
  %sc0 = tensor.empty(%n, %m) : !C
  %sc = linalg.generic #sampled ins(%masks, %Q, %K : !C, !X, !X) outs(%sc0 : !C) {
  ^bb0(%a: f32, %q: f32, %k: f32, %out: f32):
    %t = arith.mulf %q, %k : f32
    %u = arith.mulf %a, %t : f32
    %r = arith.addf %out, %u : f32
    linalg.yield %r : f32
  } -> !C
  %pc0 = tensor.empty(%n, %m) : !C
  %pc = linalg.generic #by_row ins(%sc, %lse : !C, !V) outs(%pc0 : !C) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%x: f32, %y: f32):
        %d = arith.subf %x, %y : f32
        %z = math.exp %d : f32
        sparse_tensor.yield %z : f32
      }
      left = {}
      right = {}
    linalg.yield %r : f32
  } -> !C
  %gc0 = tensor.empty(%n, %m) : !C
  %gc = linalg.generic #sampled ins(%masks, %G, %V : !C, !X, !X) outs(%gc0 : !C) {
  ^bb0(%a: f32, %b: f32, %v: f32, %out: f32):
    %t = arith.mulf %b, %v : f32
    %u = sparse_tensor.binary %a, %t : f32, f32 to f32
      overlap = {
      ^bb0(%x: f32, %y: f32):
        sparse_tensor.yield %y : f32
      }
      left = {}
      right = {}
    %r = arith.addf %out, %u : f32
    linalg.yield %r : f32
  } -> !C
  %dV = linalg.generic #columns ins(%pc, %G : !C, !X) outs(%none_columns : !X) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %out, %t : f32
    linalg.yield %r : f32
  } -> !X
  %dsc0 = tensor.empty(%n, %m) : !C
  %dsc = linalg.generic #score_gradients ins(%pc, %gc, %masks, %D : !C, !C, !C, !V) outs(%dsc0 : !C) {
  ^bb0(%a: f32, %b: f32, %e: f32, %d: f32, %out: f32):
    %t = arith.subf %b, %d : f32
    %u = arith.mulf %a, %t : f32
    %r = arith.mulf %u, %e : f32
    linalg.yield %r : f32
  } -> !C
  %dK = linalg.generic #columns ins(%dsc, %Q : !C, !X) outs(%none_columns : !X) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %out, %t : f32
    linalg.yield %r : f32
  } -> !X
  return %dQ, %dK, %dV : !X, !X, !X
}
