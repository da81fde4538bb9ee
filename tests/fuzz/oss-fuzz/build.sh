#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz wants them: in $OUT with their corpora, dictionary, shared libraries and PROJ's and GDAL's data.
# $CFLAGS has the sanitizer already.
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -f "$source/CMakeLists.txt" ] || source=$SRC/gpuvoronoi
build=$WORK/build

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGPUVORONOI_CUDA=OFF \
  -DGPUVORONOI_BUILD_FUZZERS=ON -DGPUVORONOI_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,--disable-new-dtags,-rpath,\$ORIGIN/lib"
ninja -C "$build" fuzzers

mkdir -p "$OUT/lib" "$OUT/share"
for corpus in "$source"/tests/fuzz/corpus/*; do
  name=$(basename "$corpus")
  cp "$build/tests/fuzz/fuzz_$name" "$OUT/"
  zip -q -j "$OUT/fuzz_${name}_seed_corpus.zip" "$corpus"/*
  # The C library is the runner's own. Copies do not find the build tree's.
  ldd "$build/tests/fuzz/fuzz_$name" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' | xargs -r cp -Lnt "$OUT/lib"
done
for name in options descriptions; do
  cp "$build/tests/fuzz/$name.dict" "$OUT/fuzz_$name.dict"
done
cp -r /usr/share/proj /usr/share/gdal "$OUT/share/"
