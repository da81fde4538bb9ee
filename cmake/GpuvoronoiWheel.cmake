# What a wheel of the Python package holds: the library under its plain name, and the CUDA module beside it.
# scikit-build-core adds python/gpuvoronoi (pyproject.toml).
set_property(TARGET gpuvoronoi PROPERTY VERSION)
set_property(TARGET gpuvoronoi PROPERTY SOVERSION)
if(WIN32)
  set_property(TARGET gpuvoronoi PROPERTY PREFIX "") # gpuvoronoi.dll, with GCC as with other compilers
endif()
install(TARGETS gpuvoronoi LIBRARY DESTINATION . COMPONENT python RUNTIME DESTINATION . COMPONENT python)
if(TARGET gpuvoronoi_cuda)
  install(TARGETS gpuvoronoi_cuda LIBRARY DESTINATION . COMPONENT python)
endif()
