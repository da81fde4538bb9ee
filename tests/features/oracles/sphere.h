// Which polygons hold a place of the sphere, by S2: of a part's rings the smaller sides, even-odd. Edges are
// arcs between the vertices.
#ifndef ORACLES_SPHERE_H
#define ORACLES_SPHERE_H

#include <memory>
#include <vector>

#include "s2/s2debug.h"
#include "s2/s2latlng.h"
#include "s2/s2loop.h"
#include "s2/s2point.h"

namespace oracles {

inline S2Point PointAt(double lon, double lat) {
  return S2LatLng::FromDegrees(lat, lon).Normalized().ToPoint();
}

class Inside {
public:
  // The rings of one part. Loops of S2 have no edges without length and do not repeat their first vertex.
  void AddPart(const std::vector<std::vector<S2Point>> &rings) {
    parts_.emplace_back();
    for (const std::vector<S2Point> &ring : rings) {
      std::vector<S2Point> vertices;
      for (const S2Point &p : ring)
        if (vertices.empty() || vertices.back() != p) vertices.push_back(p);
      while (vertices.size() > 1 && vertices.back() == vertices.front())
        vertices.pop_back();
      if (vertices.size() < 3) continue;
      auto loop = std::make_unique<S2Loop>(vertices, S2Debug::DISABLE);
      loop->Normalize();
      parts_.back().push_back(std::move(loop));
    }
  }

  bool Contains(const S2Point &p) const {
    for (const auto &rings : parts_) {
      bool odd = false;
      for (const auto &loop : rings)
        odd ^= loop->Contains(p);
      if (odd) return true;
    }
    return false;
  }

private:
  std::vector<std::vector<std::unique_ptr<S2Loop>>> parts_;
};

} // namespace oracles

#endif
