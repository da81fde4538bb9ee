// Distances on WGS84 in meters: GeographicLib's geodesics by elliptic integrals to places on each edge, sampled, the least ones refined by Boost's
// Brent. Argument: "geodesic" or "straight"; of straight edges nothing lies within polygons. Whether a place lies within geodesic edges is S2's
// answer about places along them, a few centimeters from the truth.
#include <GeographicLib/GeodesicExact.hpp>
#include <GeographicLib/GeodesicLineExact.hpp>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "layer.h"
#include "sphere.h"

namespace {

using GeographicLib::GeodesicExact;
using GeographicLib::GeodesicLineExact;

constexpr double kStep = 4e5;   // meters between the samples of an edge
constexpr double kWithin = 2e4; // between places that S2 is told of

struct Edge {
  double length; // not less
  std::function<oracles::Place(double)> at;
};

const GeodesicExact &Globe() {
  return GeodesicExact::WGS84();
}

double Between(const oracles::Place &a, const oracles::Place &b) {
  double distance;
  Globe().Inverse(a.y, a.x, b.y, b.x, distance);
  return distance;
}

Edge MakeEdge(const oracles::Place &a, const oracles::Place &b, bool straight) {
  if (straight) {
    return {112000.0 * std::hypot(b.x - a.x, b.y - a.y), [a, b](double u) {
              return oracles::Place{a.x + u * (b.x - a.x), a.y + u * (b.y - a.y)};
            }};
  }
  GeodesicLineExact line = Globe().InverseLine(a.y, a.x, b.y, b.x);
  return {line.Distance(), [line](double u) {
            oracles::Place p;
            line.Position(u * line.Distance(), p.y, p.x);
            return p;
          }};
}

// The least distance of an edge's places from q, those of its ends being known.
double Nearest(const Edge &edge, const oracles::Place &q, double first, double last) {
  auto distance = [&](double u) { return Between(q, edge.at(u)); };
  int steps = 6 + static_cast<int>(edge.length / kStep);
  std::vector<double> sample(steps + 1);
  for (int i = 0; i <= steps; i++)
    sample[i] = i == 0 ? first : i == steps ? last : distance(static_cast<double>(i) / steps);
  double least = *std::min_element(sample.begin(), sample.end());
  const double slope = 2.0 * edge.length / steps;
  for (int i = 0; i <= steps; i++) {
    double before = i > 0 ? sample[i - 1] : HUGE_VAL, after = i < steps ? sample[i + 1] : HUGE_VAL;
    if (sample[i] > before || sample[i] > after || sample[i] - slope > least) continue;
    double low = std::max(0.0, (i - 1.0) / steps), high = std::min(1.0, (i + 1.0) / steps);
    auto found = boost::math::tools::brent_find_minima(distance, low, high, 40);
    // It stops at 1e-8 of where it is; so from there once more.
    low = std::max(low, found.first - 1e-6);
    high = std::min(high, found.first + 1e-6);
    auto nearby = [&](double part) { return distance(low + part * (high - low)); };
    least = std::min({least, found.second, boost::math::tools::brent_find_minima(nearby, 0.0, 1.0, 40).second});
  }
  return least;
}

struct Ready {
  std::vector<oracles::Place> vertices;
  std::vector<Edge> edges;
  double reach; // nothing is farther from the first vertex
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const bool straight = std::strcmp(argv[1], "straight") == 0;
  std::vector<oracles::Feature> features;
  std::vector<oracles::Query> queries;
  oracles::Read(&features, &queries);

  std::vector<std::vector<Ready>> rings(features.size());
  std::vector<oracles::Inside> inside(features.size());
  for (size_t f = 0; f < features.size(); f++) {
    for (const oracles::Part &part : features[f]) {
      std::vector<std::vector<S2Point>> dense;
      for (const oracles::Ring &ring : part.rings) {
        Ready ready{ring, {}, 0.0};
        double longest = 0.0;
        for (const oracles::Place &vertex : ring)
          ready.reach = std::max(ready.reach, Between(ring[0], vertex));
        dense.emplace_back();
        for (size_t i = 0; i + 1 < ring.size() && part.kind != oracles::kPoints; i++) {
          ready.edges.push_back(MakeEdge(ring[i], ring[i + 1], straight));
          const Edge &edge = ready.edges.back();
          longest = std::max(longest, edge.length);
          int pieces = 1 + static_cast<int>(edge.length / kWithin);
          for (int p = 0; p < pieces; p++) {
            oracles::Place at = p == 0 ? ring[i] : edge.at(static_cast<double>(p) / pieces);
            dense.back().push_back(oracles::PointAt(at.x, at.y));
          }
        }
        ready.reach += longest;
        rings[f].push_back(std::move(ready));
      }
      if (part.kind == oracles::kPolygon && !straight) inside[f].AddPart(dense);
    }
  }
  for (const oracles::Query &asked : queries) {
    std::vector<oracles::Found> found;
    S2Point at = oracles::PointAt(asked.at.x, asked.at.y);
    for (size_t f = 0; f < features.size(); f++) {
      double least = HUGE_VAL;
      for (const Ready &ring : rings[f]) {
        if (Between(asked.at, ring.vertices[0]) - ring.reach > asked.radius) continue;
        std::vector<double> end;
        for (const oracles::Place &vertex : ring.vertices) {
          end.push_back(Between(asked.at, vertex));
          least = std::min(least, end.back());
        }
        for (size_t i = 0; i < ring.edges.size(); i++) {
          double reach = std::min(end[i], end[i + 1]) - ring.edges[i].length;
          if (reach <= std::min(least, asked.radius))
            least = std::min(least, Nearest(ring.edges[i], asked.at, end[i], end[i + 1]));
        }
      }
      if (inside[f].Contains(at)) least = 0.0;
      if (least <= asked.radius) found.push_back({static_cast<int>(f), least});
    }
    oracles::Write(found);
  }
  return 0;
}
