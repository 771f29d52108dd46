// RUN: astfe-opt %s --astfe-attach-profile=matrix=%S/../attach-profile/Inputs/small.mtx \
// RUN:   --astfe-to-cpu --remarks-filter='astfe-partition' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-attach-profile=matrix=%S/../attach-profile/Inputs/small.mtx \
// RUN:   --astfe-to-cpu=storage=packed --remarks-filter='astfe-partition' \
// RUN:   --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=PACKED

// The default pipeline views: a profile that somebody attached is not used, and
// a remark says so, for the argument that has one.

// CHECK:     [Missed] kept | Category:astfe-partition | Function=spmv | Reason="the argument's profile says nothing for storage=view; storage=packed partitions by it"
// CHECK:     [Missed] kept | Category:astfe-partition | Function=transposed | Reason="the argument's profile says nothing for storage=view;
// CHECK-NOT: Reason="the argument's profile
// PACKED-NOT: the argument's profile
// PACKED:    [Passed] partitioned {{.*}}Function=spmv |
// PACKED:    [Missed] profile-ignored | Category:astfe-partition | Function=transposed | Reason="the argument's profile is not that of its transpose, which is packed"
// PACKED:    [Passed] partitioned {{.*}}Function=transposed |

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmv(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>, %y: tensor<8xf32>)
    -> tensor<8xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Where the nonzeros of the columns lie, no profile of the rows says.

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @transposed(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>, %y: tensor<8xf32>)
    -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#ij, #i, #j], iterator_types = ["reduction", "parallel"]}
      ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
