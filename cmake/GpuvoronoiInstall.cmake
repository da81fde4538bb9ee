# What `cmake --install` puts where, and how other projects find it: find_package(gpuvoronoi) or pkg-config.
include(CMakePackageConfigHelpers)

install(TARGETS gpuvoronoi EXPORT gpuvoronoiTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET gpuvoronoi_cuda)
  install(TARGETS gpuvoronoi_cuda LIBRARY DESTINATION ${GPUVORONOI_MODULE_DIR} COMPONENT cuda)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpuvoronoi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs PATTERN *.py EXCLUDE PATTERN site EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuvoronoi)
install(EXPORT gpuvoronoiTargets NAMESPACE gpuvoronoi:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gpuvoronoiConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/gpuvoronoiConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpuvoronoiConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuvoronoiConfig.cmake ${PROJECT_BINARY_DIR}/gpuvoronoiConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config: the prefix is found from the file's own place, so that an install tree can be moved.
set(GPUVORONOI_PC_REQUIRES_PRIVATE proj)
set(GPUVORONOI_PC_LIBS_PRIVATE "${OpenMP_C_FLAGS} -pthread -lm")
if(NOT BUILD_SHARED_LIBS)
  # A static library has no way to name what it needs, so plain `pkg-config --libs` must.
  set(GPUVORONOI_PC_REQUIRES ${GPUVORONOI_PC_REQUIRES_PRIVATE})
  set(GPUVORONOI_PC_LIBS ${GPUVORONOI_PC_LIBS_PRIVATE})
  unset(GPUVORONOI_PC_REQUIRES_PRIVATE)
  unset(GPUVORONOI_PC_LIBS_PRIVATE)
endif()
file(RELATIVE_PATH GPUVORONOI_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/gpuvoronoi.pc.in ${PROJECT_BINARY_DIR}/gpuvoronoi.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpuvoronoi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
