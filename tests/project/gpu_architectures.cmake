# The architectures that CUDA is built for: cmake -DSOURCE=... -DWORK=... -P gpu_architectures.cmake
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

# Without a choice of the caller: this machine's GPUs; without one the wheel has no CUDA, other builds have all kinds.
function(check_choice capabilities wheel expected expected_wanted)
  check("${capabilities}" 0 "${expected}")
  set(GPUVORONOI_NVIDIA_SMI ${WORK}/nvidia-smi)
  set(wanted AUTO)
  gpuvoronoi_own_gpus(${wheel} architectures wanted)
  if(NOT "${architectures};${wanted}" STREQUAL "${expected};${expected_wanted}")
    message(FATAL_ERROR "'${capabilities}', wheel ${wheel}: '${architectures}', '${wanted}'")
  endif()
endfunction()

check_choice("9.0\\n" OFF "90-real" AUTO)
check_choice("9.0\\n" ON "90-real" AUTO)
check_choice("" OFF "" AUTO)
check_choice("" ON "" OFF)
