<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>gpuvoronoi</name>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Nearest seeds</source>
            <translation>Nächste Objekte</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Missing field of the weights; a weighting needs it</source>
            <translation>Das Feld der Gewichte fehlt; eine Gewichtung braucht es</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{parameter}”: about {count} cells to compute</source>
            <translation>„{parameter}“: etwa {count} Zellen sind zu berechnen</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Cannot write the result</source>
            <translation>Das Ergebnis lässt sich nicht schreiben</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{parameter}”: the result will have {count} rows</source>
            <translation>„{parameter}“: Das Ergebnis wird {count} Zeilen haben</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Cannot read {}</source>
            <translation>{} lässt sich nicht lesen</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{output}”: {file} is the file of the layer “{layer}”; choose another one or remove the layer</source>
            <translation>„{output}“: {file} ist die Datei des Layers „{layer}“; bitte eine andere wählen oder den Layer entfernen</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{field}” is a field of real numbers; ids are whole numbers or text</source>
            <translation>„{field}“ ist ein Feld von Kommazahlen; Kennungen sind ganze Zahlen oder Text</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{}” cannot be given with a template raster, which already has it</source>
            <translation>„{}“ kann nicht zusammen mit einem Vorlageraster angegeben werden, das sie schon festlegt</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Nearest seed of cells</source>
            <translation>Nächstes Objekt von Zellen</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>&lt;p&gt;Finds the nearest seed for the center of every cell of a level of HEALPix, S2 or H3.&lt;/p&gt;&lt;p&gt;The result is a layer of the cells as polygons, or of their centers, with the fields &lt;i&gt;cell&lt;/i&gt; (number or id), &lt;i&gt;token&lt;/i&gt; (S2 and H3: the id in hexadecimal digits), &lt;i&gt;lon&lt;/i&gt;, &lt;i&gt;lat&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;, &lt;i&gt;seed&lt;/i&gt; (id of the nearest), &lt;i&gt;distance&lt;/i&gt; (meters) and &lt;i&gt;azimuth&lt;/i&gt; (degrees clockwise from north), with k &gt; 1 also &lt;i&gt;seed_2&lt;/i&gt;, &lt;i&gt;distance_2&lt;/i&gt; and so on. “QTM Voronoi” has triangles.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zur Mitte jeder Zelle einer Stufe von HEALPix, S2 oder H3 das nächste Objekt.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist ein Layer der Zellen als Polygone oder ihrer Mitten, mit den Feldern &lt;i&gt;cell&lt;/i&gt; (Nummer oder Kennung), &lt;i&gt;token&lt;/i&gt; (S2 und H3: die Kennung in hexadezimalen Ziffern), &lt;i&gt;lon&lt;/i&gt;, &lt;i&gt;lat&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;, &lt;i&gt;seed&lt;/i&gt; (Kennung des nächsten), &lt;i&gt;distance&lt;/i&gt; (Meter) und &lt;i&gt;azimuth&lt;/i&gt; (Grad im Uhrzeigersinn von Norden), mit k &gt; 1 auch &lt;i&gt;seed_2&lt;/i&gt;, &lt;i&gt;distance_2&lt;/i&gt; und so weiter. „QTM-Voronoi“ hat Dreiecke.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>The id of a seed in the result. Without a field: the feature id.</source>
            <translation>Die Kennung eines Objekts im Ergebnis. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>HEALPix: pixels of equal area on the sphere, numbered in the nested scheme or the ring scheme. S2: the cells of a cube. H3: hexagons and 12 pentagons, if the command was built with them.</source>
            <translation>HEALPix: auf der Kugel gleich große Pixel, nummeriert im verschachtelten oder im Ringschema. S2: die Zellen eines Würfels. H3: Sechsecke und 12 Fünfecke, falls das Kommando damit gebaut wurde.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>HEALPix and S2: 0 to 18; H3: 0 to 15. A level of HEALPix has 12 · 4^level cells (5: 12,288 of about 200 km), one of S2 6 · 4^level, one of H3 2 + 120 · 7^level (5: 2,016,842).</source>
            <translation>HEALPix und S2: 0 bis 18; H3: 0 bis 15. Eine Stufe von HEALPix hat 12 · 4^Stufe Zellen (5: 12.288 von etwa 200 km), eine von S2 6 · 4^Stufe, eine von H3 2 + 120 · 7^Stufe (5: 2.016.842).</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>How the distance from the center of a cell to a seed is measured.</source>
            <translation>Wie die Entfernung von der Mitte einer Zelle zu einem Objekt gemessen wird.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Adds fields for the second to k-th nearest seed.</source>
            <translation>Fügt Felder für das zweit- bis k-nächste Objekt hinzu.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Cells with their center outside have no row. Polygons, or a raster with empty cells or zeros outside; in any coordinate system.</source>
            <translation>Zellen, deren Mitte außerhalb liegt, haben keine Zeile. Polygone, oder ein Raster mit leeren Zellen oder Nullen außerhalb; in beliebigem Koordinatensystem.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Polygons are cut at ±180° and have at least 4 pieces on each side; they are for levels of at most 2,100,000 cells, or with a mask. Tables without geometries have the centers in columns.</source>
            <translation>Polygone sind bei ±180° geteilt und haben auf jeder Seite mindestens 4 Strecken; es gibt sie für Stufen mit höchstens 2.100.000 Zellen oder mit einer Maske. Tabellen ohne Geometrien haben die Mitten in Spalten.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Adds the attributes of the nearest seed with the prefix “seed_”.</source>
            <translation>Fügt die Attribute des nächsten Objekts mit dem Präfix „seed_“ hinzu.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>HEALPix and S2: uses the latitudes of these systems as authalic latitudes. By default they are geodetic latitudes, as in most data.</source>
            <translation>HEALPix und S2: Die Breiten dieser Systeme gelten als authalische Breiten. Ohne diese Option gelten sie als geodätische Breiten, wie in den meisten Daten.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>The cells with their nearest seeds.</source>
            <translation>Die Zellen mit ihren nächsten Objekten.</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>healpix,s2,h3,hexagons,dggs,discrete global grid,cells,nearest,voronoi,geodesic</source>
            <translation>healpix,s2,h3,Sechsecke,dggs,diskretes globales Gitter,Zellen,nächste,voronoi,geodätisch</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>The nearest station of every pixel of HEALPix level 6, with its attributes:</source>
            <translation>Die nächste Station zu jedem Pixel der HEALPix-Stufe 6, mit ihren Attributen:</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>The nearest shop of every S2 cell of level 8 in a country:</source>
            <translation>Der nächste Laden zu jeder S2-Zelle der Stufe 8 in einem Land:</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>HEALPix, nested</source>
            <translation>HEALPix, verschachtelt</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>HEALPix, ring</source>
            <translation>HEALPix, Ring</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Cells</source>
            <translation>Zellen</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Level of the cells</source>
            <translation>Stufe der Zellen</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Geometry</source>
            <translation>Geometrie</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Attributes of the seeds</source>
            <translation>Attribute der Objekte</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Equal areas on the ellipsoid</source>
            <translation>Gleiche Flächen auf dem Ellipsoid</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Nearest of {layer}, {system} level {level}</source>
            <translation>Nächstes aus {layer}, {system}-Stufe {level}</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Polygons</source>
            <translation>Polygone</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>Centers</source>
            <translation>Mitten</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>“{}”: H3 has levels 0 to 15</source>
            <translation>„{}“: H3 hat die Stufen 0 bis 15</translation>
        </message>
        <message>
            <location filename="../algorithms/cells.py" />
            <source>“{geometry}”: a layer of {count} polygons; at most {most} are supported; choose centers, a lower level or a mask</source>
            <translation>„{geometry}“: Der Layer hätte {count} Polygone; höchstens {most} sind möglich; wählen Sie Mitten, eine niedrigere Stufe oder eine Maske</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Nearest facility statistics</source>
            <translation>Statistik der nächsten Einrichtungen</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>&lt;p&gt;Which facility serves each place, how far is it, and how much land and how many people does each one serve? Every cell of a raster belongs to its nearest seed. The result is the layer of seeds with these fields:&lt;/p&gt;&lt;ul&gt;&lt;li&gt;&lt;i&gt;value&lt;/i&gt;: the value of the region in the raster of nearest seeds, by which both join&lt;/li&gt;&lt;li&gt;&lt;i&gt;cells&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;: number of cells and true area of the region (&lt;i&gt;area&lt;/i&gt;, in map units, without a coordinate system)&lt;/li&gt;&lt;li&gt;&lt;i&gt;distance_mean&lt;/i&gt;, &lt;i&gt;distance_max&lt;/i&gt;: mean over the area and maximum, in meters on the globe, else in map units&lt;/li&gt;&lt;li&gt;&lt;i&gt;centroid_x&lt;/i&gt;, &lt;i&gt;centroid_y&lt;/i&gt;: the centroid of the region&lt;/li&gt;&lt;li&gt;&lt;i&gt;NAME_sum&lt;/i&gt;, &lt;i&gt;NAME_distance_mean&lt;/i&gt;: for each raster of counts, its sum over the region, such as people, and their mean distance&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;Seeds without cells have a row too. Optionally there is one row for each id, with the number of its &lt;i&gt;seeds&lt;/i&gt;. For exact counts, use the raster of people as the template.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Welche Einrichtung versorgt jeden Ort, wie weit ist sie entfernt, wie viel Land und wie viele Menschen versorgt jede? Jede Zelle eines Rasters gehört zum nächsten Objekt. Das Ergebnis ist der Layer der Objekte mit diesen Feldern:&lt;/p&gt;&lt;ul&gt;&lt;li&gt;&lt;i&gt;value&lt;/i&gt;: der Wert des Gebiets im Raster der nächsten Objekte, über den sich beide verbinden lassen&lt;/li&gt;&lt;li&gt;&lt;i&gt;cells&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;: Anzahl der Zellen und wahre Fläche des Gebiets (ohne Koordinatensystem &lt;i&gt;area&lt;/i&gt;, in Karteneinheiten)&lt;/li&gt;&lt;li&gt;&lt;i&gt;distance_mean&lt;/i&gt;, &lt;i&gt;distance_max&lt;/i&gt;: Entfernung im Flächenmittel und größte Entfernung, in Metern auf der Erde, sonst in Karteneinheiten&lt;/li&gt;&lt;li&gt;&lt;i&gt;centroid_x&lt;/i&gt;, &lt;i&gt;centroid_y&lt;/i&gt;: der Schwerpunkt des Gebiets&lt;/li&gt;&lt;li&gt;&lt;i&gt;NAME_sum&lt;/i&gt;, &lt;i&gt;NAME_distance_mean&lt;/i&gt;: zu jedem Raster von Anzahlen die Summe über das Gebiet, etwa Menschen, und deren mittlere Entfernung&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;Auch Objekte ohne Zellen haben eine Zeile. Auf Wunsch gibt es eine Zeile je Kennung, mit der Anzahl ihrer Objekte (&lt;i&gt;seeds&lt;/i&gt;). Für genaue Zählungen nehmen Sie das Bevölkerungsraster als Vorlage.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Rasters with values to add up, such as people per cell. Other grids and coordinate systems are converted to the cells of the result; sums are preserved. The fields are named after the layers.</source>
            <translation>Raster, deren Werte summiert werden, etwa Menschen je Zelle. Andere Gitter und Koordinatensysteme werden auf die Zellen des Ergebnisses umgerechnet; Summen bleiben erhalten. Die Felder heißen nach den Layern.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>One row for each id instead of one for each seed: the number of its seeds, the attributes of the first, and the statistics of all together.</source>
            <translation>Eine Zeile je Kennung statt einer je Objekt: mit der Anzahl ihrer Objekte, den Attributen des ersten und der Statistik aller zusammen.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The seeds with their attributes and the statistics of their regions.</source>
            <translation>Die Objekte mit ihren Attributen und der Statistik ihrer Gebiete.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The raster of the ids of the nearest seeds.</source>
            <translation>Das Raster der Kennungen der nächsten Objekte.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Regions</source>
            <translation>Gebiete</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The regions as polygons with their statistics, colored by the first raster of counts, or by area. Seeds with the same id share a region, with the attributes of the first.</source>
            <translation>Die Gebiete als Polygone mit ihrer Statistik, gefärbt nach dem ersten Raster von Anzahlen oder nach der Fläche. Objekte mit derselben Kennung haben ein gemeinsames Gebiet, mit den Attributen des ersten.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>nearest facility,service area,catchment,accessibility,population,zonal,nearest,voronoi,distance</source>
            <translation>nächste Einrichtung,Versorgungsgebiet,Einzugsgebiet,Erreichbarkeit,Bevölkerung,zonal,nächster,voronoi,Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>How many people each hospital serves, and their distance:</source>
            <translation>Wie viele Menschen jedes Krankenhaus versorgt, und ihre Entfernung:</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Rasters of counts</source>
            <translation>Raster von Anzahlen</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Group seeds by id</source>
            <translation>Objekte nach Kennung zusammenfassen</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Statistics</source>
            <translation>Statistik</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Regions of {layer} by {field}</source>
            <translation>Gebiete von {layer} nach {field}</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Statistics of {layer}</source>
            <translation>Statistik von {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>k nearest neighbors</source>
            <translation>k nächste Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>&lt;p&gt;Finds, for every point of a layer, the k nearest points, lines or polygons of another layer. The result is exact; neighbors at equal distances are in the order of their layer.&lt;/p&gt;&lt;p&gt;The result has a row for each pair, with the fields &lt;i&gt;input&lt;/i&gt; (id of the point), &lt;i&gt;rank&lt;/i&gt; (1 for the nearest), &lt;i&gt;neighbour&lt;/i&gt; (id of the neighbor) and &lt;i&gt;distance&lt;/i&gt;. A point without a neighbor has one row, in which these are empty.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zu jedem Punkt eines Layers die k nächsten Punkte, Linien oder Flächen eines anderen Layers. Das Ergebnis ist exakt; gleich weit entfernte Nachbarn stehen in der Reihenfolge ihres Layers.&lt;/p&gt;&lt;p&gt;Das Ergebnis hat eine Zeile je Paar, mit den Feldern &lt;i&gt;input&lt;/i&gt; (Kennung des Punkts), &lt;i&gt;rank&lt;/i&gt; (1 für den nächsten), &lt;i&gt;neighbour&lt;/i&gt; (Kennung des Nachbarn) und &lt;i&gt;distance&lt;/i&gt; (Entfernung). Ein Punkt ohne Nachbarn hat eine Zeile, in der diese leer sind.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Nearest neighbors</source>
            <translation>Nächste Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Lines are geodesics if distances are measured on the globe. They begin and end at their points and are cut at ±180° (at 0° and 360° in layers with longitudes beyond ±180°).</source>
            <translation>Linien sind geodätische Linien, wenn Entfernungen auf der Erde gemessen werden. Sie beginnen und enden an ihren Punkten und sind bei ±180° geteilt (bei 0° und 360° in Layern mit Längen jenseits von ±180°).</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The points to find neighbors for. Each point of a multipoint counts separately.</source>
            <translation>Die Punkte, zu denen Nachbarn gesucht werden. Jeder Punkt eines Multipunkts zählt einzeln.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The id of a point in the result. Without a field: the feature id.</source>
            <translation>Die Kennung eines Punkts im Ergebnis. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Adds the attributes of the point, and those of the neighbor with the prefix “neighbour_”.</source>
            <translation>Fügt die Attribute des Punkts hinzu und die des Nachbarn mit dem Präfix „neighbour_“.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>For two layers that are the same, or selections of it: a feature's own points are not its neighbors. Without a second layer they never are.</source>
            <translation>Für zwei Layer, die derselbe sind oder Auswahlen daraus: Die eigenen Punkte eines Objekts sind nicht seine Nachbarn. Ohne zweiten Layer sind sie es nie.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A row for each point and neighbor.</source>
            <translation>Eine Zeile je Punkt und Nachbar.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>How many neighbors of each point: 1 to 1,024.</source>
            <translation>Wie viele Nachbarn je Punkt: 1 bis 1024.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>nearest,neighbour,neighbor,knn,distance matrix,hub,geodesic,points</source>
            <translation>nächster,Nachbar,knn,Entfernungsmatrix,Distanzmatrix,geodätisch,Punkte</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Lines from every school to its three nearest stations:</source>
            <translation>Linien von jeder Schule zu ihren drei nächsten Bahnhöfen:</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The line from every house to the nearest road:</source>
            <translation>Die Linie von jedem Haus zur nächsten Straße:</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A table of the nearest other point of the same layer, at most 1 km away:</source>
            <translation>Eine Tabelle des jeweils nächsten anderen Punktes desselben Layers, höchstens 1 km entfernt:</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Id field of the points</source>
            <translation>Feld der Kennung der Punkte</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Geometry of the rows</source>
            <translation>Geometrie der Zeilen</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Attributes of both layers</source>
            <translation>Attribute beider Layer</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>No feature is its own neighbor</source>
            <translation>Kein Objekt ist sein eigener Nachbar</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Number of neighbors (k)</source>
            <translation>Anzahl der Nachbarn (k)</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>{points} and their nearest</source>
            <translation>{points} und ihre Nächsten</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>None: a table</source>
            <translation>Keine: eine Tabelle</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The point</source>
            <translation>Der Punkt</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A line to the neighbor</source>
            <translation>Eine Linie zum Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>0 of {count} points have a neighbor; limited by “{label}”</source>
            <translation>0 von {count} Punkten haben einen Nachbarn; begrenzt durch „{label}“</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>“{}” requires that both layers are the same</source>
            <translation>„{}“ setzt voraus, dass beide Layer derselbe sind</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Points without a neighbor: {alone} of {count}</source>
            <translation>Punkte ohne Nachbarn: {alone} von {count}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>On-demand Voronoi raster</source>
            <translation>Voronoi-Raster, bei Bedarf berechnet</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>&lt;p&gt;Adds a Voronoi raster that is computed on demand, when the map shows it: exact at every zoom, of any size, without disk space.&lt;/p&gt;&lt;p&gt;The output is a small description file that GDAL opens as a raster; drag it onto the map to open it again. The raster follows its seeds: after their file has changed, it shows the changes when it is next opened. Layers that are not files, and layers with a selection, a filter or edits, are copied to a file next to it.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Fügt ein Voronoi-Raster hinzu, das bei Bedarf berechnet wird, wenn die Karte es zeigt: exakt in jedem Maßstab, beliebig groß, ohne Speicherplatz.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist eine kleine Beschreibungsdatei, die GDAL als Raster öffnet; auf die Karte gezogen wird sie wieder geöffnet. Das Raster folgt seinen Objekten: Hat sich ihre Datei geändert, so zeigt es das beim nächsten Öffnen. Layer, die keine Dateien sind, und solche mit Auswahl, Filter oder Bearbeitungen werden in eine Datei daneben kopiert.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Side of the square cells. Default: 409,600 cells on the longer side (98 m on the globe).</source>
            <translation>Seite der quadratischen Zellen. Vorgabe: 409.600 Zellen auf der längeren Seite (98 m auf der Erde).</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>The values of the raster, k bands of each. On the map each kind is a layer.</source>
            <translation>Die Werte des Rasters, je k Kanäle. Auf der Karte ist jede Art ein eigener Layer.</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>The description of the raster. A temporary one is deleted when QGIS ends.</source>
            <translation>Die Beschreibung des Rasters. Eine temporäre wird gelöscht, wenn QGIS endet.</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>voronoi,on demand,on-demand,live,virtual,nearest,distance,zoom,gdal,raster,no file</source>
            <translation>voronoi,bei Bedarf,virtuell,nächste,Entfernung,Zoom,gdal,Raster,ohne Datei</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>The nearest city and its distance, in cells of 30 m:</source>
            <translation>Die nächste Stadt und ihre Entfernung, in Zellen von 30 m:</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Ids of the nearest seeds</source>
            <translation>Kennungen der nächsten Objekte</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Distances to the seeds</source>
            <translation>Entfernungen zu den Objekten</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Directions to the seeds</source>
            <translation>Richtungen zu den Objekten</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Values</source>
            <translation>Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>On-demand raster</source>
            <translation>Bei Bedarf berechnetes Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>On-demand rasters</source>
            <translation>Bei Bedarf berechnete Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Nearest of {layer}</source>
            <translation>Nächstes aus {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Distance to {layer}</source>
            <translation>Entfernung zu {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Direction to {layer}</source>
            <translation>Richtung zu {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>“{output}”: invalid name; on-demand rasters end in {ending}</source>
            <translation>„{output}“: ungültiger Name; bei Bedarf berechnete Raster enden auf {ending}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>“{}” is temporary or has another coordinate system than its file; save it to a file first</source>
            <translation>„{}“ ist temporär oder hat ein anderes Koordinatensystem als die Datei; vorher in eine Datei speichern</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Cannot write {file}: {reason}</source>
            <translation>{file} lässt sich nicht schreiben: {reason}</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Nearest cells of a raster</source>
            <translation>Nächste Zellen eines Rasters</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>&lt;p&gt;Finds the nearest cell of a class for each cell of a raster, and its distance. Cells that are neither empty nor 0 are seeds at their centers, for example water, forest or land.&lt;/p&gt;&lt;p&gt;The result is exact on the map, the sphere or the ellipsoid, across ±180° and the poles. At equal distances the lowest value counts.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zu jeder Zelle eines Rasters die nächste Zelle einer Klasse und ihre Entfernung. Zellen, die weder leer noch 0 sind, zählen mit ihrer Mitte, zum Beispiel Wasser, Wald oder Land.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist exakt auf der Karte, der Kugel oder dem Ellipsoid, auch über ±180° und die Pole hinweg. Bei gleicher Entfernung zählt der niedrigste Wert.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Side of the square cells. Default: the cells of the raster.</source>
            <translation>Seite der quadratischen Zellen. Vorgabe: die Zellen des Rasters.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The area of the result. Default: the raster.</source>
            <translation>Der Bereich des Ergebnisses. Vorgabe: das Raster.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster with the cells to search for.</source>
            <translation>Das Raster mit den Zellen, die gesucht werden.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The values must be whole numbers. They are used as stored, without scale and offset.</source>
            <translation>Die Werte müssen ganze Zahlen sein. Sie werden wie gespeichert verwendet, ohne Maßstab und Verschiebung.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Only cells with these values are seeds. Default: all that are neither empty nor 0.</source>
            <translation>Nur Zellen mit diesen Werten zählen. Vorgabe: alle, die weder leer noch 0 sind.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The result has the number of the nearest cell, row by row from 0, instead of its value.</source>
            <translation>Das Ergebnis hat statt des Werts die Nummer der nächsten Zelle, Zeile für Zeile ab 0.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster of distances has a band for each value, in ascending order, instead of a band for each neighbor.</source>
            <translation>Das Raster der Entfernungen hat einen Kanal je Wert, in aufsteigender Reihenfolge, statt eines je Nachbar.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Nearest values</source>
            <translation>Nächste Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster of the values of the nearest cells.</source>
            <translation>Das Raster der Werte der nächsten Zellen.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>A raster of the distance from each cell to the nearest seed: meters on the globe, else map units.</source>
            <translation>Ein Raster der Entfernung jeder Zelle zur nächsten gesuchten Zelle: Meter auf der Erde, sonst Karteneinheiten.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The regions of the values as polygons.</source>
            <translation>Die Gebiete der Werte als Flächen.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>proximity,distance,euclidean allocation,distance to coast,raster,land cover,class,coast,water,nearest,geodesic,grow</source>
            <translation>Nähe,Entfernung,Entfernung zur Küste,euklidische Zuordnung,Raster,Landbedeckung,Klasse,Küste,Wasser,nächster,geodätisch,proximity</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The distance to the nearest water, class 80 of a land cover, in meters:</source>
            <translation>Die Entfernung zum nächsten Wasser, Klasse 80 einer Landbedeckung, in Metern:</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Raster</source>
            <translation>Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Band</source>
            <translation>Kanal</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Values (separated by commas)</source>
            <translation>Werte (durch Kommas getrennt)</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Cell numbers instead of values</source>
            <translation>Zellnummern statt Werten</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Distances to each value</source>
            <translation>Entfernungen zu jedem Wert</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Missing result; choose at least one</source>
            <translation>Ein Ergebnis fehlt; mindestens eines wählen</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>Nearest value raster</source>
            <translation>Raster der nächsten Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>&lt;p&gt;Writes a number of the nearest seed into every cell of a raster: the value of a field, for example the temperature of the nearest station.&lt;/p&gt;&lt;p&gt;The result is exact. Distances are measured on the ellipsoid, on the sphere or on the map, across ±180° and the poles. At equal distances the first seed counts.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Schreibt in jede Zelle eines Rasters eine Zahl des nächsten Objekts: den Wert eines Feldes, zum Beispiel die Temperatur der nächsten Station.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist exakt. Entfernungen werden auf dem Ellipsoid, auf der Kugel oder auf der Karte gemessen, auch über ±180° und die Pole hinweg. Bei gleicher Entfernung zählt das erste Objekt.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>A field of numbers of the seeds. An empty value is an error, unless such seeds are left out.</source>
            <translation>Ein Zahlenfeld der Objekte. Ein leerer Wert ist ein Fehler, wenn solche Objekte nicht ausgelassen werden.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>The type of the raster. Automatic: Int32 or Int64 for whole numbers, Float64 or Float32 for others. A type of whole numbers has to hold every value.</source>
            <translation>Der Typ des Rasters. Automatisch: Int32 oder Int64 für ganze Zahlen, sonst Float64 oder Float32. Ein Ganzzahltyp muss jeden Wert aufnehmen können.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>The raster of the values. Cells without a seed are empty: NaN in real types, else −1 or another value that does not occur.</source>
            <translation>Das Raster der Werte. Zellen ohne Objekt sind leer: NaN bei Fließkommatypen, sonst −1 oder ein anderer Wert, der nicht vorkommt.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>nearest neighbor interpolation,gridding,value,attribute,resampling,regridding,voronoi,thiessen,stations,geodesic,raster</source>
            <translation>Nächster-Nachbar-Interpolation,Interpolation,Wert,Attribut,Resampling,voronoi,thiessen,Stationen,geodätisch,Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>The temperature of the nearest station, at most 200 km away:</source>
            <translation>Die Temperatur der nächsten Station, höchstens 200 km entfernt:</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>Field of the values</source>
            <translation>Feld der Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>Data type</source>
            <translation>Datentyp</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>{field} of the nearest of {layer}</source>
            <translation>{field} des Nächsten aus {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>Automatic</source>
            <translation>Automatisch</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The area of the raster. Default: the whole globe for longitudes and latitudes, else the extent of the seeds and 10 % on each side. Longitudes may go beyond 180°.</source>
            <translation>Der Bereich des Rasters. Vorgabe: bei Längen und Breiten die ganze Erde, sonst die Ausdehnung der Objekte und 10 % auf jeder Seite. Längen dürfen über 180° hinausgehen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Side of the square cells. Default: 2,048 cells on the longer side.</source>
            <translation>Seite der quadratischen Zellen. Vorgabe: 2048 Zellen auf der längeren Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The points, lines or polygons to search. Each point of a multipoint is a seed with the id of the feature; each line or polygon is one seed, at the distance of its closest point (0 within a polygon). Of seeds at the same place the first counts.</source>
            <translation>Die Punkte, Linien oder Flächen, unter denen gesucht wird. Jeder Punkt eines Multipunkts zählt einzeln, mit der Kennung des Objekts; jede Linie oder Fläche zählt mit der Entfernung ihres nächsten Punkts (0 innerhalb einer Fläche). Von Objekten am selben Ort zählt das erste.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The values of the raster. Integer field: its values; seeds with the same id share a region. Text field: the number of the first row with that text, from 0; the raster's attribute table has the texts of up to 65,535 seeds. Default: the feature ids.</source>
            <translation>Die Werte des Rasters. Ganzzahlfeld: seine Werte; Objekte mit derselben Kennung haben ein gemeinsames Gebiet. Textfeld: die Nummer der ersten Zeile mit diesem Text, ab 0; die Attributtabelle des Rasters enthält die Texte von bis zu 65.535 Objekten. Vorgabe: die Objektkennungen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Id field</source>
            <translation>Feld der Kennung</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The line from one vertex to the next. Geodesics are for distances on the globe.</source>
            <translation>Die Linie von einem Stützpunkt zum nächsten. Geodätische Linien sind für Entfernungen auf der Erde.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Within a polygon, too, the distance is that to its boundary.</source>
            <translation>Auch innerhalb einer Fläche gilt die Entfernung zu ihrem Rand.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>In the raster of distances: minus the distance to the boundary within a polygon.</source>
            <translation>Im Raster der Entfernungen: innerhalb einer Fläche die Entfernung zu ihrem Rand mit Minus.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Default: that of the seeds.</source>
            <translation>Vorgabe: das der Objekte.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The result has the cells and the coordinate system of this raster. With an extent: that area, in cells that continue the template.</source>
            <translation>Das Ergebnis hat die Zellen und das Koordinatensystem dieses Rasters. Mit einer Ausdehnung: diesen Bereich, in Zellen, die die Vorlage fortsetzen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Geodesics and great circles are also for projected rasters, by the inverse projection. The others are measured on the map and need a projected coordinate system, or none.</source>
            <translation>Geodätische Linien und Großkreise gehen auch auf projizierten Rastern, durch die umgekehrte Projektion. Die anderen werden auf der Karte gemessen und brauchen ein projiziertes Koordinatensystem oder keines.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Cells outside are empty. Polygons, or a raster with empty cells or zeros outside; in any coordinate system.</source>
            <translation>Zellen außerhalb sind leer. Polygone, oder ein Raster mit leeren Zellen oder Nullen außerhalb; in beliebigem Koordinatensystem.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Of a mask of polygons.</source>
            <translation>Bei einer Maske aus Polygonen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The value that is compared instead of the distance d, for the weight w of a seed: d / w (w &gt; 0), d + w (w in units of distance), or d² − w (not for geodesics). Distances in the results are unweighted.</source>
            <translation>Der Wert, der statt der Entfernung d verglichen wird, für das Gewicht w eines Objekts: d / w (w &gt; 0), d + w (w in Einheiten der Entfernung) oder d² − w (nicht für geodätische Linien). Entfernungen in den Ergebnissen sind ungewichtet.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The weights w of the seeds.</source>
            <translation>Die Gewichte w der Objekte.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>A raster of the distance from each cell to its seed: meters on the globe, else map units.</source>
            <translation>Ein Raster der Entfernung jeder Zelle zu ihrem Objekt: Meter auf der Erde, sonst Karteneinheiten.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Writes distances as Float64 instead of Float32.</source>
            <translation>Schreibt Entfernungen als Float64 statt als Float32.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>A raster of the direction from each cell to its seed: degrees clockwise from north.</source>
            <translation>Ein Raster der Richtung von jeder Zelle zu ihrem Objekt: Grad von Norden im Uhrzeigersinn.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Leaves out and counts points without geometry, with infinite coordinates or with a latitude beyond 90°, and seeds with an empty id or value. Otherwise they are errors.</source>
            <translation>Lässt Punkte ohne Geometrie, mit unendlichen Koordinaten oder einer Breite über 90° und Objekte mit leerer Kennung oder leerem Wert aus und zählt sie. Sonst sind sie Fehler.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Options of the raster's format, NAME=VALUE, separated by |, for example COMPRESS=DEFLATE|BIGTIFF=YES.</source>
            <translation>Optionen des Rasterformats, NAME=WERT, getrennt durch |, zum Beispiel COMPRESS=DEFLATE|BIGTIFF=YES.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Backend</source>
            <translation>Rechenverfahren</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The computing method: auto, or a name that “gpuvoronoi backends” lists, for example one for graphics cards. The result does not depend on it.</source>
            <translation>Das Rechenverfahren: auto, oder ein Name, den „gpuvoronoi backends“ nennt, zum Beispiel eines für Grafikkarten. Das Ergebnis hängt nicht davon ab.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Graphics card</source>
            <translation>Grafikkarte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The number in “gpuvoronoi devices”, for backends that use a graphics card. Default: the first usable one.</source>
            <translation>Die Nummer in „gpuvoronoi devices“, für Verfahren, die eine Grafikkarte benutzen. Vorgabe: die erste verwendbare.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Seeds</source>
            <translation>Objekte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Edges of lines and polygons</source>
            <translation>Kanten von Linien und Flächen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Use the boundaries of polygons</source>
            <translation>Flächen zählen als ihre Ränder</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Negative distances within polygons</source>
            <translation>Negative Entfernungen innerhalb von Flächen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Extent</source>
            <translation>Ausdehnung</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Cell size (units of the raster's coordinate system)</source>
            <translation>Zellgröße (Einheiten des Koordinatensystems des Rasters)</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Coordinate system of the raster</source>
            <translation>Koordinatensystem des Rasters</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Template raster</source>
            <translation>Vorlageraster</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Distances</source>
            <translation>Entfernungen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Automatic: straight lines on regional maps, else geodesics</source>
            <translation>Automatisch: Geraden auf Karten einer Gegend, sonst geodätische Linien</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Geodesics on the ellipsoid</source>
            <translation>Geodätische Linien auf dem Ellipsoid</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Great circles on the sphere</source>
            <translation>Großkreise auf der Kugel</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Straight lines on the map</source>
            <translation>Geraden auf der Karte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Manhattan: |Δx| + |Δy| on the map</source>
            <translation>Manhattan: |Δx| + |Δy| auf der Karte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Chebyshev: max(|Δx|, |Δy|) on the map</source>
            <translation>Tschebyschow: max(|Δx|, |Δy|) auf der Karte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>None: the distance d</source>
            <translation>Keine: die Entfernung d</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Multiplicative: d / w</source>
            <translation>Multiplikativ: d / w</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Additive: d + w</source>
            <translation>Additiv: d + w</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Power: d² − w</source>
            <translation>Potenz: d² − w</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Seeds farther away do not count; seeds at exactly this distance do. Cells without a seed are empty.</source>
            <translation>Weiter entfernte Objekte zählen nicht; genau so weit entfernte zählen. Zellen ohne Objekt sind leer.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Mask</source>
            <translation>Maske</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Selected features of the mask only</source>
            <translation>Nur gewählte Objekte der Maske</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Weighting</source>
            <translation>Gewichtung</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Field of the weights</source>
            <translation>Feld der Gewichte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Number of nearest seeds (k)</source>
            <translation>Anzahl der nächsten Objekte (k)</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Bands 1 to k of the results have the nearest, second nearest, ... k-th nearest seed.</source>
            <translation>Die Kanäle 1 bis k der Ergebnisse haben das nächste, zweitnächste, … k-nächste Objekt.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Distances in double precision</source>
            <translation>Entfernungen in doppelter Genauigkeit</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Leave out points without usable coordinates</source>
            <translation>Punkte ohne brauchbare Koordinaten auslassen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Creation options</source>
            <translation>Erzeugungsoptionen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Straight in their own coordinates</source>
            <translation>Gerade in ihren eigenen Koordinaten</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Geodesics: the shorter way on the ellipsoid</source>
            <translation>Geodätische Linien: der kürzere Weg auf dem Ellipsoid</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Maximum distance (meters on the globe, map units on the map)</source>
            <translation>Größte Entfernung (Meter auf der Erde, Karteneinheiten auf der Karte)</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>QTM Voronoi</source>
            <translation>QTM-Voronoi</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>&lt;p&gt;Finds the nearest seed for the center of every triangle of a level of Dutton's quaternary triangular mesh. The mesh divides the globe into 8 · 4&lt;sup&gt;level&lt;/sup&gt; triangles of similar size.&lt;/p&gt;&lt;p&gt;The raster shows the triangles: each cell has the id of the triangle that contains the center of the cell.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zur Mitte jedes Dreiecks einer Stufe von Duttons quaternärem Dreiecksnetz (QTM) das nächste Objekt. Das Netz teilt die Erde in 8 · 4&lt;sup&gt;Stufe&lt;/sup&gt; ähnlich große Dreiecke.&lt;/p&gt;&lt;p&gt;Das Raster zeigt die Dreiecke: Jede Zelle hat die Kennung des Dreiecks, in dem ihre Mitte liegt.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The area of the raster. Default: the whole globe for longitudes and latitudes, in other coordinate systems the extent of the seeds and 10 % on each side.</source>
            <translation>Der Bereich des Rasters. Vorgabe: bei Längen und Breiten die ganze Erde, in anderen Koordinatensystemen die Ausdehnung der Objekte und 10 % auf jeder Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Side of the square cells. Default: 360° / 2^(level + 3) for longitudes and latitudes, in other coordinate systems 2,048 cells on the longer side.</source>
            <translation>Seite der quadratischen Zellen. Vorgabe: 360° / 2^(Stufe + 3) bei Längen und Breiten, in anderen Koordinatensystemen 2048 Zellen auf der längeren Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>0 to 20. A level has 8 · 4^level triangles: 7 has 131,072 of about 80 km, 9 has 2,097,152 of about 20 km.</source>
            <translation>0 bis 20. Eine Stufe hat 8 · 4^Stufe Dreiecke: 7 hat 131.072 von etwa 80 km, 9 hat 2.097.152 von etwa 20 km.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>How the distance from the center of a triangle to a seed is measured.</source>
            <translation>Wie die Entfernung von der Mitte eines Dreiecks zu einem Objekt gemessen wird.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Uses the center of the triangle that contains a point instead of the point, as in the published algorithm.</source>
            <translation>Verwendet statt eines Punkts die Mitte des Dreiecks, in dem er liegt, wie im veröffentlichten Verfahren.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The raster of ids. Default: the globe in 2^(level + 3) × 2^(level + 2) cells.</source>
            <translation>Das Raster der Kennungen. Vorgabe: die Erde in 2^(Stufe + 3) × 2^(Stufe + 2) Zellen.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Triangles</source>
            <translation>Dreiecke</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The triangles as polygons, with id and id64 (their ids in the mesh), lon and lat (center, degrees), seed (id of the nearest), distance (meters) and area_km2.</source>
            <translation>Die Dreiecke als Polygone, mit id und id64 (ihren Kennungen im Netz), lon und lat (Mitte, Grad), seed (Kennung des nächsten Objekts), distance (Meter) und area_km2.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The triangles as a UGRID mesh, which QGIS opens as a mesh layer, up to level 13.</source>
            <translation>Die Dreiecke als UGRID-Netz, das QGIS als Netzlayer öffnet, bis Stufe 13.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>voronoi,qtm,triangle,mesh,dggs,discrete global grid,sphere,nearest</source>
            <translation>voronoi,qtm,Dreieck,Netz,dggs,globales Gitter,Kugel,nächstes</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The nearest city for every triangle of level 9, and the triangles as polygons:</source>
            <translation>Die nächste Stadt für jedes Dreieck der Stufe 9, und die Dreiecke als Flächen:</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Level of the mesh</source>
            <translation>Stufe des Netzes</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Move seeds to the centers of their triangles</source>
            <translation>Punkte in die Mitte ihres Dreiecks rücken</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Mesh</source>
            <translation>Netz</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>UGRID mesh</source>
            <translation>UGRID-Netz</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Nearest of {layer}, QTM level {level}</source>
            <translation>Nächstes aus {layer}, QTM-Stufe {level}</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Triangles by the nearest of {layer}, QTM level {level}</source>
            <translation>Dreiecke nach den Nächsten aus {layer}, QTM-Stufe {level}</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Mesh of the nearest of {layer}, QTM level {level}</source>
            <translation>Netz der Nächsten aus {layer}, QTM-Stufe {level}</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>Regions of {layer}</source>
            <translation>Gebiete von {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>Cannot open the mask</source>
            <translation>Die Maske lässt sich nicht öffnen</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>“{field}” has no effect without “{weighting}”</source>
            <translation>„{field}“ hat ohne „{weighting}“ keine Wirkung</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>0 of {cells} cells have a seed; limited by {limits}</source>
            <translation>0 von {cells} Zellen haben ein Objekt; begrenzt durch {limits}</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>0 of {cells} cells have a seed; all are outside the globe</source>
            <translation>0 von {cells} Zellen haben ein Objekt; alle liegen außerhalb der Erde</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>“{option}” needs “{output}”</source>
            <translation>„{option}“ braucht „{output}“</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>{count} of {seeds} seeds have no polygon of their own: they have no cell, or share their id</source>
            <translation>{count} von {seeds} Objekten haben kein eigenes Polygon: Sie haben keine Zelle oder dieselbe Kennung wie andere</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Nearest round barriers</source>
            <translation>Nächste um Hindernisse herum</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>&lt;p&gt;Finds, for each cell, the facility with the shortest way that does not cross lines, such as rivers and fences, and does not enter polygons, such as lakes, land or exclusion zones.&lt;/p&gt;&lt;p&gt;The result is exact: a way is a chain of straight legs (on the globe of geodesics) that turn at vertices of the barriers, not a chain of cells. A bridge is a gap in the line of its river.&lt;/p&gt;&lt;p&gt;Cells inside polygons and those that no way reaches are empty.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet für jede Zelle die Einrichtung mit dem kürzesten Weg, der Linien wie Flüsse und Zäune nicht kreuzt und Polygone wie Seen, Land oder Sperrgebiete nicht betritt.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist exakt: Ein Weg ist eine Kette gerader Teilstrecken (auf der Erde geodätischer Linien), die an Stützpunkten der Hindernisse abbiegen, keine Kette von Zellen. Eine Brücke ist eine Lücke in der Linie ihres Flusses.&lt;/p&gt;&lt;p&gt;Zellen in Polygonen und solche, die kein Weg erreicht, sind leer.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Lines that ways do not cross, and polygons that they do not enter; ways may touch and follow both. In any coordinate system. Facilities inside polygons are left out.</source>
            <translation>Linien, die Wege nicht kreuzen, und Polygone, die sie nicht betreten; berühren und ihnen folgen dürfen sie. In jedem Koordinatensystem. Einrichtungen in Polygonen werden ausgelassen.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>For the shortest ways: where they begin.</source>
            <translation>Für die kürzesten Wege: wo sie beginnen.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Nearest facilities</source>
            <translation>Nächste Einrichtungen</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>The raster of ids; −1 where no facility can be reached.</source>
            <translation>Das Raster der Kennungen; −1, wo keine Einrichtung erreichbar ist.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Lengths of the ways</source>
            <translation>Längen der Wege</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>A raster of the length of the shortest way from each cell to a facility.</source>
            <translation>Ein Raster der Länge des kürzesten Weges von jeder Zelle zu einer Einrichtung.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Directions of the first legs</source>
            <translation>Richtungen der ersten Teilstrecken</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>A raster of the direction in which the way leaves each cell: degrees clockwise from north.</source>
            <translation>Ein Raster der Richtung, in der der Weg jede Zelle verlässt: Grad im Uhrzeigersinn von Norden.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>The facilities with their attributes, cells, area, mean and maximum of the length, and sums of the rasters of counts.</source>
            <translation>Die Einrichtungen mit ihren Attributen, Zellen, Fläche, Mittel und Maximum der Länge und Summen der Raster von Anzahlen.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Shortest ways</source>
            <translation>Kürzeste Wege</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>A line from each of the points to its facility, with the attributes of the point, the id of the facility (seed) and the length. Points that cannot reach one have no line.</source>
            <translation>Eine Linie von jedem der Punkte zu seiner Einrichtung, mit den Attributen des Punktes, der Kennung der Einrichtung (seed) und der Länge. Punkte, die keine erreichen, haben keine Linie.</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>barriers,obstacles,rivers,coast,distance by sea,shortest path,visibility,distance allocation,nearest facility,service area</source>
            <translation>Hindernisse,Barrieren,Flüsse,Küste,Entfernung zur See,kürzester Weg,Sichtbarkeit,Entfernungszuordnung,nächste Einrichtung,Einzugsgebiet</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Distance by sea from ports, and the ways of ships to them:</source>
            <translation>Entfernung zur See von Häfen und die Wege der Schiffe zu ihnen:</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Barriers</source>
            <translation>Hindernisse</translation>
        </message>
        <message>
            <location filename="../algorithms/round_barriers.py" />
            <source>Ways round barriers to {layer}</source>
            <translation>Wege um Hindernisse zu {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>The points, lines or polygons to search. Lines and polygons are at the distance of their closest point (0 within a polygon). Without a layer: the same points; a point is not its own neighbor.</source>
            <translation>Die Punkte, Linien oder Flächen, unter denen gesucht wird. Linien und Flächen liegen in der Entfernung ihres nächsten Punkts (0 innerhalb einer Fläche). Ohne Layer: dieselben Punkte; ein Punkt ist nicht sein eigener Nachbar.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>The id of a neighbor in the result. Without a field: the feature id.</source>
            <translation>Die Kennung eines Nachbarn im Ergebnis. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Geodesics and great circles are in meters. The others are measured in the coordinate system of the points, in its units; vertices of lines and polygons are transformed to it.</source>
            <translation>Geodätische Linien und Großkreise in Metern. Die anderen werden im Koordinatensystem der Punkte gemessen, in dessen Einheiten; Stützpunkte von Linien und Flächen werden dorthin umgerechnet.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Neighbors farther away do not count; neighbors at exactly this distance do.</source>
            <translation>Weiter entfernte Nachbarn zählen nicht; genau so weit entfernte zählen.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Points</source>
            <translation>Punkte</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Neighbors</source>
            <translation>Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Id field of the neighbors</source>
            <translation>Feld der Kennung der Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Distances on the map are not supported for degrees; use points in a projected coordinate system</source>
            <translation>Entfernungen auf der Karte sind in Grad nicht möglich; Punkte in einem projizierten Koordinatensystem verwenden</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Distances on the globe need layers with a coordinate system</source>
            <translation>Entfernungen auf der Erde brauchen Layer mit einem Koordinatensystem</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Distances: {metric}, {reason}</source>
            <translation>Entfernungen: {metric}, {reason}</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Nearest facility by travel cost</source>
            <translation>Nächste Einrichtung nach Reisekosten</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>&lt;p&gt;Finds, for each cell of a raster of friction, the facility with the cheapest way to it, and the cost of that way: travel time, distance by sea, effort.&lt;/p&gt;&lt;p&gt;The friction of a cell is the cost of one meter in it (without a unit of length: of one map unit). With minutes per meter the costs are minutes. Empty and negative cells are barriers.&lt;/p&gt;&lt;p&gt;A way moves straight from center to center of cells, on the ellipsoid, the sphere or the map, also across ±180°. On uniform friction, ways with 8, 16 and 32 directions are too long by up to 8.24 %, 2.75 % and 1.31 %.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet für jede Zelle eines Rasters der Reibung die Einrichtung mit dem günstigsten Weg zu ihr und die Kosten dieses Weges: Reisezeit, Entfernung zur See, Anstrengung.&lt;/p&gt;&lt;p&gt;Die Reibung einer Zelle sind die Kosten eines Meters in ihr (ohne Längeneinheit: einer Karteneinheit). Mit Minuten je Meter sind die Kosten Minuten. Leere und negative Zellen sind Hindernisse.&lt;/p&gt;&lt;p&gt;Ein Weg führt geradlinig von Zellmitte zu Zellmitte, auf dem Ellipsoid, der Kugel oder der Karte, auch über ±180° hinweg. Bei gleichmäßiger Reibung sind Wege mit 8, 16 und 32 Richtungen um bis zu 8,24 %, 2,75 % und 1,31 % zu lang.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>The cost of one meter in each cell, at least 0; empty and negative cells are barriers. The results have its cells.</source>
            <translation>Die Kosten eines Meters in jeder Zelle, mindestens 0; leere und negative Zellen sind Hindernisse. Die Ergebnisse haben deren Zellen.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Scale and offset of the band are applied.</source>
            <translation>Skalierung und Versatz des Kanals werden angewandt.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>In how many directions a way may leave a cell. More make ways straighter.</source>
            <translation>In wie viele Richtungen ein Weg eine Zelle verlassen kann. Mehr machen Wege gerader.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>The lengths of moves. Geodesics and great circles need a raster of longitudes and latitudes, straight lines a projected one.</source>
            <translation>Die Längen der Schritte. Geodätische Linien und Großkreise brauchen ein Raster von Längen und Breiten, Geraden ein projiziertes.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Maximum cost</source>
            <translation>Größte Kosten</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Facilities that cost more do not count; those of exactly this cost do. Cells without a facility are empty.</source>
            <translation>Einrichtungen mit höheren Kosten zählen nicht, solche mit genau diesen Kosten zählen. Zellen ohne Einrichtung sind leer.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>For the cheapest ways: where they begin.</source>
            <translation>Für die günstigsten Wege: wo sie beginnen.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Travel costs</source>
            <translation>Reisekosten</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>A raster of the cost of the cheapest way from each cell to a facility.</source>
            <translation>Ein Raster der Kosten des günstigsten Weges von jeder Zelle zu einer Einrichtung.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Directions of the first moves</source>
            <translation>Richtungen der ersten Schritte</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>The facilities with their attributes, cells, area, mean and maximum of the cost, and sums of the rasters of counts.</source>
            <translation>Die Einrichtungen mit ihren Attributen, Zellen, Fläche, mittleren und größten Kosten und den Summen der Raster von Anzahlen.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Cheapest ways</source>
            <translation>Günstigste Wege</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>A line from each of the points to its facility, with the attributes of the point, and the id of the facility (seed), cost and length. Points that cannot reach one have no line.</source>
            <translation>Eine Linie von jedem der Punkte zu seiner Einrichtung, mit den Attributen des Punktes, der Kennung der Einrichtung (seed), Kosten (cost) und Länge (length). Punkte, die keine erreichen, haben keine Linie.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>For the statistics: rasters with values to add up, such as people per cell. The fields are named after the layers.</source>
            <translation>Für die Statistik: Raster mit Werten zum Aufsummieren, etwa Menschen je Zelle. Die Felder heißen nach den Layern.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Service areas</source>
            <translation>Versorgungsgebiete</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>The cells of each facility as polygons, with its attributes.</source>
            <translation>Die Zellen jeder Einrichtung als Polygone, mit ihren Attributen.</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>cost distance,cost allocation,travel time,friction,accessibility,service area,catchment,least cost path,hospital,nearest facility,r.cost</source>
            <translation>Kostendistanz,Kostenzuordnung,Reisezeit,Reibung,Erreichbarkeit,Versorgungsgebiet,Einzugsgebiet,günstigster Weg,Krankenhaus,nächste Einrichtung,r.cost</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Minutes to the nearest hospital, and the people that each serves within an hour:</source>
            <translation>Minuten zum nächsten Krankenhaus und die Menschen, die jedes innerhalb einer Stunde versorgt:</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>The quickest ways from villages to their hospitals:</source>
            <translation>Die schnellsten Wege von Dörfern zu ihren Krankenhäusern:</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>16 directions</source>
            <translation>16 Richtungen</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>8 directions: faster</source>
            <translation>8 Richtungen: schneller</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>32 directions: more accurate</source>
            <translation>32 Richtungen: genauer</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Friction</source>
            <translation>Reibung</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Band of the friction</source>
            <translation>Kanal der Reibung</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Directions of moves</source>
            <translation>Richtungen der Schritte</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Points to begin ways from</source>
            <translation>Punkte, von denen Wege ausgehen</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Travel cost to {layer}</source>
            <translation>Reisekosten zu {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/travel_cost.py" />
            <source>Ways to {layer}</source>
            <translation>Wege zu {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Voronoi diagram (polygons)</source>
            <translation>Voronoi-Diagramm (Polygone)</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>&lt;p&gt;Computes the Voronoi diagram of points. The polygon of a point has its attributes and contains all places that are nearest to this point.&lt;/p&gt;&lt;p&gt;Distances are geodesics on the ellipsoid, great circles, or straight lines on the map. On the globe the polygons cover it exactly once, across ±180° and the poles; lines are as close to the exact borders as the tolerance requires.&lt;/p&gt;&lt;p&gt;The polygons have the fields &lt;i&gt;seed&lt;/i&gt; (id of the point), &lt;i&gt;area_km2&lt;/i&gt; (&lt;i&gt;area&lt;/i&gt; without a coordinate system; of the polygon, as an extent or a mask cuts it), &lt;i&gt;neighbours&lt;/i&gt; (ids of the polygons with a common border) and &lt;i&gt;others&lt;/i&gt; (ids of further points at the same place, which have no polygon).&lt;/p&gt;</source>
            <translation>&lt;p&gt;Berechnet das Voronoi-Diagramm von Punkten. Das Polygon eines Punkts hat dessen Attribute und enthält alle Orte, denen dieser Punkt am nächsten ist.&lt;/p&gt;&lt;p&gt;Entfernungen sind geodätische Linien auf dem Ellipsoid, Großkreise oder Geraden auf der Karte. Auf der Erde bedecken die Polygone den Globus genau einmal, auch über ±180° und die Pole hinweg; Linien liegen so nahe an den exakten Grenzen, wie die Toleranz verlangt.&lt;/p&gt;&lt;p&gt;Die Polygone haben die Felder &lt;i&gt;seed&lt;/i&gt; (Kennung des Punkts), &lt;i&gt;area_km2&lt;/i&gt; (ohne Koordinatensystem &lt;i&gt;area&lt;/i&gt;; Fläche des Polygons, wie eine Ausdehnung oder eine Maske es abschneidet), &lt;i&gt;neighbours&lt;/i&gt; (Kennungen der Polygone mit gemeinsamer Grenze) und &lt;i&gt;others&lt;/i&gt; (Kennungen weiterer Punkte am selben Ort, die kein Polygon haben).&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Each point of a multipoint has a polygon. For lines and polygons, and for weights, use “Voronoi raster” with its result “Regions”.</source>
            <translation>Jeder Punkt eines Multipunkts hat ein Polygon. Für Linien und Flächen und für Gewichte: „Voronoi-Raster“ mit seinem Ergebnis „Gebiete“.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The id of a point in the result: whole numbers or text. Without a field: the feature id.</source>
            <translation>Die Kennung eines Punkts im Ergebnis: ganze Zahlen oder Text. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Lines have the ids of the points on both sides as fields “left” and “right”.</source>
            <translation>Linien haben die Kennungen der Punkte auf beiden Seiten in den Feldern „left“ (links) und „right“ (rechts).</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The id is the owner of the points. Borders as lines are those between owners, one feature for each pair.</source>
            <translation>Die Kennung ist der Besitzer der Punkte. Grenzen als Linien sind die zwischen Besitzern, ein Objekt für jedes Paar.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Straight lines are measured on the map of the result and need a projected coordinate system, or none.</source>
            <translation>Geraden werden auf der Karte des Ergebnisses gemessen und brauchen ein projiziertes Koordinatensystem oder keines.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Cuts the diagram. Default: the whole globe, on the map the extent of the points and 10 % on each side.</source>
            <translation>Begrenzt das Diagramm. Vorgabe: die ganze Erde, auf der Karte die Ausdehnung der Punkte und 10 % auf jeder Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Polygons that cut the diagram, in any coordinate system.</source>
            <translation>Polygone, die das Diagramm begrenzen, in beliebigem Koordinatensystem.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Default: that of the points.</source>
            <translation>Vorgabe: das der Punkte.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>On the globe: how far lines may be from the exact borders. A larger one gives fewer vertices.</source>
            <translation>Auf der Erde: wie weit Linien von den exakten Grenzen abweichen dürfen. Eine größere ergibt weniger Stützpunkte.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Leaves polygons whole at ±180° and open at the poles: for polar coordinate systems and for globes.</source>
            <translation>Lässt Polygone bei ±180° ganz und an den Polen offen: für polare Koordinatensysteme und Globen.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The polygons, each with the attributes of its point; or the lines.</source>
            <translation>Die Polygone, jedes mit den Attributen seines Punkts, oder die Linien.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>voronoi,thiessen,dirichlet,polygons,delaunay,triangulation,tessellation,nearest,service area,catchment,geodesic,great circle,globe</source>
            <translation>voronoi,thiessen,dirichlet,Polygone,delaunay,Triangulation,Tessellation,nächster,Einzugsgebiet,geodätisch,Großkreis,Globus</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The area that is nearest to each airport, as polygons:</source>
            <translation>Das Gebiet, dem jeder Flughafen am nächsten ist, als Polygone:</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The same within a country, to 100 m:</source>
            <translation>Dasselbe innerhalb eines Landes, auf 100 m genau:</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>The Delaunay triangulation as lines:</source>
            <translation>Die Delaunay-Triangulation als Linien:</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Borders as lines, with the points on both sides</source>
            <translation>Grenzen als Linien, mit den Punkten auf beiden Seiten</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Delaunay triangulation: lines between neighbors</source>
            <translation>Delaunay-Triangulation: Linien zwischen Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Result</source>
            <translation>Ergebnis</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>One polygon for all points with the same id</source>
            <translation>Ein Polygon für alle Punkte mit derselben Kennung</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Coordinate system of the result</source>
            <translation>Koordinatensystem des Ergebnisses</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Tolerance (meters)</source>
            <translation>Toleranz (Meter)</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Do not cut at ±180°</source>
            <translation>Nicht bei ±180° teilen</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Voronoi diagram</source>
            <translation>Voronoi-Diagramm</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Voronoi cells of {layer}</source>
            <translation>Voronoi-Zellen von {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Voronoi borders of {layer}</source>
            <translation>Voronoi-Grenzen von {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Delaunay triangulation of {layer}</source>
            <translation>Delaunay-Triangulation von {layer}</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>One polygon for all points with the same id: missing field of ids</source>
            <translation>Ein Polygon für alle Punkte mit derselben Kennung: Das Feld der Kennungen fehlt</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>One polygon for all points with the same id: unsupported for the Delaunay triangulation</source>
            <translation>Ein Polygon für alle Punkte mit derselben Kennung: nicht möglich mit der Delaunay-Triangulation</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>{layer}: unsupported geometries; use “Voronoi raster” with “Regions” for lines and polygons</source>
            <translation>{layer}: Geometrien werden nicht unterstützt; für Linien und Flächen „Voronoi-Raster“ mit „Gebiete“ verwenden</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>Voronoi raster</source>
            <translation>Voronoi-Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>&lt;p&gt;Writes the id of the nearest seed into every cell of a raster: a Voronoi raster, also known as Euclidean or distance allocation.&lt;/p&gt;&lt;p&gt;The result is exact. Distances are measured on the ellipsoid, on the sphere or on the map, across ±180° and the poles. At equal distances the first seed counts.&lt;/p&gt;&lt;p&gt;Further results are the distance and the direction from each cell to its seed, and the regions as polygons.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Schreibt in jede Zelle eines Rasters die Kennung des nächsten Objekts: ein Voronoi-Raster, auch euklidische Zuordnung genannt.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist exakt. Entfernungen werden auf dem Ellipsoid, auf der Kugel oder auf der Karte gemessen, auch über ±180° und die Pole hinweg. Bei gleicher Entfernung zählt das erste Objekt.&lt;/p&gt;&lt;p&gt;Weitere Ergebnisse sind Entfernung und Richtung von jeder Zelle zu ihrem Objekt und die Gebiete als Polygone.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The raster of ids; −1 where no seed counts (the lowest integer of the type if −1 is an id).</source>
            <translation>Das Raster der Kennungen; −1, wo kein Objekt zählt (die kleinste ganze Zahl des Typs, wenn −1 eine Kennung ist).</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The regions as polygons, with the attributes of their seeds. With k above 1: those of the nearest.</source>
            <translation>Die Gebiete als Polygone, mit den Attributen ihrer Objekte. Mit k über 1: die des nächsten.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>voronoi,thiessen,euclidean allocation,distance allocation,distance to coast,nearest,proximity,service area,geodesic,great circle,raster</source>
            <translation>voronoi,thiessen,euklidische Zuordnung,Entfernung zur Küste,nächster,Nähe,Einzugsgebiet,geodätisch,Großkreis,Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The nearest city for every tenth of a degree, with distances:</source>
            <translation>Die nächste Stadt für jedes Zehntel eines Grads, mit Entfernungen:</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The three nearest shops at most 50 km away, on the cells of another raster:</source>
            <translation>Die drei nächsten Läden, höchstens 50 km entfernt, auf den Zellen eines anderen Rasters:</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The distance to the coast, negative on land, from a layer of countries:</source>
            <translation>Die Entfernung zur Küste, negativ an Land, aus einem Layer der Länder:</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>Within a distance</source>
            <translation>Innerhalb einer Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>&lt;p&gt;Finds, for every point of a layer, all points, lines or polygons of another layer that are at most a distance away. The result is exact; neighbors at equal distances are in the order of their layer.&lt;/p&gt;&lt;p&gt;The result has a row for each pair, the nearest first, with the fields &lt;i&gt;input&lt;/i&gt; (id of the point), &lt;i&gt;rank&lt;/i&gt; (1 for the nearest), &lt;i&gt;neighbour&lt;/i&gt; (id of the neighbor) and &lt;i&gt;distance&lt;/i&gt;. A point without a neighbor has one row, in which these are empty.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zu jedem Punkt eines Layers alle Punkte, Linien oder Flächen eines anderen Layers, die höchstens so weit entfernt sind. Das Ergebnis ist exakt; gleich weit entfernte Nachbarn stehen in der Reihenfolge ihres Layers.&lt;/p&gt;&lt;p&gt;Das Ergebnis hat eine Zeile je Paar, die nächsten zuerst, mit den Feldern &lt;i&gt;input&lt;/i&gt; (Kennung des Punkts), &lt;i&gt;rank&lt;/i&gt; (1 für den nächsten), &lt;i&gt;neighbour&lt;/i&gt; (Kennung des Nachbarn) und &lt;i&gt;distance&lt;/i&gt; (Entfernung). Ein Punkt ohne Nachbarn hat eine Zeile, in der diese leer sind.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>Neighbors within the distance</source>
            <translation>Nachbarn innerhalb der Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>All neighbors at most this far; those at exactly this distance are within it.</source>
            <translation>Alle Nachbarn, die höchstens so weit entfernt sind; auch solche in genau dieser Entfernung.</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>To lines and polygons no lines are drawn.</source>
            <translation>Zu Linien und Flächen werden keine Linien gezeichnet.</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>nearest,neighbour,neighbor,radius,range,buffer,within,distance,catchment,reach,geodesic,points</source>
            <translation>nächste,Nachbar,Radius,Umkreis,Puffer,innerhalb,Entfernung,Einzugsgebiet,Reichweite,geodätisch,Punkte,nearest,within</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>Lines from every school to all bus stops within 500 m:</source>
            <translation>Linien von jeder Schule zu allen Haltestellen im Umkreis von 500 m:</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>A table of the rivers and lakes within 2 km of every well:</source>
            <translation>Eine Tabelle der Flüsse und Seen im Umkreis von 2 km um jeden Brunnen:</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>Distance (meters on the globe, map units on the map)</source>
            <translation>Entfernung (Meter auf der Erde, Karteneinheiten auf der Karte)</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>“{geometry}”: lines to lines and polygons are not supported; choose the point or a table</source>
            <translation>„{geometry}“: Linien zu Linien und Flächen sind nicht möglich; wählen Sie den Punkt oder eine Tabelle</translation>
        </message>
        <message>
            <location filename="../algorithms/within_distance.py" />
            <source>{points} and what is near</source>
            <translation>{points} und was nahe ist</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Write nearest neighbors into fields</source>
            <translation>Nächste Nachbarn in Felder schreiben</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>&lt;p&gt;Writes the id of the nearest feature of another layer, and the distance to it, into fields of every point. Missing fields are added. Points without such a neighbor get empty values.&lt;/p&gt;&lt;p&gt;With &lt;i&gt;Edit features in place&lt;/i&gt;, the pencil of the toolbox, it changes the layer itself: the selected features, or all if none is selected. The changes can be undone until they are saved.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Schreibt die Kennung des nächsten Objekts eines anderen Layers und die Entfernung zu ihm in Felder jedes Punkts. Fehlende Felder werden hinzugefügt. Punkte ohne einen solchen Nachbarn erhalten leere Werte.&lt;/p&gt;&lt;p&gt;Mit &lt;i&gt;Objekte direkt bearbeiten&lt;/i&gt;, dem Stift der Werkzeugkiste, ändert der Algorithmus den Layer selbst: die gewählten Objekte, oder alle, wenn keines gewählt ist. Die Änderungen lassen sich rückgängig machen, bis sie gespeichert sind.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Points with their nearest</source>
            <translation>Punkte mit ihren nächsten</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The points to find neighbors for. Of a multipoint the nearest point counts.</source>
            <translation>Die Punkte, zu denen Nachbarn gesucht werden. Von einem Multipunkt zählt der nächste Punkt.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>2 is the second nearest, and so on to 1,024.</source>
            <translation>2 ist der zweitnächste, und so weiter bis 1024.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The points, with values in both fields.</source>
            <translation>Die Punkte, mit Werten in beiden Feldern.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>nearest,neighbour,neighbor,distance,field,attribute,edit,in place,update</source>
            <translation>nächste,Nachbar,Entfernung,Feld,Attribut,bearbeiten,direkt,aktualisieren</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The number of the nearest station, and the distance to it, for every school:</source>
            <translation>Die Nummer der nächsten Haltestelle und die Entfernung zu ihr, für jede Schule:</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Which neighbor (1: the nearest)</source>
            <translation>Welcher Nachbar (1: der nächste)</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Field for the neighbor's id</source>
            <translation>Feld für die Kennung des Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>A field of the points for ids: whole numbers, or text. A name that the points do not have is a new field. If neither field is given, “nearest_id” and “nearest_distance” are added.</source>
            <translation>Ein Feld der Punkte für Kennungen: ganze Zahlen oder Text. Ein Name, den die Punkte nicht haben, ist ein neues Feld. Ist kein Feld angegeben, werden „nearest_id“ und „nearest_distance“ hinzugefügt.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Field for the distance</source>
            <translation>Feld für die Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>A field of the points for distances: meters on the globe, else map units. A name that the points do not have is a new field.</source>
            <translation>Ein Feld der Punkte für Entfernungen: Meter auf der Erde, sonst Karteneinheiten. Ein Name, den die Punkte nicht haben, ist ein neues Feld.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>“{field}”: one field cannot hold both the id and the distance; choose two</source>
            <translation>„{field}“: Ein Feld kann nicht die Kennung und die Entfernung enthalten; wählen Sie zwei</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>{layer}: cannot add the field “{field}”</source>
            <translation>{layer}: das Feld „{field}“ lässt sich nicht hinzufügen</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>“{field}”: a field of type {type} cannot hold these values; choose a field of text or a new name</source>
            <translation>„{field}“: Ein Feld des Typs {type} kann diese Werte nicht enthalten; wählen Sie ein Textfeld oder einen neuen Namen</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>The Processing setting of gpuvoronoi</source>
            <translation>Die Verarbeitungseinstellung von gpuvoronoi</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>The environment variable {}</source>
            <translation>Die Umgebungsvariable {}</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>The gpuvoronoi command was not found. Install it, then set its path under Settings ▸ Options ▸ Processing ▸ Providers ▸ gpuvoronoi or in the environment variable {}, or add its folder to the PATH.</source>
            <translation>Das Kommando gpuvoronoi wurde nicht gefunden. Installieren Sie es; geben Sie dann seinen Pfad unter Einstellungen ▸ Optionen ▸ Verarbeitung ▸ Datenanbieter ▸ gpuvoronoi oder in der Umgebungsvariablen {} an, oder nehmen Sie seinen Ordner in den PATH auf.</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} wrote no report</source>
            <translation>{program} hat keinen Bericht geschrieben</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>no graphics card</source>
            <translation>keine Grafikkarte</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>Cannot start {program}: {reason}</source>
            <translation>{program} lässt sich nicht starten: {reason}</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} ended with status {status} and no message</source>
            <translation>{program} endete mit Status {status} und ohne Meldung</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} made no file {file}</source>
            <translation>{program} hat keine Datei {file} erzeugt</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{where} has the path “{path}”, which is not a program.</source>
            <translation>{where} hat den Pfad „{path}“, der kein Programm ist.</translation>
        </message>
        <message>
            <location filename="../datasets.py" />
            <source>Unknown coordinate system</source>
            <translation>Unbekanntes Koordinatensystem</translation>
        </message>
        <message>
            <location filename="../datasets.py" />
            <source>Unsupported file format for this result; choose another, for example .tif or .gpkg</source>
            <translation>Dateiformat für dieses Ergebnis nicht unterstützt; ein anderes wählen, zum Beispiel .tif oder .gpkg</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>GDAL's driver VORONOI is disabled by GDAL_SKIP or under Settings ▸ Options ▸ GDAL.</source>
            <translation>Der GDAL-Treiber VORONOI ist durch GDAL_SKIP oder unter Einstellungen ▸ Optionen ▸ GDAL abgeschaltet.</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>GDAL's driver VORONOI, which opens on-demand rasters, is missing. It is built with the gpuvoronoi command, for GDAL {version}: install {file} next to the command, or start QGIS with the environment variable GDAL_DRIVER_PATH set to its folder.</source>
            <translation>Der GDAL-Treiber VORONOI, der bei Bedarf berechnete Raster öffnet, fehlt. Er wird mit dem Kommando gpuvoronoi gebaut, für GDAL {version}: {file} neben dem Kommando installieren, oder QGIS mit der Umgebungsvariablen GDAL_DRIVER_PATH starten, die seinen Ordner nennt.</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>Cannot load the driver {path} into QGIS's GDAL {version}; build gpuvoronoi for this version. GDAL: {reason}</source>
            <translation>Der Treiber {path} lässt sich nicht in das GDAL {version} von QGIS laden; gpuvoronoi für diese Version bauen. GDAL: {reason}</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>Missing current layer</source>
            <translation>Es gibt keinen aktuellen Layer</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>k: out of range [1, 1024]</source>
            <translation>k: nicht im Bereich [1, 1024]</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>Unknown layer of the current feature; it is in none, or in several</source>
            <translation>Layer des aktuellen Objekts unbekannt; es ist in keinem oder in mehreren</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>&lt;p&gt;The feature id of the k-th nearest point, line or polygon of a layer, given by its name or id. Within the current layer a feature's own point does not count. Distances are geodesics for longitudes and latitudes and for maps of the whole world, else straight lines on the map.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Objektkennung des k-nächsten Punkts, der Linie oder der Fläche eines Layers, mit dessen Namen oder Kennung. Im aktuellen Layer selbst zählt der eigene Punkt eines Objekts nicht. Entfernungen sind geodätische Linien bei Längen und Breiten und auf Karten der ganzen Welt, sonst Strecken auf der Karte.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>&lt;p&gt;The distance to the k-th nearest point, line or polygon of a layer, given by its name or id: meters for longitudes and latitudes and for maps of the whole world, else map units.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Entfernung zum k-nächsten Punkt, zur Linie oder Fläche eines Layers, mit dessen Namen oder Kennung: Meter bei Längen und Breiten und auf Karten der ganzen Welt, sonst Einheiten der Karte.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>Unknown layer “{}”</source>
            <translation>Unbekannter Layer „{}“</translation>
        </message>
        <message>
            <location filename="../help_page.py" />
            <source>In scripts</source>
            <translation>In Skripten</translation>
        </message>
        <message>
            <location filename="../help_page.py" />
            <source>Results</source>
            <translation>Ergebnisse</translation>
        </message>
        <message>
            <location filename="../help_page.py" />
            <source>Parameters</source>
            <translation>Parameter</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: lines and polygons are not supported; expected points</source>
            <translation>{layer}: Linien und Flächen werden nicht unterstützt; erwartet werden Punkte</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: missing geometries; expected points, lines or polygons</source>
            <translation>{layer}: keine Geometrien; erwartet werden Punkte, Linien oder Flächen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: missing coordinate system; distances are straight lines in units of the coordinates</source>
            <translation>{layer}: kein Koordinatensystem; Entfernungen sind Geraden in Einheiten der Koordinaten</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{} of {} were written</source>
            <translation>{} von {} wurden geschrieben</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: unknown field “{field}”</source>
            <translation>{layer}: unbekanntes Feld „{field}“</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{}: unsupported raster; expected one that GDAL reads</source>
            <translation>{}: Raster wird nicht unterstützt; erwartet wird eines, das GDAL liest</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>Cannot write the features: {}</source>
            <translation>Die Objekte lassen sich nicht schreiben: {}</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: invalid coordinates of feature {id}; correct them, or check “Leave out points without usable coordinates”</source>
            <translation>{layer}: ungültige Koordinaten von Objekt {id}; berichtigen, oder „Punkte ohne brauchbare Koordinaten auslassen“ ankreuzen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: {count} features with invalid coordinates are left out</source>
            <translation>{layer}: {count} Objekte mit ungültigen Koordinaten sind ausgelassen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: {count} features outside the area of {crs} are left out; the first is feature {id}</source>
            <translation>{layer}: {count} Objekte außerhalb des Bereichs von {crs} sind ausgelassen; das erste ist Objekt {id}</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: missing polygons</source>
            <translation>{layer}: keine Polygone</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Out of memory; a coarser raster needs less</source>
            <translation>Der Arbeitsspeicher reicht nicht; ein gröberes Raster braucht weniger</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Unknown backend; choose another, or “auto”</source>
            <translation>Unbekanntes Rechenverfahren; ein anderes wählen, oder „auto“</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cannot read or write a file; check that it exists, its permissions and the free disk space</source>
            <translation>Eine Datei lässt sich nicht lesen oder schreiben; prüfen, ob sie da ist, ihre Rechte und den freien Speicherplatz</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cannot transform the layers to one coordinate system; check theirs</source>
            <translation>Die Layer lassen sich nicht in ein Koordinatensystem umrechnen; ihre prüfen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Internal error of the command or the graphics card; try another backend and report the error</source>
            <translation>Interner Fehler des Kommandos oder der Grafikkarte; ein anderes Rechenverfahren versuchen und den Fehler melden</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Backend unavailable on this computer; choose another, or “auto”</source>
            <translation>Dieses Rechenverfahren läuft auf diesem Rechner nicht; ein anderes wählen, oder „auto“</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Unsupported by this backend or file format; choose another</source>
            <translation>Von diesem Rechenverfahren oder Dateiformat nicht unterstützt; ein anderes wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Missing coordinate system of a layer; set it in its properties</source>
            <translation>Ein Layer hat kein Koordinatensystem; in seinen Eigenschaften eines setzen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Too many cells in the raster; choose a larger cell size or a smaller area</source>
            <translation>Zu viele Zellen im Raster; größere Zellen oder einen kleineren Bereich wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cells larger than the area; choose a smaller cell size</source>
            <translation>Die Zellen sind größer als der Bereich; kleinere Zellen wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Several layers in the file; add the right one to the project and choose it</source>
            <translation>Mehrere Layer in der Datei; den richtigen zum Projekt hinzufügen und wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Unsupported distances here; choose others under “Distances”, or automatic</source>
            <translation>Diese Entfernungen sind hier nicht möglich; unter „Entfernungen“ andere wählen, oder automatisch</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The output exists or is in use; choose another name</source>
            <translation>Die Ausgabe gibt es schon, oder sie wird benutzt; einen anderen Namen wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The output is an input too; choose another name</source>
            <translation>Die Ausgabe ist zugleich Eingabe; einen anderen Namen wählen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A seed has an empty or invalid value or invalid coordinates; correct them, or check “Leave out points without usable coordinates”</source>
            <translation>Ein Objekt hat einen leeren oder ungültigen Wert oder ungültige Koordinaten; berichtigen, oder „Punkte ohne brauchbare Koordinaten auslassen“ ankreuzen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>No seeds; check the selection and the filter</source>
            <translation>Keine Objekte; Auswahl und Filter prüfen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A datum grid for a more accurate transformation is not installed.</source>
            <translation>Ein Datumsgitter für eine genauere Umrechnung ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The layer of barriers is empty: ways are those without barriers.</source>
            <translation>Der Layer der Hindernisse ist leer: Wege sind die ohne Hindernisse.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The layer has no coordinate system and may be in degrees, which are used as lengths; set its coordinate system in its properties.</source>
            <translation>Der Layer hat kein Koordinatensystem und ist womöglich in Grad, die als Längen verwendet werden; in seinen Eigenschaften das Koordinatensystem setzen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Distances on this map are not those on the ground; choose others under “Distances”.</source>
            <translation>Entfernungen auf dieser Karte sind nicht die auf dem Boden; unter „Entfernungen“ andere wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Heights are not used in these distances.</source>
            <translation>Höhen werden in diesen Entfernungen nicht verwendet.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The raster has no table of names and colors. Regions as polygons have the names.</source>
            <translation>Das Raster hat keine Tabelle mit Namen und Farben. Gebiete als Flächen haben die Namen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Positions outside the area of the coordinate operation: {count}.</source>
            <translation>Positionen außerhalb des Bereichs der Koordinatenumrechnung: {count}.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Features with curves, which are approximated by line segments: {count}.</source>
            <translation>Objekte mit Bögen, die durch Strecken angenähert werden: {count}.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Edges wider than 180° of longitude: {count}. Geodesic edges go the shorter way.</source>
            <translation>Kanten, die breiter als 180° Länge sind: {count}. Geodätische Kanten nehmen den kürzeren Weg.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Invalid polygons: {count}. The even-odd rule decides what is inside.</source>
            <translation>Ungültige Polygone: {count}. Die Gerade-Ungerade-Regel entscheidet, was innen ist.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Seeds outside the area of the coordinate system, which the raster covers: {count}.</source>
            <translation>Objekte außerhalb des Bereichs des Koordinatensystems, den das Raster bedeckt: {count}.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Seeds left out for empty or invalid values or coordinates: {count}.</source>
            <translation>Wegen leerer oder ungültiger Werte oder Koordinaten ausgelassene Objekte: {count}.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A raster of counts has negative values; if they stand for missing values, declare them as no data in its properties.</source>
            <translation>Ein Raster von Anzahlen hat negative Werte; falls sie für fehlende Werte stehen, erklären Sie sie in seinen Eigenschaften zu Leerwerten.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A part of the raster of counts is outside the area and is not counted.</source>
            <translation>Ein Teil des Rasters von Anzahlen liegt außerhalb des Bereichs und wird nicht gezählt.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The format of the result does not hold everything; use a GeoPackage to keep all values.</source>
            <translation>Das Format des Ergebnisses fasst nicht alles; ein GeoPackage behält alle Werte.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>requested</source>
            <translation>wie gewählt</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default without a coordinate system</source>
            <translation>Vorgabe ohne Koordinatensystem</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for longitudes and latitudes</source>
            <translation>Vorgabe bei Längen und Breiten</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for projected CRSs</source>
            <translation>Vorgabe bei projizierten KBS</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for projected CRSs of the whole world</source>
            <translation>Vorgabe bei projizierten KBS der ganzen Welt</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for the mesh</source>
            <translation>Vorgabe beim Netz</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>H3 cells need the library libh3; install it, or choose HEALPix or S2</source>
            <translation>H3-Zellen brauchen die Bibliothek libh3; installieren Sie sie, oder wählen Sie HEALPix oder S2</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>“{option}” is not supported by the Python package gpuvoronoi; install the gpuvoronoi command</source>
            <translation>„{option}“ wird vom Python-Paket gpuvoronoi nicht unterstützt; das Kommando gpuvoronoi installieren</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Raster: {width} × {height} cells of {x} × {y} {unit}, {crs}</source>
            <translation>Raster: {width} × {height} Zellen von {x} × {y} {unit}, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>geodesic</source>
            <translation>geodätisch</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>great-circle</source>
            <translation>Großkreise</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>euclidean</source>
            <translation>geradlinig</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>manhattan</source>
            <translation>Manhattan</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>chebyshev</source>
            <translation>Tschebyschow</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>degree</source>
            <translation>Grad</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>meter</source>
            <translation>Meter</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Computed by {backend}, {threads} threads, in {seconds} s</source>
            <translation>Berechnet mit {backend}, {threads} Threads, in {seconds} s</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Searched for {points} points among {places}, {crs}</source>
            <translation>Gesucht für {points} Punkte unter {places}, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Seeds: {used} used, {left_out} left out</source>
            <translation>Objekte: {used} verwendet, {left_out} ausgelassen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Diagram: {places} places, {edges} borders, {crs}</source>
            <translation>Diagramm: {places} Orte, {edges} Grenzen, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cells: {count} of {system}, {crs}</source>
            <translation>Zellen: {count} von {system}, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cells without a seed: {count} of {cells}</source>
            <translation>Zellen ohne Objekt: {count} von {cells}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Seeds without a cell: {count}</source>
            <translation>Objekte ohne Zelle: {count}</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>The gpuvoronoi command</source>
            <translation>Das Kommando gpuvoronoi</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Search</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Copy the line for pip</source>
            <translation>Zeile für pip kopieren</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Choose the file…</source>
            <translation>Datei wählen …</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>&lt;p&gt;The algorithms run the gpuvoronoi command, which is not part of QGIS.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Algorithmen führen das Kommando gpuvoronoi aus, das nicht zu QGIS gehört.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Found: {path}, version {version}. The algorithms can be used now.</source>
            <translation>Gefunden: {path}, Version {version}. Die Algorithmen können jetzt benutzt werden.</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>The gpuvoronoi command, which the algorithms run, is not installed.</source>
            <translation>Das Kommando gpuvoronoi, das die Algorithmen ausführen, ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Install or search…</source>
            <translation>Installieren oder suchen …</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Not found in these folders: {}</source>
            <translation>In diesen Ordnern nicht gefunden: {}</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>“{}” is not the gpuvoronoi command, or cannot be started.</source>
            <translation>„{}“ ist nicht das Kommando gpuvoronoi oder lässt sich nicht starten.</translation>
        </message>
        <message>
            <location filename="../package/__init__.py" />
            <source>The Python package gpuvoronoi is not installed.</source>
            <translation>Das Python-Paket gpuvoronoi ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../package/__init__.py" />
            <source>The Python package gpuvoronoi has version {version}, which is too old; {required} is required.</source>
            <translation>Das Python-Paket gpuvoronoi hat Version {version} und ist zu alt; nötig ist {required}.</translation>
        </message>
        <message>
            <location filename="../package/diagrams.py" />
            <source>Distances on the globe from a map</source>
            <translation>Entfernungen auf dem Globus von einer Karte aus</translation>
        </message>
        <message>
            <location filename="../package/jobs.py" />
            <source>Computed by the Python package gpuvoronoi</source>
            <translation>Berechnet vom Python-Paket gpuvoronoi</translation>
        </message>
        <message>
            <location filename="../package/rasters.py" />
            <source>“{field}” has empty values or text; expected numbers</source>
            <translation>„{field}“ hat leere Werte oder Text; erwartet werden Zahlen</translation>
        </message>
        <message>
            <location filename="../package/rasters.py" />
            <source>Lines and polygons in another coordinate system than the raster</source>
            <translation>Linien und Polygone in einem anderen Koordinatensystem als das Raster</translation>
        </message>
        <message>
            <location filename="../package/rasters.py" />
            <source>Another raster than that of the seeds</source>
            <translation>Ein anderes Raster als das der Objekte</translation>
        </message>
        <message>
            <location filename="../package/rasters.py" />
            <source>{name}: another grid than that of the result</source>
            <translation>{name}: ein anderes Gitter als das des Ergebnisses</translation>
        </message>
        <message>
            <location filename="../package/searches.py" />
            <source>Layers in two coordinate systems</source>
            <translation>Layer in zwei Koordinatensystemen</translation>
        </message>
        <message>
            <location filename="../package/searches.py" />
            <source>k: out of range [1, 64] for lines and polygons with the Python package</source>
            <translation>k: nicht im Bereich [1, 64] bei Linien und Flächen mit dem Python-Paket</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>Install or search for the command…</source>
            <translation>Das Kommando installieren oder suchen …</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>The command is installed: the algorithms can be used.</source>
            <translation>Das Kommando ist installiert: Die Algorithmen können benutzt werden.</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>In the OSGeo4W Shell, from the start menu</source>
            <translation>In der OSGeo4W-Shell aus dem Startmenü</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;The gpuvoronoi command is not available for Windows yet. It runs in the Windows Subsystem for Linux.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Das Kommando gpuvoronoi gibt es für Windows noch nicht. Es läuft im Windows-Subsystem für Linux.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>The gpuvoronoi command {path} has version {version}, which is too old; {required} is required.</source>
            <translation>Das Kommando gpuvoronoi {path} hat Version {version} und ist zu alt; nötig ist {required}.</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>The Python package gpuvoronoi, version {version}, computes: the algorithms can be used.</source>
            <translation>Das Python-Paket gpuvoronoi, Version {version}, rechnet: Die Algorithmen können benutzt werden.</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>In a terminal</source>
            <translation>In einem Terminal</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;Without the command, the algorithms compute with the Python package gpuvoronoi, if it is installed in the Python of QGIS. {place}:&lt;/p&gt;&lt;pre&gt;{line}&lt;/pre&gt;&lt;p&gt;Then start QGIS again. On-demand rasters, some options and graphics cards need the command.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Ohne das Kommando rechnen die Algorithmen mit dem Python-Paket gpuvoronoi, wenn es im Python von QGIS installiert ist. {place}:&lt;/p&gt;&lt;pre&gt;{line}&lt;/pre&gt;&lt;p&gt;Dann QGIS neu starten. Bei Bedarf berechnete Raster, einige Optionen und Grafikkarten brauchen das Kommando.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;The command, which is untried on macOS, is built from its sources, with the libraries of Homebrew:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;A QGIS that was not started from a terminal has another PATH: then search for the command here.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Das Kommando, das unter macOS nicht erprobt ist, wird aus seinen Quellen gebaut, mit den Bibliotheken von Homebrew:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;Ein QGIS, das nicht aus einem Terminal gestartet wurde, hat einen anderen PATH: Dann suchen Sie das Kommando hier.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;On Debian, Ubuntu and their relatives, the command is in the packages of a release:&lt;/p&gt;&lt;pre&gt;{packages}&lt;/pre&gt;&lt;p&gt;Elsewhere it is built from its sources:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;It is then found without a setting.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Unter Debian, Ubuntu und ihren Verwandten ist das Kommando in den Paketen einer Veröffentlichung:&lt;/p&gt;&lt;pre&gt;{packages}&lt;/pre&gt;&lt;p&gt;Sonst wird es aus seinen Quellen gebaut:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;Dann wird es ohne Einstellung gefunden.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../provider.py" />
            <source>gpuvoronoi: exact nearest neighbors and Voronoi diagrams</source>
            <translation>gpuvoronoi: exakte nächste Nachbarn und Voronoi-Diagramme</translation>
        </message>
        <message>
            <location filename="../provider.py" />
            <source>The gpuvoronoi command (empty: the environment variable {}, then the PATH)</source>
            <translation>Das Kommando gpuvoronoi (leer: die Umgebungsvariable {}, dann der PATH)</translation>
        </message>
        <message>
            <location filename="../sizes.py" />
            <source>Compute all of them?</source>
            <translation>Alle berechnen?</translation>
        </message>
        <message>
            <location filename="../sizes.py" />
            <source>Not started: {}</source>
            <translation>Nicht begonnen: {}</translation>
        </message>
    </context>
</TS>
