// Distances on the plane by CGAL, exact: features come by (distance, number), the distance being the only rounded thing. Argument: euclidean,
// manhattan or chebyshev. The latter two are half the size of the smallest square (turned by 45 degrees) that meets an edge, by halving.
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_2_algorithms.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "layer.h"

namespace {

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Number = Kernel::FT;
using Point = Kernel::Point_2;
using Segment = Kernel::Segment_2;

enum Metric { kEuclidean, kManhattan, kChebyshev };

struct Ready {
  std::vector<Segment> segments; // a point is one without length
  std::vector<std::vector<std::vector<Point>>> polygons;
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
};

// Manhattan's squares have upright sides where x + y and x - y are the coordinates.
Point Turned(const Point &p, Metric metric) {
  return metric == kManhattan ? Point(p.x() + p.y(), p.x() - p.y()) : p;
}

bool Meets(const Segment &s, const Point &q, double half) {
  Number h(half);
  Kernel::Iso_rectangle_2 square(Point(q.x() - h, q.y() - h), Point(q.x() + h, q.y() + h));
  return s.is_degenerate() ? square.has_on_bounded_side(s.source()) || square.has_on_boundary(s.source())
                           : CGAL::do_intersect(square, s);
}

// The least double whose square meets an edge.
double HalfSquare(const std::vector<Segment> &segments, const Point &q, double radius, Metric metric) {
  double least = HUGE_VAL;
  for (const Segment &s : segments) {
    Segment turned(Turned(s.source(), metric), Turned(s.target(), metric));
    Point at = Turned(q, metric);
    double low = 0.0, high = std::fmin(least, radius);
    if (!Meets(turned, at, high)) continue;
    if (Meets(turned, at, 0.0)) return 0.0;
    for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
      if (Meets(turned, at, middle)) {
        high = middle;
      } else {
        low = middle;
      }
      if (high < 1e-300) break;
    }
    least = high;
  }
  return least;
}

bool Contains(const Ready &feature, const Point &q) {
  for (const auto &rings : feature.polygons) {
    bool odd = false;
    for (const std::vector<Point> &ring : rings) {
      CGAL::Bounded_side side = CGAL::bounded_side_2(ring.begin(), ring.end(), q, Kernel());
      if (side == CGAL::ON_BOUNDARY) return true;
      odd ^= side == CGAL::ON_BOUNDED_SIDE;
    }
    if (odd) return true;
  }
  return false;
}

struct Exact {
  Number value;
  oracles::Found found;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Metric metric = argv[1][0] == 'e' ? kEuclidean : argv[1][0] == 'm' ? kManhattan : kChebyshev;
  std::vector<oracles::Feature> features;
  std::vector<oracles::Query> queries;
  oracles::Read(&features, &queries);

  std::vector<Ready> ready(features.size());
  for (size_t f = 0; f < features.size(); f++) {
    for (const oracles::Part &part : features[f]) {
      if (part.kind == oracles::kPolygon) ready[f].polygons.emplace_back();
      for (const oracles::Ring &ring : part.rings) {
        std::vector<Point> points;
        for (const oracles::Place &p : ring) {
          points.emplace_back(p.x, p.y);
          ready[f].low[0] = std::min(ready[f].low[0], p.x);
          ready[f].low[1] = std::min(ready[f].low[1], p.y);
          ready[f].high[0] = std::max(ready[f].high[0], p.x);
          ready[f].high[1] = std::max(ready[f].high[1], p.y);
        }
        bool lone = part.kind == oracles::kPoints || points.size() == 1;
        for (size_t i = 0; i + (lone ? 0 : 1) < points.size(); i++)
          ready[f].segments.emplace_back(points[i], points[lone ? i : i + 1]);
        if (part.kind == oracles::kPolygon) {
          points.pop_back();
          points.erase(std::unique(points.begin(), points.end()), points.end());
          if (points.size() > 2) ready[f].polygons.back().push_back(points);
        }
      }
    }
  }
  for (const oracles::Query &asked : queries) {
    std::vector<Exact> all;
    Point q(asked.at.x, asked.at.y);
    for (size_t f = 0; f < features.size(); f++) {
      double x = std::fmax(0.0, std::fmax(ready[f].low[0] - asked.at.x, asked.at.x - ready[f].high[0]));
      double y = std::fmax(0.0, std::fmax(ready[f].low[1] - asked.at.y, asked.at.y - ready[f].high[1]));
      if (ready[f].segments.empty() || std::fmax(x, y) * (1.0 - 1e-12) > asked.radius) continue;
      Exact one{Number(0), {static_cast<int>(f), 0.0}};
      if (!Contains(ready[f], q)) {
        if (metric == kEuclidean) {
          one.value = CGAL::squared_distance(q, ready[f].segments[0]);
          for (const Segment &s : ready[f].segments)
            one.value = std::min(one.value, Number(CGAL::squared_distance(q, s)));
          one.found.distance = std::sqrt(CGAL::to_double(one.value.exact()));
        } else {
          one.found.distance = HalfSquare(ready[f].segments, q, asked.radius, metric);
          if (!(one.found.distance < HUGE_VAL)) continue;
          one.value = one.found.distance;
        }
      }
      if (one.found.distance <= asked.radius) all.push_back(one);
    }
    std::sort(all.begin(), all.end(), [](const Exact &a, const Exact &b) {
      return a.value < b.value || (a.value == b.value && a.found.feature < b.found.feature);
    });
    std::vector<oracles::Found> found;
    for (const Exact &one : all)
      found.push_back(one.found);
    oracles::Write(found);
  }
  return 0;
}
