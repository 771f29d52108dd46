//===- CallProgramTest.cpp - functions that only call the runtime ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/CallProgram.h"
#include "HostKernels.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace astfe;

namespace {
const char *const kRuntime = R"(
  func.func private @astfe_rt_profile_p32c32(memref<?xi32>, memref<?xi32>, i64,
      i64, i64, i64, i64, i64) -> !llvm.ptr attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_partition(!llvm.ptr, i64, i64) -> !llvm.ptr
      attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_refine(!llvm.ptr, !llvm.ptr, f64, i64, i64, i64,
      i64) -> !llvm.ptr attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_pack_p32c32(memref<?xi32>, memref<?xi32>, i64,
      i64, i64, !llvm.ptr, i64, i64, i64, i64) -> !llvm.ptr
      attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_release(!llvm.ptr)
      attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_slots(!llvm.ptr) -> i64
      attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_values_f32(!llvm.ptr, memref<?xf32>,
      memref<?xf32>) attributes {llvm.emit_c_interface}
  func.func private @astfe_rt_table_i64(!llvm.ptr, i64) -> memref<?xi64>
      attributes {llvm.emit_c_interface}
  func.func private @another(i64) -> i64 attributes {llvm.emit_c_interface}
)";

struct CallProgramTest : HostKernelTest {
  std::unique_ptr<CallProgram> program(const std::string &function) {
    auto module = parseSourceString<ModuleOp>(kRuntime + function, &context);
    EXPECT_TRUE(module);
    return module ? CallProgram::get(module, "f") : nullptr;
  }
};

template <typename T>
AstfeMemRef1D bufferOf(std::vector<T> &values) {
  return {values.data(), values.data(), 0, int64_t(values.size()), 1};
}
} // namespace

TEST_F(CallProgramTest, RunsAnInspector) {
  auto inspector = program(R"(
    func.func @f(%p: memref<?xi32>, %c: memref<?xi32>, %v: memref<?xf32>,
                 %rows: index, %cols: i64)
        -> (!llvm.ptr, tensor<?xf32>, memref<?xi64>, index) {
      %0 = arith.constant 0 : i64
      %1 = arith.constant 1 : i64
      %4 = arith.constant 4 : i64
      %16 = arith.constant 16 : i64
      %tau = arith.constant 0.75 : f64
      %m = arith.index_cast %rows : index to i64
      %profile = call @astfe_rt_profile_p32c32(%p, %c, %m, %cols, %1, %0, %4, %4)
          : (memref<?xi32>, memref<?xi32>, i64, i64, i64, i64, i64, i64)
          -> !llvm.ptr
      %first = call @astfe_rt_partition(%profile, %0, %4)
          : (!llvm.ptr, i64, i64) -> !llvm.ptr
      %graph = call @astfe_rt_refine(%first, %profile, %tau, %4, %4, %16, %1)
          : (!llvm.ptr, !llvm.ptr, f64, i64, i64, i64, i64) -> !llvm.ptr
      %pattern = call @astfe_rt_pack_p32c32(%p, %c, %m, %cols, %1, %graph, %16,
                                            %1, %0, %4)
          : (memref<?xi32>, memref<?xi32>, i64, i64, i64, !llvm.ptr, i64, i64,
             i64, i64) -> !llvm.ptr
      call @astfe_rt_release(%graph) : (!llvm.ptr) -> ()
      call @astfe_rt_release(%first) : (!llvm.ptr) -> ()
      call @astfe_rt_release(%profile) : (!llvm.ptr) -> ()
      %slots = call @astfe_rt_slots(%pattern) : (!llvm.ptr) -> i64
      %size = arith.index_cast %slots : i64 to index
      %packed = memref.alloc(%size) : memref<?xf32>
      call @astfe_rt_values_f32(%pattern, %v, %packed)
          : (!llvm.ptr, memref<?xf32>, memref<?xf32>) -> ()
      %tensor = bufferization.to_tensor %packed restrict writable
          : memref<?xf32> to tensor<?xf32>
      %workers = call @astfe_rt_table_i64(%pattern, %0)
          : (!llvm.ptr, i64) -> memref<?xi64>
      %zero = arith.constant 0 : index
      %nonzeros = memref.dim %v, %zero : memref<?xf32>
      return %pattern, %tensor, %workers, %nonzeros
          : !llvm.ptr, tensor<?xf32>, memref<?xi64>, index
    })");
  ASSERT_TRUE(inspector);
  std::vector<int32_t> positions{0, 2, 3, 5}, columns{0, 2, 1, 0, 3};
  std::vector<float> values{1, 2, 3, 4, 5};
  astfe_rt_clear_error();
  auto results = inspector->run({bufferOf(positions), bufferOf(columns),
                                 bufferOf(values), int64_t(3), int64_t(4)});
  EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  ASSERT_EQ(results.size(), 4u);
  ASSERT_TRUE(results[0].pointer);
  EXPECT_EQ(_mlir_ciface_astfe_rt_extent(results[0].pointer, 1), 4);
  auto *packed = static_cast<float *>(results[1].buffer.aligned);
  ASSERT_EQ(results[1].buffer.size, 5);
  EXPECT_EQ(std::vector<float>(packed, packed + 5), values);
  EXPECT_EQ(results[2].buffer.size,
            _mlir_ciface_astfe_rt_pattern_workers(results[0].pointer) + 1);
  EXPECT_EQ(results[3].integer, 5);
  std::free(results[1].buffer.allocated);
  _mlir_ciface_astfe_rt_release(results[0].pointer);
}

TEST_F(CallProgramTest, LeavesTheRestToTheCompiler) {
  EXPECT_TRUE(program("func.func @f(%n: i64) -> i64 { return %n : i64 }"));
  EXPECT_FALSE(program("func.func @g(%n: i64) -> i64 { return %n : i64 }"));
  EXPECT_FALSE(program(R"(func.func @f(%n: i64) -> i64 {
    %m = call @another(%n) : (i64) -> i64
    return %m : i64
  })"));
  EXPECT_FALSE(program(R"(func.func @f(%n: i64) -> i64 {
    %m = arith.addi %n, %n : i64
    return %m : i64
  })"));
  EXPECT_FALSE(program("func.func @f(%n: i32) -> i32 { return %n : i32 }"));
  EXPECT_FALSE(program(R"(func.func @f() -> tensor<2xi64> {
    %m = arith.constant dense<[1, 2]> : tensor<2xi64>
    return %m : tensor<2xi64>
  })"));
  for (const char *type : {"{alignment = 64} : memref<?xf32>",
                           ": memref<?xf32, strided<[2]>>", ": memref<?xi1>"})
    EXPECT_FALSE(program(std::string("func.func @f(%n: index) {\n"
                                     "%m = memref.alloc(%n) ") +
                         type + "\nreturn }"))
        << type;
  EXPECT_FALSE(program(R"(func.func @f(%n: i64) -> i64 {
    cf.br ^bb1
  ^bb1:
    return %n : i64
  })"));
}
