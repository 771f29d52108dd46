// RUN: astfe-opt %s --astfe-fuse-computes --split-input-file --remarks-filter='.*fuse.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --split-input-file > %t.before
// RUN: astfe-opt %s --astfe-fuse-computes --split-input-file | diff %t.before -

// What stays as it is, and the rule that it would break.

#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// A (A X): row j is read where row i is made.
// CHECK: [Missed] kept-apart | Category:astfe-fuse-computes | Function=f4 | Reason="F4: what it makes is read at another nonzero or key"
func.func @f4(%P: !P, %v: tensor<?xf32>, %X: tensor<8x4xf32>,
              %Y: tensor<8x4xf32>, %Z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%v, %X : tensor<?xf32>, tensor<8x4xf32>)
      outs(%Y : tensor<8x4xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8x4xf32>
  %s = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%v, %r : tensor<?xf32>, tensor<8x4xf32>)
      outs(%Z : tensor<8x4xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8x4xf32>
  return %s : tensor<8x4xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// A column sum that scales the rows' chain: two keys.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f3 | Reason="F3: the chain would have two keys"
func.func @f3(%P: !P, %v: tensor<?xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>)
    -> tensor<8xf32> {
  %r = astfe.compute over %P : !P maps [#n, #j]
      ins(%v : tensor<?xf32>) outs(%y : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  %s = astfe.compute over %P : !P maps [#n, #j, #i]
      ins(%v, %r : tensor<?xf32>, tensor<8xf32>)
      outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

func.func private @use(tensor<?xf32>)

// Somebody reads what is made before the last one runs.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f5 | Reason="F5: others read what it makes in between"
func.func @f5(%P: !P, %v: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<8xf32>)
    -> tensor<8xf32> {
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    astfe.yield "addf" %e : f32
  } -> tensor<?xf32>
  call @use(%r) : (tensor<?xf32>) -> ()
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%r : tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f6 | Reason="F6: the body may not be speculated or reads tensors from outside"
func.func @f6(%P: !P, %v: tensor<?xi32>, %y: tensor<?xi32>, %z: tensor<8xi32>)
    -> tensor<8xi32> {
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xi32>) outs(%y : tensor<?xi32>) overwrite {
  ^bb0(%a: i32):
    %e = arith.divsi %a, %a : i32
    astfe.yield "addi" %e : i32
  } -> tensor<?xi32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%r : tensor<?xi32>) outs(%z : tensor<8xi32>) overwrite {
  ^bb0(%a: i32):
    astfe.yield "addi" %a : i32
  } -> tensor<8xi32>
  return %s : tensor<8xi32>
}

// -----

// MLIR takes remainders to be safe, which they are not.

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f6_remainder | Reason="F6: the body may not be speculated or reads tensors from outside"
func.func @f6_remainder(%P: !P, %v: tensor<?xi32>, %y: tensor<?xi32>, %z: tensor<8xi32>)
    -> tensor<8xi32> {
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xi32>) outs(%y : tensor<?xi32>) overwrite {
  ^bb0(%a: i32):
    %e = arith.remsi %a, %a : i32
    astfe.yield "addi" %e : i32
  } -> tensor<?xi32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%r : tensor<?xi32>) outs(%z : tensor<8xi32>) overwrite {
  ^bb0(%a: i32):
    astfe.yield "addi" %a : i32
  } -> tensor<8xi32>
  return %s : tensor<8xi32>
}

// -----

#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// A megabyte for one row is not kept beside the kernel's other operands.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=cache | Reason="cost: what it makes for one key does not fit the cache"
func.func @cache(%P: !P, %v: tensor<?xf32>, %X: tensor<8x262144xf32>,
                 %Y: tensor<8x262144xf32>, %Z: tensor<8x262144xf32>)
    -> tensor<8x262144xf32> {
  %r = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%v, %X : tensor<?xf32>, tensor<8x262144xf32>)
      outs(%Y : tensor<8x262144xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8x262144xf32>
  %s = astfe.compute over %P : !P maps [#nx, #ix, #ix]
      ins(%v, %r : tensor<?xf32>, tensor<8x262144xf32>)
      outs(%Z : tensor<8x262144xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8x262144xf32>
  return %s : tensor<8x262144xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<8x8, #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile], assume_finite>>

// F7: exp(0) of what a tile is filled with would count.
func.func @f7(%P: !P, %v: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<8xf32>)
    -> tensor<8xf32> {
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    astfe.yield "addf" %e : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%r : tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// No epilogues: one adds to what its output holds, one reads the product twice,
// and one reads a product that is returned too.
func.func @epilogues(%P: !P, %v: tensor<?xf32>, %y: tensor<8xf32>,
                     %z: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<8xf32>) overwrite {
  ^bb0(%t: f32):
    astfe.yield "addf" %t : f32
  } -> tensor<8xf32>
  %adds = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%t: f32, %out: f32):
    %s = arith.addf %t, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %b = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<8xf32>) overwrite {
  ^bb0(%t: f32):
    astfe.yield "addf" %t : f32
  } -> tensor<8xf32>
  %squares = linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = ["parallel"]}
      ins(%b, %b : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%t: f32, %u: f32, %out: f32):
    %s = arith.mulf %t, %u : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %c = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<8xf32>) overwrite {
  ^bb0(%t: f32):
    astfe.yield "addf" %t : f32
  } -> tensor<8xf32>
  %negated = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
      ins(%c : tensor<8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%t: f32, %out: f32):
    %s = arith.negf %t : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %adds, %squares, %c, %negated
    : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// What is added to is read before: in one op both would need a buffer.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=copied | Reason="cost: the chain would write what it reads, a copy of it"
func.func @copied(%P: !P, %v: tensor<?xf32>, %y: tensor<?xf32>,
                  %z: tensor<8xf32>) -> tensor<8xf32> {
  %r = astfe.compute over %P : !P maps [#n, #i, #n]
      ins(%v, %z : tensor<?xf32>, tensor<8xf32>) outs(%y : tensor<?xf32>)
      overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%r : tensor<?xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#none = affine_map<(n, i, j) -> ()>
#r = affine_map<(r) -> (r)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// The sum of all nonzeros is at no nonzero and no row.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f3_all | Reason="F3: an output is indexed by neither the nonzero nor one mode"
func.func @f3_all(%P: !P, %v: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<f32>) -> tensor<f32> {
  %e = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %x = math.exp %a : f32
    astfe.yield "addf" %x : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #none]
      ins(%e : tensor<?xf32>) outs(%z : tensor<f32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#none = affine_map<(n, i, j) -> ()>
#r = affine_map<(r) -> (r)>
!P = !astfe.blocked<8x8, #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile], assume_finite>>

// Slots without a nonzero would be exponentials of 0.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f7 | Reason="F7: tiles that are filled with zeros would take part"
func.func @f7(%P: !P, %v: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %e = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %x = math.exp %a : f32
    astfe.yield "addf" %x : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%e : tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#none = affine_map<(n, i, j) -> ()>
#r = affine_map<(r) -> (r)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>
!Q = !astfe.blocked<8x8, #astfe.layout<view>>

// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f2_pattern | Reason="F2: it computes over another pattern"
func.func @f2_pattern(%P: !P, %Q: !Q, %v: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %e = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %x = math.exp %a : f32
    astfe.yield "addf" %x : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %Q : !Q maps [#n, #i]
      ins(%e : tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#none = affine_map<(n, i, j) -> ()>
#r = affine_map<(r) -> (r)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// Both add to one result.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f5_before | Reason="F5: what an output held before is read"
func.func @f5_before(%P: !P, %v: tensor<?xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  return %e, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#none = affine_map<(n, i, j) -> ()>
#r = affine_map<(r) -> (r)>
!P = !astfe.blocked<8x8, #astfe.layout<view>>

// What follows adds to what was there.
// CHECK: kept-apart | Category:astfe-fuse-computes | Function=f2_epilogue | Reason="F2: what follows does not write each element where it reads it"
func.func @f2_epilogue(%P: !P, %v: tensor<?xf32>, %z: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<8xf32>
  %t = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]}
      ins(%s : tensor<8xf32>) outs(%w : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.addf %a, %b : f32
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %t : tensor<8xf32>
}
