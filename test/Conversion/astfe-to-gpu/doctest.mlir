// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// A packed pattern times a dense matrix: a kernel per vector length, one warp a
// worker, and host code that picks among them.

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#packed = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered], target = gpu>

// CHECK: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @spmm
// CHECK:         %[[W:.*]] = call @astfe_rt_pattern_workers
// CHECK:         call @astfe_rt_fits
// CHECK:         %[[FIT:.*]] = arith.select %{{.*}}, %[[W]],
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %[[FIT]]
// CHECK:         scf.if
// Values for every slot, and copies and tables that are there, or no launch.
// CHECK:           %[[COUNT:.*]] = func.call @astfe_rt_slots
// CHECK:           %[[SLOTS:.*]] = arith.index_cast %[[COUNT]]
// CHECK:           arith.cmpi uge, %{{.*}}, %[[SLOTS]] : index
// CHECK:           scf.if
// CHECK-NOT:       gpu.alloc
// CHECK:           %[[LENT:.*]] = func.call @astfe_rt_device_lend(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> memref<?xi8>
// CHECK:           %[[COPY:.*]] = memref.view %[[LENT]]
// CHECK:           gpu.memcpy async [%{{.*}}] %[[COPY]], %{{.*}} : memref<?x?xf32>, memref<?x?xf32>
// CHECK:           call @astfe_rt_device_table_i64
// CHECK:           memref.extract_aligned_pointer_as_index {{.*}} : memref<?xi64>
// CHECK:           memref.extract_aligned_pointer_as_index {{.*}} : memref<?x?xf32>
// CHECK:           memref.extract_aligned_pointer_as_index {{.*}} : memref<?xf32>
// CHECK:           memref.extract_aligned_pointer_as_index {{.*}} : memref<?x?xf32>
// CHECK:           scf.if
// Offsets of vectors in 32 bits, or the kernel that is wide.
// CHECK:           %[[MOST:.*]] = arith.constant 4294967296 : index
// CHECK:           arith.cmpi ugt, %[[MOST]], %{{.*}} : index
// CHECK:           gpu.launch_func @spmm_kernels::@tile128
// CHECK:           gpu.launch_func @spmm_kernels::@tile64
// CHECK:           gpu.launch_func @spmm_kernels::@tile32
// CHECK:           gpu.memcpy async
// CHECK-NOT:       gpu.dealloc
// CHECK:           %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[COPY]]
// CHECK:           %[[NUMBER:.*]] = arith.index_cast %[[ADDRESS]]
// CHECK:           call @astfe_rt_device_take_back(%{{.*}}, %[[NUMBER]])
// CHECK:         bufferization.to_tensor
// CHECK:       gpu.module @spmm_kernels
// CHECK:         gpu.func @tile128(%{{.*}}: memref<i64> {llvm.noalias}
// CHECK-SAME:      astfe.arguments = ["worker_span", "span_slot", "span_segment", "span_column", "span_class", "span_width", "segment_row", "segment_end", "columns", "values", "dense:1", "output", "workers", "column_count"]
// CHECK-SAME:      astfe.column_tile = 128
// CHECK-SAME:      known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME:      nvvm.minctasm = 8
// CHECK:           nvvm.bar.warp.sync
// CHECK:           memref.store {{.*}} : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK:           nvvm.bar.warp.sync
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<128xi32, #gpu.address_space<workgroup>>, vector<4xi32>
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<128xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32, strided<[1], offset: ?>>, vector<4xf32>
// CHECK:           memref.atomic_rmw addf
func.func @spmm(%P: !astfe.blocked<?x?, #packed>, %v: tensor<?xf32>,
                %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #packed> maps [#n, #jk, #ik]
        ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
        outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
