// C += A B over packed tables with 32-bit columns, written to be obviously
// right: a warp per worker, a lane per column, every product added atomically.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @packed(%worker_span_: memref<i64>, %span_slot_: memref<i64>,
                     %span_segment_: memref<i64>, %segment_row_: memref<i32>,
                     %segment_end_: memref<i32>, %columns_: memref<i32>,
                     %values_: memref<f32>, %B_: memref<f32>, %C_: memref<f32>,
                     %workers_: i32, %count_: i32)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0 : i32
      %ones = arith.constant -1 : i32
      %huge = arith.constant 1000000000 : index
      %worker_span = memref.reinterpret_cast %worker_span_ to offset: [0], sizes: [%huge], strides: [1] : memref<i64> to memref<?xi64, strided<[1]>>
      %span_slot = memref.reinterpret_cast %span_slot_ to offset: [0], sizes: [%huge], strides: [1] : memref<i64> to memref<?xi64, strided<[1]>>
      %span_segment = memref.reinterpret_cast %span_segment_ to offset: [0], sizes: [%huge], strides: [1] : memref<i64> to memref<?xi64, strided<[1]>>
      %segment_row = memref.reinterpret_cast %segment_row_ to offset: [0], sizes: [%huge], strides: [1] : memref<i32> to memref<?xi32, strided<[1]>>
      %segment_end = memref.reinterpret_cast %segment_end_ to offset: [0], sizes: [%huge], strides: [1] : memref<i32> to memref<?xi32, strided<[1]>>
      %columns = memref.reinterpret_cast %columns_ to offset: [0], sizes: [%huge], strides: [1] : memref<i32> to memref<?xi32, strided<[1]>>
      %values = memref.reinterpret_cast %values_ to offset: [0], sizes: [%huge], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
      %B = memref.reinterpret_cast %B_ to offset: [0], sizes: [%huge], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
      %C = memref.reinterpret_cast %C_ to offset: [0], sizes: [%huge], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
      %workers = arith.index_cast %workers_ : i32 to index
      %count = arith.index_cast %count_ : i32 to index
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %y = gpu.block_id y
      %lane = arith.remui %t, %c32 : index
      %warp = arith.divui %t, %c32 : index
      %first = arith.muli %b, %c4 : index
      %worker = arith.addi %first, %warp : index
      %tile = arith.muli %y, %c32 : index
      %j = arith.addi %tile, %lane : index
      %is_worker = arith.cmpi ult, %worker, %workers : index
      %is_column = arith.cmpi ult, %j, %count : index
      %is = arith.andi %is_worker, %is_column : i1
      scf.if %is {
        %next_worker = arith.addi %worker, %c1 : index
        %s0_ = memref.load %worker_span[%worker] : memref<?xi64, strided<[1]>>
        %s1_ = memref.load %worker_span[%next_worker] : memref<?xi64, strided<[1]>>
        %s0 = arith.index_cast %s0_ : i64 to index
        %s1 = arith.index_cast %s1_ : i64 to index
        scf.for %s = %s0 to %s1 step %c1 {
          %s_next = arith.addi %s, %c1 : index
          %g0_ = memref.load %span_segment[%s] : memref<?xi64, strided<[1]>>
          %g1_ = memref.load %span_segment[%s_next] : memref<?xi64, strided<[1]>>
          %g0 = arith.index_cast %g0_ : i64 to index
          %g1 = arith.index_cast %g1_ : i64 to index
          %base_ = memref.load %span_slot[%s] : memref<?xi64, strided<[1]>>
          %base = arith.index_cast %base_ : i64 to index
          %last = scf.for %g = %g0 to %g1 step %c1 iter_args(%from = %base) -> index {
            %marked = memref.load %segment_row[%g] : memref<?xi32, strided<[1]>>
            %shared = arith.cmpi slt, %marked, %zero : i32
            %other = arith.xori %marked, %ones : i32
            %row_ = arith.select %shared, %other, %marked : i32
            %row = arith.index_cast %row_ : i32 to index
            %end_ = memref.load %segment_end[%g] : memref<?xi32, strided<[1]>>
            %end = arith.index_cast %end_ : i32 to index
            %to = arith.addi %base, %end : index
            scf.for %k = %from to %to step %c1 {
              %column_ = memref.load %columns[%k] : memref<?xi32, strided<[1]>>
              %column = arith.index_cast %column_ : i32 to index
              %v = memref.load %values[%k] : memref<?xf32, strided<[1]>>
              %bi_ = arith.muli %column, %count : index
              %bi = arith.addi %bi_, %j : index
              %x = memref.load %B[%bi] : memref<?xf32, strided<[1]>>
              %p = arith.mulf %v, %x : f32
              %ci_ = arith.muli %row, %count : index
              %ci = arith.addi %ci_, %j : index
              %old = memref.atomic_rmw addf %p, %C[%ci] : (f32, memref<?xf32, strided<[1]>>) -> f32
            }
            scf.yield %to : index
          }
        }
      }
      gpu.return
    }
  }
}
