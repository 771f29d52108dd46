# How ASTFE's targets are made. Two kinds of library: those without MLIR (Core,
# Runtime) and those with it. The latter share one precompiled header and link
# libMLIR.so, never a static MLIR target: a process with two copies of MLIR
# crashes in ways that take a day to find.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    $<$<COMPILE_LANGUAGE:CXX>:-Wno-comment>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Precompiled headers stay equal from build to build, so that ccache hits.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
endif()
if(ASTFE_SANITIZE)
  # Kernels that are compiled at run time have no hash of their type before them.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(ASTFE_SANITIZE_THREAD)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
endif()

# LLVM's ADT headers then need no symbol of libLLVM (see docs/Architecture.md).
add_definitions(-DLLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)

# Finds LLVM and MLIR 22 and sets what every target with MLIR needs.
macro(astfe_find_mlir)
  find_package(MLIR REQUIRED CONFIG
               HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR "expected LLVM and MLIR 22 but got ${LLVM_VERSION}")
  endif()
  # MLIR tells types apart by names that the compiler spells, where symbols are
  # hidden (libASTFE.so): GCC's spelling is not that of Debian's libMLIR.so.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "expected Clang, which Debian's libMLIR.so is built "
            "with, but got ${CMAKE_CXX_COMPILER_ID}; see CMakePresets.json")
  endif()
  list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  set(MLIR_LINK_MLIR_DYLIB ON)
  include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  separate_arguments(LLVM_DEFS UNIX_COMMAND "${LLVM_DEFINITIONS}")
  add_definitions(${LLVM_DEFS})
  add_library(ASTFEPrecompiled STATIC
              ${PROJECT_SOURCE_DIR}/lib/Support/Precompiled.cpp)
  target_precompile_headers(ASTFEPrecompiled PRIVATE
              ${PROJECT_SOURCE_DIR}/lib/Support/Precompiled.h)
endmacro()

# astfe_add_core_library(NAME SOURCES... [LINK LIBS...])
# A library that includes neither MLIR nor anything of LLVM that must be linked.
function(astfe_add_core_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} Threads::Threads)
endfunction()

# astfe_add_library(NAME SOURCES... [LINK LIBS...] [DEPENDS TARGETS...])
# A library of the compiler: precompiled header, libMLIR.so.
function(astfe_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM ASTFEPrecompiled)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Programs share the libraries' precompiled header, so they are compiled as
# position-independent code in the same way (-fPIC, not CMake's -fPIE).
function(astfe_use_precompiled name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM ASTFEPrecompiled)
endfunction()

# astfe_add_tool(NAME SOURCES... [LINK LIBS...] [CORE])
# With CORE the tool links no LLVM library.
function(astfe_add_tool name)
  cmake_parse_arguments(ARG "CORE" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_CORE)
    astfe_use_precompiled(${name})
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
endfunction()

# astfe_add_unittest(NAME SOURCES... [LINK LIBS...] [MLIR])
# One GoogleTest program; it runs from ctest and from check-astfe.
set_property(GLOBAL PROPERTY ASTFE_UNITTESTS "")
function(astfe_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/unittests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  if(ARG_MLIR)
    astfe_use_precompiled(${name})
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unittest)
  if(ASTFE_SANITIZE_THREAD)
    # Children of a fork() begin threads of their own.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/utils/tsan.supp die_after_fork=0")
  endif()
  set_property(GLOBAL APPEND PROPERTY ASTFE_UNITTESTS ${name})
endfunction()
