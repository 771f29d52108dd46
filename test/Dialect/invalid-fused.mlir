// RUN: astfe-opt %s --split-input-file --verify-diagnostics

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_argument(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected argument 1 of the region to be 'tensor<?xf32>' but got 'tensor<4xf32>'}}
  %f = "astfe.fused"(%P, %A, %y) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%p: !P, %a: tensor<4xf32>, %o: tensor<4xf32>):
    %r = astfe.compute over %p : !P maps [#i, #i]
        ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  }) : (!P, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_count(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected 3 arguments of the region, one per operand, but got 2}}
  %f = "astfe.fused"(%P, %A, %y) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%p: !P, %o: tensor<4xf32>):
    %r = astfe.compute over %p : !P maps [#i]
        ins() outs(%o : tensor<4xf32>) overwrite {
    ^bb0:
      %s = arith.constant 1.0 : f32
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  }) : (!P, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_isolated(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %f = astfe.fused over %p = %P : !P
      ins() outs(%o = %y : tensor<4xf32>) {
    // expected-error @+1 {{using value defined outside the region}}
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%A : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_buffer(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: memref<4xf32>) {
  // expected-error @+1 {{expected scalars and dense tensors only but got 'memref<4xf32>'}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A, %b = %B : tensor<?xf32>, memref<4xf32>) outs(%o = %y : tensor<4xf32>) {
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_output(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected at least one output but got none}}
  astfe.fused over %p = %P : !P ins() outs() {
  }
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f1_results(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected the results to be 'tensor<4xf32>' but got 'tensor<?xf32>'}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<?xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f2_member(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected computations, locals, constants and epilogues in its region but got 'tensor.cast'}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %z = tensor.cast %a : tensor<?xf32> to tensor<5xf32>
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>
#kd = affine_map<(k, d) -> (k, d)>
#k1 = affine_map<(k, d) -> (k)>

func.func private @fused_f2_reduction(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: tensor<4x3xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A, %b = %B : tensor<?xf32>, tensor<4x3xf32>) outs(%o = %y : tensor<4xf32>) {
    %q = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected an epilogue of astfe.fused to have parallel loops only}}
    %r = linalg.generic {indexing_maps = [#kd, #k1], iterator_types = ["parallel", "reduction"]}
        ins(%b : tensor<4x3xf32>) outs(%q : tensor<4xf32>) {
    ^bb0(%s: f32, %t: f32):
      linalg.yield %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>
#d0 = affine_map<(d, k) -> (d)>
#d1 = affine_map<(d, k) -> (k)>

func.func private @fused_f2_loops(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: tensor<3xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A, %b = %B : tensor<?xf32>, tensor<3xf32>) outs(%o = %y : tensor<4xf32>) {
    %q = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected an epilogue of astfe.fused to run over (key, dense...) but got the output map}}
    %r = linalg.generic {indexing_maps = [#d0, #d1], iterator_types = ["parallel", "parallel"]}
        ins(%b : tensor<3xf32>) outs(%q : tensor<4xf32>) {
    ^bb0(%s: f32, %t: f32):
      linalg.yield %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f2_order(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #i : !P -> tensor<4xf32>
    %l2 = astfe.local over %p at #i : !P -> tensor<4xf32>
    %m = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%l : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    %h = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%m : tensor<4xf32>) outs(%l2 : tensor<4xf32>) {
    ^bb0(%s: f32, %t: f32):
      linalg.yield %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected operands that no epilogue computes}}
    %r = astfe.compute over %p : !P maps [#i, #i]
        ins(%h : tensor<4xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>
#ji = affine_map<(n, i, j) -> (j, i)>

func.func private @fused_f3_map(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: tensor<4x4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %B : tensor<4x4xf32>) {
    // expected-error @+1 {{expected an output in astfe.fused indexed by the nonzero or one mode, then by dense dimensions, but got}}
    %r = astfe.compute over %p : !P maps [#n, #ji]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4x4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4x4xf32>
    astfe.return %r : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f3_two_keys(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #j : !P -> tensor<4xf32>
    %m = astfe.compute over %p : !P maps [#n, #j]
        ins(%a : tensor<?xf32>) outs(%l : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected an output indexed by the nonzero or by mode 1, the key of the astfe.fused around it, but got mode 0}}
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f3_local(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #n : !P -> tensor<?xf32>
    // expected-error @+1 {{expected a local to be written where its map says, but got another index}}
    %m = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%l : tensor<?xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<?xf32>
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f3_overwrite(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #i : !P -> tensor<4xf32>
    // expected-error @+1 {{expected 'overwrite', as a local holds nothing before}}
    %m = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%l : tensor<4xf32>) {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f4_column(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #i : !P -> tensor<4xf32>
    %m = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%l : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected a value that the astfe.fused around it computes to be read where it was written, but got the map}}
    %r = astfe.compute over %p : !P maps [#j, #i]
        ins(%m : tensor<4xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f4_nothing(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #i : !P -> tensor<4xf32>
    // expected-error @+1 {{expected a value that was written but got an astfe.local}}
    %r = astfe.compute over %p : !P maps [#i, #i]
        ins(%l : tensor<4xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f4_epilogue(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #n : !P -> tensor<?xf32>
    %m = astfe.compute over %p : !P maps [#n, #n]
        ins(%a : tensor<?xf32>) outs(%l : tensor<?xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<?xf32>
    %q = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected an epilogue to read values of keys but got one of nonzeros}}
    %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%m : tensor<?xf32>) outs(%q : tensor<4xf32>) {
    ^bb0(%s: f32, %t: f32):
      linalg.yield %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f5_input(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A, %b = %B : tensor<?xf32>, tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    // expected-error @+1 {{expected to write into an astfe.local or an output of the astfe.fused around it}}
    %m = astfe.compute over %p : !P maps [#i, #i]
        ins(%b : tensor<4xf32>) outs(%b : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f5_read_before(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #i : !P -> tensor<4xf32>
    %m = astfe.compute over %p : !P maps [#i, #i]
        ins(%o : tensor<4xf32>) outs(%l : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    // expected-error @+1 {{expected nobody else to read what an output held before}}
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f5_returned(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected returned value 0 to be written into output 0}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    astfe.return %o : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f5_count(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 returned values, one per result, but got 2}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r, %r : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

func.func private @fused_f6(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>, %B: tensor<?xi32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A, %b = %B : tensor<?xf32>, tensor<?xi32>) outs(%o = %y : tensor<4xf32>) {
    %l = astfe.local over %p at #n : !P -> tensor<?xi32>
    %m = astfe.compute over %p : !P maps [#n, #n]
        ins(%b : tensor<?xi32>) outs(%l : tensor<?xi32>) overwrite {
    ^bb0(%s: i32):
      // expected-error @+1 {{expected an op that can be speculated in the bodies of astfe.fused}}
      %t = arith.divsi %s, %s : i32
      astfe.yield "addi" %t : i32
    } -> tensor<?xi32>
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#ij = affine_map<(n, i, j) -> (i, j)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x4, #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile], assume_finite>>

func.func private @fused_f7(%P: !P, %A: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected a layout without 'assume_finite', whose slots are all nonzeros, but got #astfe.layout<packed}}
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<4xf32>) {
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<4xf32>
    astfe.return %r : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c1(%P: !P, %size: index) {
  // expected-error @+1 {{expected a map of at least 3 dimensions and no symbols but got 2 and 0}}
  %l = astfe.local over %P at affine_map<(n, i) -> (i)> : !P -> tensor<4xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c2(%P: !P, %size: index) {
  // expected-error @+1 {{expected the map to pick 2 dimensions but got 1}}
  %l = astfe.local over %P at affine_map<(n, i, j) -> (i)> : !P -> tensor<4x4xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c3(%P: !P, %size: index) {
  // expected-error @+1 {{expected the map to pick the nonzero or one mode, then dense dimensions, but got}}
  %l = astfe.local over %P at affine_map<(n, i, j) -> (i, j)> : !P -> tensor<4x4xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c4(%P: !P, %size: index) {
  // expected-error @+1 {{expected 1 sizes, one per dynamic dense extent, but got 0}}
  %l = astfe.local over %P at affine_map<(n, i, j, h) -> (n, h)> : !P -> tensor<?x?xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c5(%P: !P, %size: index) {
  // expected-error @+1 {{expected the extent 4 but got 5}}
  %l = astfe.local over %P at affine_map<(n, i, j) -> (i)> : !P -> tensor<5xf32>
  return
}

// -----

!P = !astfe.blocked<4x?, #astfe.layout<view>>

func.func private @local_c6(%P: !P, %size: index) {
  // expected-error @+1 {{expected a dense tensor or a buffer but got 'tensor<*xf32>'}}
  %l = astfe.local over %P at affine_map<(n, i, j) -> (i)> : !P -> tensor<*xf32>
  return
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

func.func private @fused_f3_one_output_two_indices(%P: !P, %A: tensor<?xf32>, %y: tensor<?xf32>) {
  %f = astfe.fused over %p = %P : !P
      ins(%a = %A : tensor<?xf32>) outs(%o = %y : tensor<?xf32>) {
    %m = astfe.compute over %p : !P maps [#n, #n]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<?xf32>
    // expected-error @+1 {{expected one index for all that is written into one output}}
    %r = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%m : tensor<?xf32>) {
    ^bb0(%s: f32):
      astfe.yield "addf" %s : f32
    } -> tensor<?xf32>
    astfe.return %r : tensor<?xf32>
  } -> tensor<?xf32>
  return
}
