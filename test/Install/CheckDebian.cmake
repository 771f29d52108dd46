# cpack makes a Debian package with everything in its place, and what it needs.
#   cmake -DBUILD=build -DFOLDER=empty -P THIS
cmake_minimum_required(VERSION 3.22)

find_program(dpkg_deb dpkg-deb)
find_program(shlibdeps dpkg-shlibdeps)
if(NOT dpkg_deb OR NOT shlibdeps)
  message("skipped: expected dpkg-deb and dpkg-shlibdeps but got neither or one")
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
get_filename_component(cpack_folder ${CMAKE_COMMAND} DIRECTORY)
execute_process(COMMAND ${cpack_folder}/cpack -G DEB -B ${FOLDER}
                        --config ${BUILD}/CPackConfig.cmake
                        -D CPACK_DEBIAN_COMPRESSION_TYPE=none
                WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
file(GLOB package ${FOLDER}/astfe_*.deb)
if(NOT status EQUAL 0 OR NOT package)
  message(FATAL_ERROR "cpack made no package\n${output}")
endif()
execute_process(COMMAND ${dpkg_deb} --contents ${package} OUTPUT_VARIABLE files)
execute_process(COMMAND ${dpkg_deb} --info ${package} OUTPUT_VARIABLE info)
foreach(file usr/bin/astfe-opt usr/lib/libASTFE.so usr/lib/libastfe_runtime.so
        usr/lib/ASTFEPlugin.so usr/lib/cmake/ASTFE/ASTFEConfig.cmake
        usr/lib/pkgconfig/astfe.pc usr/include/ASTFE-c/Matrix.h
        usr/include/ASTFE/Dialect/ASTFEOps.td usr/include/ASTFE/Transforms/Passes.h.inc
        usr/lib/python3/dist-packages/astfe/__init__.py)
  if(NOT files MATCHES "\\./${file}[ \n]")
    message(SEND_ERROR "expected ${file} in\n${files}")
  endif()
endforeach()
# Which package has libMLIR.so is for dpkg-shlibdeps to find.
if(NOT info MATCHES "Depends: [^\n]*libmlir-22")
  message(SEND_ERROR "expected a dependence on libmlir-22 but got\n${info}")
endif()
file(REMOVE_RECURSE ${FOLDER})
