// RUN: astfe-opt %s > %t.before
// RUN: astfe-opt %s --astfe-merge-inspectors | diff %t.before -

// Equal ops that are not ours stay two, and so do views, which cost nothing and
// say where a tensor is read, and packs of which neither runs before the other.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered]>

func.func private @use(!astfe.blocked<8x8, #view>)
func.func private @usePacked(!astfe.blocked<8x8, #pack>)
func.func private @write(tensor<8xf32>, tensor<8xf32>)

func.func @f(%D: tensor<8x8xf32>, %E: tensor<8x8xf32, #CSR>,
             %g: !astfe.graph<8x8>, %which: i1) {
  %e = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8xf32>
  call @write(%e, %o) : (tensor<8xf32>, tensor<8xf32>) -> ()
  %A = sparse_tensor.convert %D : tensor<8x8xf32> to tensor<8x8xf32, #CSR>
  %B = sparse_tensor.convert %D : tensor<8x8xf32> to tensor<8x8xf32, #CSR>
  %P = astfe.pack %A : tensor<8x8xf32, #CSR> -> !astfe.blocked<8x8, #view>
  call @use(%P) : (!astfe.blocked<8x8, #view>) -> ()
  %Q = astfe.pack %B : tensor<8x8xf32, #CSR> -> !astfe.blocked<8x8, #view>
  call @use(%Q) : (!astfe.blocked<8x8, #view>) -> ()
  %T = astfe.pack %B : tensor<8x8xf32, #CSR> -> !astfe.blocked<8x8, #view>
  call @use(%T) : (!astfe.blocked<8x8, #view>) -> ()
  scf.if %which {
    %R = astfe.pack %E by %g
      : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
    func.call @usePacked(%R) : (!astfe.blocked<8x8, #pack>) -> ()
  } else {
    %S = astfe.pack %E by %g
      : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
    func.call @usePacked(%S) : (!astfe.blocked<8x8, #pack>) -> ()
  }
  return
}
