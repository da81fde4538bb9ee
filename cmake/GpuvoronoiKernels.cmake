# gpuvoronoi_kernels(target source...): compiles the sources once for each set of vector instructions that processors of this
# kind may have, one of which is chosen at run time (gv_simd_level). The objects are in <target>_KERNELS; the target's
# headers know what there is by GV_HAVE_X86_KERNELS.
#
# GV_SIMD and GV_SIMD_BITS tell core/simd/vectors.h which; the flags are these sources' alone.
function(gpuvoronoi_kernels target)
  set(baseline_bits 128)
  set(baseline_flags "")
  set(avx2_bits 256)
  set(avx2_flags -mavx2 -mfma)
  set(avx512_bits 512)
  set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
  set(sets baseline)
  # Not on Windows, where GCC keeps vectors of more than 128 bits in places of the stack that it has not aligned for them (its bug 54412).
  if(NOT WIN32 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT GPUVORONOI_BASELINE_ONLY)
    list(APPEND sets avx2 avx512)
    target_compile_definitions(${target} PRIVATE GV_HAVE_X86_KERNELS=1)
  endif()
  set(objects "")
  foreach(simd IN LISTS sets)
    set(variant ${target}_${simd})
    add_library(${variant} OBJECT ${ARGN})
    gpuvoronoi_target(${variant})
    set_target_properties(${variant} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${variant} PRIVATE GV_SIMD=${simd} GV_SIMD_BITS=${${simd}_bits})
    target_compile_options(${variant} PRIVATE ${${simd}_flags})
    if(GPUVORONOI_BUILD_FUZZERS)
      # All is inlined in these, many times over: with every check the compiler takes minutes a file. The preset asan has them.
      target_compile_options(${variant} PRIVATE -O1 -fno-sanitize=undefined -fno-sanitize-coverage=trace-cmp)
    endif()
    target_include_directories(${variant} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    list(APPEND objects $<TARGET_OBJECTS:${variant}>)
  endforeach()
  set(${target}_KERNELS ${objects} PARENT_SCOPE)
endfunction()
