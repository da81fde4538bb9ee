# The architectures that `pip install .` builds CUDA for: cmake -DSOURCE=... -DWORK=... -P gpu_architectures.cmake
cmake_minimum_required(VERSION 3.22)
include(${SOURCE}/cmake/GpuvoronoiGpus.cmake)

# A nvidia-smi that prints `text` and exits with `status`.
function(check text status expected)
  file(WRITE ${WORK}/nvidia-smi "#!/bin/sh\nprintf '${text}'\nexit ${status}\n")
  file(CHMOD ${WORK}/nvidia-smi PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(GPUVORONOI_NVIDIA_SMI ${WORK}/nvidia-smi)
  gpuvoronoi_gpu_architectures(found)
  if(NOT "${found}" STREQUAL "${expected}")
    message(FATAL_ERROR "'${text}', ${status}: '${found}', not '${expected}'")
  endif()
endfunction()

check("9.0\\n" 0 "90-real")
check("12.0\\n8.6\\n12.0\\n" 0 "86-real;120-real")
check("No devices were found\\n" 0 "")
check("9.0\\n" 9 "")
check("" 0 "")
