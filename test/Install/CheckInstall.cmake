# What `cmake --install` puts into an empty folder is enough for two projects
# that know nothing of the source or build tree: a C program, and an mlir-opt of
# somebody's own.
#   cmake -DBUILD=build -DPREFIX=empty -DCC=cc -DCXX=c++ -DLLVM_TOOLS=bin
#         -DPYTHON=python3 -P THIS
cmake_minimum_required(VERSION 3.22)

# run(COMMAND...): its output is in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endmacro()

# expect(TEXT): the last run printed it.
macro(expect text)
  string(FIND "${output}" "${text}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected '${text}' but got\n${output}")
  endif()
endmacro()

# build(PROJECT OPTIONS...): in a folder beside the prefix.
macro(build project)
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/${project}
      -B ${PREFIX}-${project} -DCMAKE_PREFIX_PATH=${PREFIX}
      -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
      -DCMAKE_BUILD_TYPE=None ${ARGN})
  run(${CMAKE_COMMAND} --build ${PREFIX}-${project})
endmacro()

file(REMOVE_RECURSE ${PREFIX} ${PREFIX}-c-program ${PREFIX}-own-opt)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})

set(source ${CMAKE_CURRENT_LIST_DIR}/../..)
build(c-program -DCAPI_CHECK=${source}/unittests/CAPI/MatrixCheck.c
      -DLLVM_TOOLS=${LLVM_TOOLS} -DASTFE_OPT=${PREFIX}/bin/astfe-opt)
run(${PREFIX}-c-program/capi)
run(${PREFIX}-c-program/ahead)
expect("111 14 9 12 in place")

build(own-opt)
run(${PREFIX}-own-opt/own-opt
    ${CMAKE_CURRENT_LIST_DIR}/own-opt/product.mlir
    --convert-linalg-to-astfe --own-count-computes)
expect("1 computation over !astfe.blocked<?x?, #astfe.layout<view>>")
run(${PREFIX}-own-opt/own-handle)
expect("#astfe.layout<view>")
expect("ran astfe-check-elements")

# pkg-config knows the same, wherever the prefix is moved to.
find_program(pkg_config pkg-config)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/lib/pkgconfig)
  foreach(package astfe astfe_runtime)
    run(${pkg_config} --cflags --libs ${package})
    expect("/include -L")
  endforeach()
endif()

# Python finds the library of its own prefix.
set(ENV{PYTHONPATH} ${PREFIX}/lib/python3/dist-packages)
run(${PYTHON} -c "from astfe import _library
print(_library.version(), _library.library())")
expect("0.1.0 <CDLL '${PREFIX}/lib/libASTFE.so'")

# The tools run, and mlir-opt loads the plug-in.
run(${PREFIX}/bin/astfe-opt --version)
run(${LLVM_TOOLS}/mlir-opt --load-dialect-plugin=${PREFIX}/lib/ASTFEPlugin.so
    --load-pass-plugin=${PREFIX}/lib/ASTFEPlugin.so
    ${CMAKE_CURRENT_LIST_DIR}/own-opt/product.mlir
    --pass-pipeline=builtin.module\(convert-linalg-to-astfe\))
expect("astfe.compute over")
