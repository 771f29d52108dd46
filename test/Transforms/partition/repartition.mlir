// RUN: astfe-opt %s --astfe-partition="expected-runs=1700" --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: astfe-opt %s --astfe-partition="expected-runs=1701" --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: astfe-opt %s --astfe-partition="expected-runs=0" --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/../attach-profile/Inputs/small.mtx min=1" \
// RUN:   --astfe-partition="expected-runs=1" --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=KNOWN

// A pattern is packed once the expected runs pay for it, and not one run before;
// one that nobody multiplies by, never. Without `expected-runs` all are packed.
// Known nonzeros are those that count.

// FEW:      [Missed] repartition | Category:astfe-partition | Function=spmv | break-even=1701, expected-runs=1700, packed-ns=398179, pattern=nominal, set-up-ns=10485760, trips=1, view-ns=404347
// FEW:      [Missed] repartition | Category:astfe-partition | Function=pattern | break-even=never, expected-runs=1700, packed-ns=0, pattern=nominal, set-up-ns=0, trips=1, view-ns=0
// FEW-NOT:  astfe.partition %

// MANY:     [Passed] repartition | Category:astfe-partition | Function=spmv | break-even=1701, expected-runs=1701,
// MANY:     func.func @spmv
// MANY:       astfe.partition %
// MANY:     func.func @pattern
// MANY-NOT:   astfe.partition %

// ALL-NOT:  ] repartition
// ALL:      func.func @spmv
// ALL:        astfe.partition %
// ALL:      func.func @pattern
// ALL:        astfe.partition %

// KNOWN:    [Missed] repartition | Category:astfe-partition | Function=spmv | {{.*}}pattern=profiled, set-up-ns=120,

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, k) -> (n)>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #k, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @pattern(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
