# What `cmake --install BUILD [--prefix WHERE] [--component C]` installs:
#
#   capi      libASTFE.so, the compiler that it opens, and the C API's headers
#   runtime   libastfe_runtime.so, which these and linked-ahead code call, and its
#             headers
#   tools     the programs, and the plug-in of mlir-opt
#   compiler  the compiler's archives, C++ headers and TableGen files
#   python    the Python package
#
# and for all of them ASTFEConfig.cmake and pkg-config files, by which others
# find them (cmake/package). Nothing that is installed names the source or build
# tree; libMLIR.so is found where this build found it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ASTFE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ASTFE)
set(ASTFE_PACKAGE ${PROJECT_SOURCE_DIR}/cmake/package)
set(ASTFE_HEADERS PATTERN *.h PATTERN *.def PATTERN *.td PATTERN *.inc)

# astfe_install_shared(TARGET COMPONENT)
function(astfe_install_shared target component)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON
                        INSTALL_RPATH $ORIGIN)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT ${component} NAMELINK_COMPONENT ${component})
endfunction()

# Everything that generated code calls, and its headers, need no MLIR.
astfe_install_shared(ASTFERuntimeShared runtime)
install(FILES ${PROJECT_SOURCE_DIR}/include/ASTFE/Runtime/ABI.h
              ${PROJECT_SOURCE_DIR}/include/ASTFE/Runtime/Mgpu.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ASTFE/Runtime COMPONENT runtime)

foreach(tool astfe-opt astfe-run astfe-partition astfe-launch astfe-reduce
        astfe-lsp-server)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON
                          INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
            COMPONENT tools)
  endif()
endforeach()

if(NOT ASTFE_RUNTIME_ONLY)
  astfe_install_shared(ASTFE capi)
  astfe_install_shared(ASTFECompilerShared capi)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ASTFE-c
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT capi)

  astfe_install_shared(ASTFEPlugin tools)

  # ASTFE::InitAll and the libraries below it; the archives link libMLIR.so.
  set(ASTFE_COMPILER ASTFECore ASTFEDialect ASTFEAnalysis ASTFETransforms
      ASTFEConversion ASTFEPipelines ASTFEInitAll)
  foreach(library IN LISTS ASTFE_COMPILER)
    string(REPLACE ASTFE "" exported ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${exported})
    target_include_directories(${library} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  install(TARGETS ${ASTFE_COMPILER} EXPORT ASTFECompilerTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
  install(EXPORT ASTFECompilerTargets NAMESPACE ASTFE::
          DESTINATION ${ASTFE_CMAKE_DIR} COMPONENT compiler)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ASTFE
                    ${PROJECT_BINARY_DIR}/include/ASTFE
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
          FILES_MATCHING ${ASTFE_HEADERS} PATTERN CMakeFiles EXCLUDE)

  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/astfe
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages
          COMPONENT python FILES_MATCHING PATTERN *.py)
endif()

# A package finds the libraries of its own prefix, and says which are not there.
configure_package_config_file(${ASTFE_PACKAGE}/ASTFEConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/ASTFEConfig.cmake
  INSTALL_DESTINATION ${ASTFE_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/ASTFEConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH ASTFE_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name astfe astfe_runtime)
  configure_file(${ASTFE_PACKAGE}/${name}.pc.in
                 ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
endforeach()
foreach(component capi runtime compiler)
  install(FILES ${PROJECT_BINARY_DIR}/package/ASTFEConfig.cmake
                ${PROJECT_BINARY_DIR}/package/ASTFEConfigVersion.cmake
          DESTINATION ${ASTFE_CMAKE_DIR} COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/package/astfe_runtime.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
if(NOT ASTFE_RUNTIME_ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/astfe.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT capi)
endif()

# `cpack -G DEB` in the build folder: one Debian package with all of it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME astfe)
set(CPACK_PACKAGE_VENDOR "the ASTFE authors")
set(CPACK_PACKAGE_CONTACT "the ASTFE authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "sparse tensor compiler on MLIR: tools, libraries, headers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# Headers and archives want MLIR's; the Python package wants NumPy.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "libmlir-22-dev, llvm-22-dev, clang-22, lld-22, python3-numpy")
include(CPack)
