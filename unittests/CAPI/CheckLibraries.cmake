# libASTFE.so and libastfe_runtime.so need neither LLVM nor an OpenMP runtime;
# libASTFECompiler.so needs LLVM, and all have one runtime.
#   cmake -DREADELF=readelf -DAPI=libASTFE.so -DRUNTIME=libastfe_runtime.so
#         -DCOMPILER=libASTFECompiler.so -P THIS
cmake_minimum_required(VERSION 3.22)
function(needed result library)
  execute_process(COMMAND ${READELF} -d ${library}
                  OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "readelf failed on ${library}")
  endif()
  string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" names "${text}")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

needed(api ${API})
needed(runtime ${RUNTIME})
needed(compiler ${COMPILER})
foreach(name IN LISTS api runtime)
  if(name MATCHES "LLVM|MLIR|omp|ASTFECompiler")
    message(SEND_ERROR "expected no compiler and no OpenMP but got ${name}")
  endif()
endforeach()
if(NOT compiler MATCHES "libLLVM")
  message(SEND_ERROR "expected LLVM in ${COMPILER} but got ${compiler}")
endif()
foreach(names IN ITEMS "${api}" "${compiler}")
  if(NOT names MATCHES "libastfe_runtime")
    message(SEND_ERROR "expected libastfe_runtime.so but got ${names}")
  endif()
endforeach()
