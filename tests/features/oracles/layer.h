// What every oracle reads and writes. In: features, each the number of its parts; parts, each kind and number
// of rings; rings, each number of vertices and these; then queries, each x, y and a radius. Out, a line a
// query: each feature within the radius and its distance.
#ifndef ORACLES_LAYER_H
#define ORACLES_LAYER_H

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace oracles {

enum Kind { kPoints, kLine, kPolygon };

struct Place {
  double x, y;
};

using Ring = std::vector<Place>;

struct Part {
  int kind;
  std::vector<Ring> rings;
};

using Feature = std::vector<Part>;

struct Query {
  Place at;
  double radius;
};

struct Found {
  int feature;
  double distance;
};

inline void Read(std::vector<Feature> *features, std::vector<Query> *queries) {
  size_t count = 0;
  std::ios::sync_with_stdio(false);
  std::cin >> count;
  features->resize(count);
  for (Feature &feature : *features) {
    std::cin >> count;
    feature.resize(count);
    for (Part &part : feature) {
      std::cin >> part.kind >> count;
      part.rings.resize(count);
      for (Ring &ring : part.rings) {
        std::cin >> count;
        ring.resize(count);
        for (Place &place : ring)
          std::cin >> place.x >> place.y;
      }
    }
  }
  std::cin >> count;
  queries->resize(count);
  for (Query &query : *queries)
    std::cin >> query.at.x >> query.at.y >> query.radius;
  if (!std::cin) {
    std::fprintf(stderr, "the layer cannot be read\n");
    std::exit(2);
  }
}

inline void Write(const std::vector<Found> &found) {
  for (const Found &one : found)
    std::printf("%d %.17g ", one.feature, one.distance);
  std::printf("\n");
}

} // namespace oracles

#endif
