# What `cmake --install` puts into an empty folder is enough to compile, link
# and run a program of the C API: nothing of the source or build tree is named.
#   cmake -DBUILD=build -DPREFIX=empty -DCOMPILER=cc -DPROGRAM=file.c -P THIS
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${PREFIX})
run(${CMAKE_COMMAND} --install ${BUILD} --component capi --prefix ${PREFIX})
file(GLOB_RECURSE library ${PREFIX}/libASTFE.so)
if(NOT library)
  message(FATAL_ERROR "expected libASTFE.so in ${PREFIX}")
endif()
get_filename_component(folder ${library} DIRECTORY)
run(${COMPILER} -std=c99 ${PROGRAM} -I${PREFIX}/include -L${folder} -lASTFE
    -lpthread -lm -Wl,-rpath,${folder} -o ${PREFIX}/program)
run(${PREFIX}/program)
