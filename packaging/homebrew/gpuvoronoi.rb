# For a tap. Not built on a Mac yet: address and checksum are those of a published source archive.
class Gpuvoronoi < Formula
  desc "Exact Voronoi rasters and nearest neighbours on plane, sphere and ellipsoid"
  homepage "https://example.invalid/"
  url "https://example.invalid/gpuvoronoi-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "gdal"
  depends_on "libtiff"
  depends_on "proj"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DGPUVORONOI_BUILD_TESTS=OFF",
           "-DGPUVORONOI_CUDA=OFF", "-DGPUVORONOI_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"seeds.csv").write "lon,lat\n0,0\n90,0\n"
    system bin/"gpuvoronoi", "--seeds", "seeds.csv", "--size", "36,18", "out.tif"
    assert_predicate testpath/"out.tif", :exist?
  end
end
