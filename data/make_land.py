#!/usr/bin/env python3
"""Make land.geojson, the world's land at 1:110 million, from Natural Earth's countries.

Natural Earth is in the public domain. Debian 12 has its countries in the package python3-geopandas
(geopandas/datasets/naturalearth_lowres); their union is the land. Coordinates are rounded to two decimals (about a
kilometer). Needs python3-gdal.

    python3 make_land.py naturalearth_lowres.shp > land.geojson
"""

import json
import sys

from osgeo import gdal, ogr


def rounded(ring):
    """A ring with two decimals, without the repetitions that rounding makes."""
    points = []
    for x, y in ring:
        point = [round(x, 2), round(y, 2)]
        if not points or points[-1] != point:
            points.append(point)
    return points


def valid_polygons(rings):
    """Coordinates of the polygons that rings enclose: rounding makes some rings meet themselves."""
    polygon = ogr.CreateGeometryFromJson(json.dumps({"type": "Polygon", "coordinates": rings}))
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    valid = polygon.IsValid()
    gdal.PopErrorHandler()
    if valid:
        return [rings]
    made = json.loads(polygon.MakeValid(["METHOD=STRUCTURE"]).ExportToJson())
    return [made["coordinates"]] if made["type"] == "Polygon" else made["coordinates"]


def main():
    ogr.UseExceptions()
    source = ogr.Open(sys.argv[1])
    union = ogr.Geometry(ogr.wkbMultiPolygon)
    for feature in source.GetLayer():
        geometry = feature.GetGeometryRef().Clone()
        for polygon in [geometry] if geometry.GetGeometryName() == "POLYGON" else geometry:
            union.AddGeometry(polygon)
    land = json.loads(union.UnionCascaded().ExportToJson())
    polygons = [land["coordinates"]] if land["type"] == "Polygon" else land["coordinates"]
    print('{"type": "FeatureCollection", "features": [')
    rows = []
    for polygon in polygons:
        rings = [ring for ring in map(rounded, polygon) if len(ring) >= 4]
        for coordinates in valid_polygons(rings) if rings else []:
            geometry = {"type": "Polygon", "coordinates": coordinates}
            feature = {"type": "Feature", "properties": {}, "geometry": geometry}
            rows.append(json.dumps(feature, separators=(",", ":")))
    print(",\n".join(rows))
    print("]}")


if __name__ == "__main__":
    main()
