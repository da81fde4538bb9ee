# What a wheel of the Python package holds: the library under its plain name, the CUDA module, and the OpenMP runtime, which
# manylinux does not promise, found beside the library. scikit-build-core adds python/gpuvoronoi (pyproject.toml).
set_target_properties(gpuvoronoi PROPERTIES INSTALL_RPATH "$ORIGIN")
set_property(TARGET gpuvoronoi PROPERTY VERSION)
set_property(TARGET gpuvoronoi PROPERTY SOVERSION)
install(TARGETS gpuvoronoi LIBRARY DESTINATION . COMPONENT python)
if(TARGET gpuvoronoi_cuda)
  set_target_properties(gpuvoronoi_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS gpuvoronoi_cuda LIBRARY DESTINATION . COMPONENT python)
endif()

# The compiler knows its own runtime, of whatever name.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgomp.so.1 OUTPUT_VARIABLE gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND IS_ABSOLUTE "${gomp}")
  file(REAL_PATH "${gomp}" gomp)
  install(FILES "${gomp}" DESTINATION . RENAME libgomp.so.1 COMPONENT python)
endif()
