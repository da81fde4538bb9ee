# Flags that every target of this project shares.
#
# Exactness: -ffp-contract=off (C) and -fmad=false (CUDA), because canonical distances are defined without fused
# multiply-adds; no fast-math. No processor flags here: kernels that need AVX2 or AVX-512 get theirs file by file and
# are chosen at run time.
set(GPUVORONOI_SOURCE_ROOM ${PROJECT_SOURCE_DIR}/src)
function(gpuvoronoi_target target)
  set(warnings -Wall -Wextra -Wshadow)
  set(warnings_c ${warnings} -Wpedantic -Wstrict-prototypes -Wvla)
  # What may change a value without saying so, in src. GCC's: clang finds other places. Not with sanitizers, whose code GCC warns of too, nor
  # with the headers of MinGW, whose isfinite() converts.
  cmake_path(IS_PREFIX GPUVORONOI_SOURCE_ROOM ${CMAKE_CURRENT_SOURCE_DIR} is_source)
  if(is_source AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT GPUVORONOI_SANITIZE AND NOT WIN32)
    list(APPEND warnings_c -Wconversion)
  endif()
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden CXX_STANDARD 17
                        CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden CUDA_STANDARD 17
                        CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_VISIBILITY_PRESET hidden
                        CUDA_RUNTIME_LIBRARY Static)
  target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE> GV_EXPERIMENTAL)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:C>:-ffp-contract=off;-fno-math-errno;${warnings_c}>"
    "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-math-errno;${warnings}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off;-Xcompiler=-fno-math-errno>")
  foreach(flag IN LISTS warnings)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
  endforeach()
  if(GPUVORONOI_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>
                           "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
  if(GPUVORONOI_SANITIZE)
    set(sanitize -fsanitize=${GPUVORONOI_SANITIZE} -fno-omit-frame-pointer -g)
    foreach(flag IN LISTS sanitize)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:${flag}>
                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
    endforeach()
    target_link_options(${target} PRIVATE -fsanitize=${GPUVORONOI_SANITIZE})
  endif()
  if(GPUVORONOI_BUILD_FUZZERS)
    # Coverage for the fuzzers to be guided by; undefined behavior ends the run as every other finding does.
    target_compile_options(${target} PRIVATE
                           "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=fuzzer-no-link;-fno-sanitize-recover=all>")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
