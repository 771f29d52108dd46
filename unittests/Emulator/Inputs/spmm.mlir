// C += A B with a CSR matrix A and 128 columns, as the emulator's tests run it:
// a warp walks the rows w, w + warps, ...; each lane owns four columns. A lane
// loads one nonzero, all lanes get it by shuffles. `shared` adds atomically.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @spmm(%pos_: memref<i32> {llvm.noalias},
                   %crd_: memref<i32> {llvm.noalias},
                   %val_: memref<f32> {llvm.noalias},
                   %B_: memref<f32> {llvm.noalias, llvm.align = 16 : i64},
                   %C_: memref<f32> {llvm.noalias, llvm.align = 16 : i64},
                   %rows: index, %nnz: index, %K: index, %shared: i1)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %w32 = arith.constant 32 : i32
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %n1 = arith.addi %rows, %c1 : index
      %pos = memref.reinterpret_cast %pos_ to offset: [0], sizes: [%n1], strides: [1] : memref<i32> to memref<?xi32, strided<[1]>>
      %crd = memref.reinterpret_cast %crd_ to offset: [0], sizes: [%nnz], strides: [1] : memref<i32> to memref<?xi32, strided<[1]>>
      %val = memref.reinterpret_cast %val_ to offset: [0], sizes: [%nnz], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
      %B = memref.reinterpret_cast %B_ to offset: [0], sizes: [%K, 128], strides: [128, 1] : memref<f32> to memref<?x128xf32, strided<[128, 1]>>
      %C = memref.reinterpret_cast %C_ to offset: [0], sizes: [%rows, 128], strides: [128, 1] : memref<f32> to memref<?x128xf32, strided<[128, 1]>>
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %g = gpu.grid_dim x
      %lane = arith.remui %t, %c32 : index
      %warp = arith.divui %t, %c32 : index
      %first_ = arith.muli %b, %c4 : index
      %first = arith.addi %first_, %warp : index
      %warps = arith.muli %g, %c4 : index
      %column = arith.muli %lane, %c4 : index
      scf.for %row = %first to %rows step %warps {
        %next = arith.addi %row, %c1 : index
        %lo_ = memref.load %pos[%row] : memref<?xi32, strided<[1]>>
        %hi_ = memref.load %pos[%next] : memref<?xi32, strided<[1]>>
        %lo = arith.index_cast %lo_ : i32 to index
        %hi = arith.index_cast %hi_ : i32 to index
        %sum = scf.for %n = %lo to %hi step %c32 iter_args(%acc = %zero) -> vector<4xf32> {
          %mine = arith.addi %n, %lane : index
          %in = arith.cmpi ult, %mine, %hi : index
          %k_, %v_ = scf.if %in -> (i32, f32) {
            %k0 = memref.load %crd[%mine] : memref<?xi32, strided<[1]>>
            %v0 = memref.load %val[%mine] : memref<?xf32, strided<[1]>>
            scf.yield %k0, %v0 : i32, f32
          } else {
            %k1 = arith.constant 0 : i32
            %v1 = arith.constant 0.0 : f32
            scf.yield %k1, %v1 : i32, f32
          }
          %left_ = arith.subi %hi, %n : index
          %left = arith.minui %left_, %c32 : index
          %part = scf.for %j = %c0 to %left step %c1 iter_args(%a = %acc) -> vector<4xf32> {
            %j32 = arith.index_cast %j : index to i32
            %k32, %p0 = gpu.shuffle idx %k_, %j32, %w32 : i32
            %v, %p1 = gpu.shuffle idx %v_, %j32, %w32 : f32
            %k = arith.index_cast %k32 : i32 to index
            %x = vector.load %B[%k, %column] {alignment = 16} : memref<?x128xf32, strided<[128, 1]>>, vector<4xf32>
            %vv = vector.broadcast %v : f32 to vector<4xf32>
            %r = vector.fma %vv, %x, %a : vector<4xf32>
            scf.yield %r : vector<4xf32>
          }
          scf.yield %part : vector<4xf32>
        }
        scf.if %shared {
          scf.for %e = %c0 to %c4 step %c1 {
            %s = vector.extract %sum[%e] : f32 from vector<4xf32>
            %at = arith.addi %column, %e : index
            %old = memref.atomic_rmw addf %s, %C[%row, %at] : (f32, memref<?x128xf32, strided<[128, 1]>>) -> f32
          }
        } else {
          %old = vector.load %C[%row, %column] {alignment = 16} : memref<?x128xf32, strided<[128, 1]>>, vector<4xf32>
          %new = arith.addf %old, %sum : vector<4xf32>
          vector.store %new, %C[%row, %column] {alignment = 16} : memref<?x128xf32, strided<[128, 1]>>, vector<4xf32>
        }
      }
      gpu.return
    }
  }
}
