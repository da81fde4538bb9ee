<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>gpuvoronoi</name>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Nearest seeds</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>The points among which the nearest is looked for. Each point of a multipoint is a seed of its own with the feature's id. Of seeds at the same place the first counts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>The values of the raster: an integer field as it is; of a text field the number of the row, counted from 0, with the text in the raster's attribute table. Without a field: the feature ids.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>The area of the raster. Without it: the whole globe for longitudes and latitudes, else the seeds' extent and a tenth on each side. Longitudes may go beyond 180°.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>The side of the square cells. Without it: 2,048 cells on the longer side.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Without it: that of the seeds.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Gives the raster the cells of this one, in its coordinate system. With an extent: that area, in cells that continue the template's.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Points without geometry, with infinite coordinates or a latitude beyond 90° are left out and counted, instead of being an error. So are seeds with an empty id.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Options of the raster's format, NAME=VALUE, separated by |, for example COMPRESS=DEFLATE|BIGTIFF=YES.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>How to compute: auto, or a name that “gpuvoronoi backends” lists, such as one for the graphics card. All give the same result.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Seeds</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Id field</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Extent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Cell size (units of the raster's coordinate system)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Coordinate system of the raster</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Template raster</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Distances</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Leave out points without usable coordinates</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Creation options</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Backend</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{}” comes from the template raster and cannot be given with it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>k nearest neighbours</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>&lt;p&gt;Finds, for every point of a layer, the k nearest points of another one: exactly, and equally near ones in the order of their layer.&lt;/p&gt;&lt;p&gt;The result has a row for each pair, with the fields &lt;i&gt;input&lt;/i&gt; (the point's id), &lt;i&gt;rank&lt;/i&gt; (1 for the nearest), &lt;i&gt;neighbour&lt;/i&gt; (the id of the point found) and &lt;i&gt;distance&lt;/i&gt;. A point without any neighbour has one row, in which these are empty.&lt;/p&gt;</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The points whose neighbours are looked for. Each point of a multipoint counts by itself.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>What the result calls a point by. Without a field: the feature id.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The points among which the neighbours are. Without a layer: the same points, but none is a neighbour of itself.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>What the result calls a neighbour by. Without a field: the feature id.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>How many neighbours of each point: 1 to 1,024.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Geodesics and great circles are in metres. The others are measured in the coordinate system of the points, in its units.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Neighbours farther than this do not count; those just as far do.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Lines are geodesics where distances are measured on the globe, and are cut at ±180°.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A row for each point and rank.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>nearest,neighbour,neighbor,knn,distance matrix,hub,geodesic,points</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Points</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Id field of the points</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Neighbours</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Id field of the neighbours</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Number of neighbours (k)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Farthest distance (metres on the globe, map units on the map)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Geometry of the rows</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Nearest neighbours</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Automatic: geodesics for longitudes and latitudes, else straight lines on the map</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Geodesics on the ellipsoid</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Great circles on the sphere</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Straight lines on the map</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Manhattan: |Δx| + |Δy| on the map</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Chebyshev: max(|Δx|, |Δy|) on the map</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Distances on the globe need points with a coordinate system</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>None: a table</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The point</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A line to the neighbour</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Degrees are no lengths: distances on the map need points in a projected coordinate system</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The result could not be written</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>QTM Voronoi</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>&lt;p&gt;Gives every triangle of a level of Dutton's quaternary triangular mesh the id of the seed that is nearest to its centre. The mesh divides the globe into 8 · 4&lt;sup&gt;level&lt;/sup&gt; triangles of nearly equal size.&lt;/p&gt;&lt;p&gt;The raster shows the triangles: every cell carries the answer of the triangle that its centre lies in.&lt;/p&gt;</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>0 to 20. A level has 8 · 4^level triangles: 7 has 131,072 of about 80 km, 9 has 2,097,152 of about 20 km.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>How the distance from a triangle's centre to a seed is measured.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Seeds count as if they lay in the centre of their own triangle, as in the published algorithm.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The raster of ids. By default the globe in 2^(level + 3) × 2^(level + 2) cells.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Triangles</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The triangles as polygons, with id and id64 (their names in the mesh), lon and lat (centre, degrees), seed (id of the nearest), distance (metres) and area_km2.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>voronoi,qtm,triangle,mesh,dggs,discrete global grid,sphere,allocation,nearest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Level of the mesh</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Move seeds to their triangle's centre</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Nearest of {layer}, QTM level {level}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>Voronoi raster</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>&lt;p&gt;Gives every cell of a raster the id of its nearest seed: an allocation, or Voronoi, raster.&lt;/p&gt;&lt;p&gt;The answer is exact. Distances are measured on the ellipsoid, on the sphere or on the map, right across ±180° and the poles; of equally near seeds the first one gets the cell.&lt;/p&gt;</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>Geodesics and great circles work on projected rasters too, through the inverse projection. The others are measured on the map and need a projected coordinate system, or none.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The raster of ids; −1 where there is none (the type's lowest integer if −1 is an id).</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>voronoi,thiessen,allocation,nearest,proximity,service area,geodesic,great circle,raster</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>Nearest of {layer}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>The Processing setting of gpuvoronoi</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>The environment variable {}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>The gpuvoronoi program was not found. Install it, then give its place under Settings ▸ Options ▸ Processing ▸ Providers ▸ gpuvoronoi, or in the environment variable {}, or add its folder to the PATH.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} cannot be started: {reason}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} ended with status {status} and no message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} made no file {file}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../command.py" />
            <source>{where} names “{path}”, which is no program.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{} of {} arrived</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer} has no field “{field}”</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer} ({parameter}) is no raster that GDAL reads</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>The points could not be written: {}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: feature {id} has no usable coordinates</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: {count} features without usable coordinates left out</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../provider.py" />
            <source>gpuvoronoi: exact nearest seeds</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../provider.py" />
            <source>The gpuvoronoi program (empty: the environment variable {}, then the PATH)</source>
            <translation type="unfinished" />
        </message>
    </context>
</TS>
