// Distances on the sphere by S2's ClosestEdgeQuery, in meters. Arguments: its radius, and "geodesic" or "straight"; the latter edges become
// arcs by S2's tessellator, within a centimeter, and nothing lies within polygons.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "layer.h"
#include "s2/mutable_s2shape_index.h"
#include "s2/s2closest_edge_query.h"
#include "s2/s2edge_distances.h"
#include "s2/s2edge_tessellator.h"
#include "s2/s2lax_polyline_shape.h"
#include "s2/s2point_vector_shape.h"
#include "s2/s2projections.h"
#include "sphere.h"

namespace {

std::vector<S2Point> Arcs(const oracles::Ring &ring, bool straight) {
  static const S2::PlateCarreeProjection projection(180);
  static const S2EdgeTessellator tessellator(&projection, S1Angle::Radians(1.5e-9));
  std::vector<S2Point> out;
  for (size_t i = 0; i < ring.size(); i++) {
    if (!straight || ring.size() == 1) {
      out.push_back(oracles::PointAt(ring[i].x, ring[i].y));
    } else if (i > 0) {
      // The projection wraps: an edge is followed in steps that are shorter than half a turn.
      int steps = 1 + static_cast<int>(std::fabs(ring[i].x - ring[i - 1].x) / 90.0);
      for (int s = 0; s < steps; s++) {
        double u = static_cast<double>(s) / steps, v = static_cast<double>(s + 1) / steps;
        auto at = [&](double part) {
          return R2Point(ring[i - 1].x + part * (ring[i].x - ring[i - 1].x),
                         ring[i - 1].y + part * (ring[i].y - ring[i - 1].y));
        };
        std::vector<S2Point> piece;
        tessellator.AppendUnprojected(at(u), at(v), &piece);
        out.insert(out.end(), piece.begin(), piece.end());
      }
    }
  }
  return out;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const double radius = std::atof(argv[1]);
  const bool straight = std::strcmp(argv[2], "straight") == 0;
  std::vector<oracles::Feature> features;
  std::vector<oracles::Query> queries;
  oracles::Read(&features, &queries);

  MutableS2ShapeIndex index;
  std::vector<int> feature_of;
  std::vector<oracles::Inside> inside(features.size());
  for (size_t f = 0; f < features.size(); f++) {
    for (const oracles::Part &part : features[f]) {
      std::vector<std::vector<S2Point>> rings;
      for (const oracles::Ring &ring : part.rings) {
        rings.push_back(Arcs(ring, straight && part.kind != oracles::kPoints));
        if (part.kind == oracles::kPoints || ring.size() == 1) {
          index.Add(std::make_unique<S2PointVectorShape>(rings.back()));
        } else {
          index.Add(std::make_unique<S2LaxPolylineShape>(rings.back()));
        }
        feature_of.push_back(static_cast<int>(f));
      }
      if (part.kind == oracles::kPolygon && !straight) inside[f].AddPart(rings);
    }
  }
  S2ClosestEdgeQuery query(&index);
  query.mutable_options()->set_include_interiors(false);
  for (const oracles::Query &asked : queries) {
    S2Point at = oracles::PointAt(asked.at.x, asked.at.y);
    S2ClosestEdgeQuery::PointTarget target(at);
    query.mutable_options()->set_inclusive_max_distance(S1Angle::Radians(std::fmin(asked.radius / radius, M_PI)));
    std::map<int, double> least;
    for (const auto &result : query.FindClosestEdges(&target)) {
      S2Shape::Edge edge = query.GetEdge(result);
      double distance = radius * S2::GetDistance(at, edge.v0, edge.v1).radians();
      auto added = least.emplace(feature_of[result.shape_id()], distance);
      if (distance < added.first->second) added.first->second = distance;
    }
    for (size_t f = 0; f < features.size(); f++)
      if (inside[f].Contains(at)) least[static_cast<int>(f)] = 0.0;
    std::vector<oracles::Found> found;
    for (const auto &one : least)
      found.push_back({one.first, one.second});
    oracles::Write(found);
  }
  return 0;
}
