# Flags that every target of this project shares.
#
# Exactness: -ffp-contract=off, because canonical distances are defined without fused multiply-adds; no fast-math.
# No processor flags here: kernels that need AVX2 or AVX-512 get theirs file by file and are chosen at run time.
function(gpuvoronoi_target target)
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Wshadow
                         -Wstrict-prototypes -Wvla)
  if(GPUVORONOI_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(GPUVORONOI_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GPUVORONOI_SANITIZE} -fno-omit-frame-pointer -g)
    target_link_options(${target} PRIVATE -fsanitize=${GPUVORONOI_SANITIZE})
  endif()
endfunction()
