// Rings against S2: from standard input, a line a ring of longitudes and latitudes in turn; for each a line with its area in square radians, or S2's
// complaint. The inside is on the left.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "s2/s2debug.h"
#include "s2/s2error.h"
#include "s2/s2latlng.h"
#include "s2/s2loop.h"
#include "s2/s2point.h"

int main() {
  std::string line;
  std::cout.precision(17);
  while (std::getline(std::cin, line)) {
    std::istringstream numbers(line);
    std::vector<S2Point> vertices;
    double lon, lat;
    while (numbers >> lon >> lat) {
      const S2Point p = S2LatLng::FromDegrees(lat, lon).Normalized().ToPoint();
      if (vertices.empty() || vertices.back() != p) vertices.push_back(p);
    }
    // A loop of S2 does not repeat its first vertex.
    while (vertices.size() > 1 && vertices.back() == vertices.front())
      vertices.pop_back();
    const S2Loop loop(vertices, S2Debug::DISABLE);
    S2Error error;
    if (loop.FindValidationError(&error)) {
      std::cout << error.text() << "\n";
    } else {
      std::cout << loop.GetArea() << "\n";
    }
  }
  return 0;
}
