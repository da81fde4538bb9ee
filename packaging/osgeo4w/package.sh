#!/bin/bash
# For OSGeo4W's src/gpuvoronoi/osgeo4w: the library and the Python package; the command is not ported to Windows yet.
# Not built there: address and checksum are those of a published source archive.
export P=gpuvoronoi
export V=0.1.0
export B=next
export MAINTAINER=NobodyYet
export BUILDDEPENDS="proj-devel python3-core"
export PACKAGES="gpuvoronoi"

source ../../../scripts/build-helpers

startlog

[ -f "$P-$V.tar.gz" ] || wget "https://example.invalid/$P-$V.tar.gz"
[ -d "../$P-$V" ] || tar -C .. -xzf "$P-$V.tar.gz"

(
  fetchenv osgeo4w/bin/o4w_env.bat
  cmakeenv
  ninjaenv
  # The library is C11 with pthreads: MinGW-w64's GCC compiles it, Visual C++ does not.
  cmake -S "../$P-$V" -B build -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=install \
    -DGPUVORONOI_BUILD_CLI=OFF -DGPUVORONOI_BUILD_TESTS=OFF -DGPUVORONOI_CUDA=OFF
  cmake --build build
  cmake --install build
)

R=$OSGEO4W_REP/x86_64/release/$P
mkdir -p "$R"
cat <<EOF >"$R/setup.hint"
sdesc: "Exact nearest seeds: neighbours of points and Voronoi rasters (library and Python package)"
ldesc: "Exact nearest seeds: neighbours of points and Voronoi rasters (library and Python package)"
category: Libs
requires: proj python3-numpy
maintainer: $MAINTAINER
EOF
tar -C install -cjf "$R/$P-$V-$B.tar.bz2" bin lib include
cp "../$P-$V/LICENSE" "$R/$P-$V-$B.txt"

endlog
