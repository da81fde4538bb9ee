# The architectures of this machine's GPUs, as CMAKE_CUDA_ARCHITECTURES has them, e.g. 90-real; empty if there are none.
function(gpuvoronoi_gpu_architectures out)
  set(${out} "" PARENT_SCOPE)
  find_program(GPUVORONOI_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(GPUVORONOI_NVIDIA_SMI)
  if(NOT GPUVORONOI_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND ${GPUVORONOI_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities RESULT_VARIABLE status ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${capabilities}")
  if(NOT status EQUAL 0 OR NOT found)
    return()
  endif()
  list(REMOVE_DUPLICATES found)
  list(SORT found COMPARE NATURAL)
  string(REPLACE "." "" found "${found}")
  list(TRANSFORM found APPEND -real)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# What GPUVORONOI_CUDA=AUTO builds where the caller names no architectures: sets `architectures` to those of this machine's GPUs, if
# there are any. `pip install .` (wheel) sets `wanted` to OFF if there are none.
function(gpuvoronoi_own_gpus wheel architectures wanted)
  gpuvoronoi_gpu_architectures(own)
  if(own)
    message(STATUS "CUDA: for the GPUs of this machine (${own}), if there is a compiler; GPUVORONOI_CUDA=ON builds for all kinds")
    set(${architectures} "${own}" PARENT_SCOPE)
  elseif(wheel)
    message(STATUS "CUDA: off, as this machine has no GPU; -C cmake.define.GPUVORONOI_CUDA=ON builds for all kinds of GPUs")
    set(${wanted} OFF PARENT_SCOPE)
  endif()
endfunction()

# For builds for all kinds of GPUs.
function(gpuvoronoi_warn_of_time architectures)
  list(LENGTH architectures count)
  message(STATUS "CUDA: ${count} architectures take about half an hour on two cores; CMAKE_CUDA_ARCHITECTURES=90-real builds for one, "
                 "GPUVORONOI_CUDA=OFF for none")
endfunction()
