<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>gpuvoronoi</name>
        <message>
            <location filename="../algorithms/base.py" />
            <source>Nearest seeds</source>
            <translation>Nächste Saatpunkte</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>A weighting needs the field of the weights</source>
            <translation>Eine Gewichtung braucht das Feld der Gewichte</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>The result could not be written</source>
            <translation>Das Ergebnis konnte nicht geschrieben werden</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>{} cannot be read</source>
            <translation>{} kann nicht gelesen werden</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{output}”: {file} is the file of the layer “{layer}”, choose another one or remove the layer</source>
            <translation>„{output}“: {file} ist die Datei des Layers „{layer}“; bitte eine andere wählen oder den Layer entfernen</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{field}” is a field of numbers with fractions: ids are whole numbers or text</source>
            <translation>„{field}“ ist ein Feld von Kommazahlen: Kennungen sind ganze Zahlen oder Text</translation>
        </message>
        <message>
            <location filename="../algorithms/base.py" />
            <source>“{}” comes from the template raster and cannot be given with it</source>
            <translation>„{}“ kommt vom Vorlageraster und kann nicht zugleich angegeben werden</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Nearest facility statistics</source>
            <translation>Statistik der nächsten Einrichtungen</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>&lt;p&gt;Which facility serves each place, how far is it, how much land and how many people does each one serve? Every cell of a raster goes to its nearest seed; the result is the seeds with these fields:&lt;/p&gt;&lt;ul&gt;&lt;li&gt;&lt;i&gt;value&lt;/i&gt;: the region's value in the raster of the nearest seeds, by which both join&lt;/li&gt;&lt;li&gt;&lt;i&gt;cells&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;: cells and true area of the region (&lt;i&gt;area&lt;/i&gt;, in map units, without a coordinate system)&lt;/li&gt;&lt;li&gt;&lt;i&gt;distance_mean&lt;/i&gt;, &lt;i&gt;distance_max&lt;/i&gt;: mean over the area and largest, metres on the globe, else units of the map&lt;/li&gt;&lt;li&gt;&lt;i&gt;centroid_x&lt;/i&gt;, &lt;i&gt;centroid_y&lt;/i&gt;: the middle of the region&lt;/li&gt;&lt;li&gt;&lt;i&gt;NAME_sum&lt;/i&gt;, &lt;i&gt;NAME_distance_mean&lt;/i&gt;: for each raster of counts, what the region holds of it, such as people, and their mean distance&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;Seeds without cells are there too. A row for each id, with the number of its &lt;i&gt;seeds&lt;/i&gt;, can be had instead. To count people well, let the raster of people be the template.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Welche Einrichtung versorgt jeden Ort, wie weit ist sie entfernt, wie viel Land und wie viele Menschen versorgt jede? Jede Zelle eines Rasters kommt zu ihrem nächsten Saatpunkt; das Ergebnis sind die Saatpunkte mit diesen Feldern:&lt;/p&gt;&lt;ul&gt;&lt;li&gt;&lt;i&gt;value&lt;/i&gt;: der Wert des Gebiets im Raster der nächsten Saatpunkte, über den sich beide verbinden lassen&lt;/li&gt;&lt;li&gt;&lt;i&gt;cells&lt;/i&gt;, &lt;i&gt;area_km2&lt;/i&gt;: Zellen und wahre Fläche des Gebiets (ohne Koordinatensystem &lt;i&gt;area&lt;/i&gt;, in Karteneinheiten)&lt;/li&gt;&lt;li&gt;&lt;i&gt;distance_mean&lt;/i&gt;, &lt;i&gt;distance_max&lt;/i&gt;: Entfernung im Flächenmittel und größte, Meter auf der Erde, sonst Karteneinheiten&lt;/li&gt;&lt;li&gt;&lt;i&gt;centroid_x&lt;/i&gt;, &lt;i&gt;centroid_y&lt;/i&gt;: die Mitte des Gebiets&lt;/li&gt;&lt;li&gt;&lt;i&gt;NAME_sum&lt;/i&gt;, &lt;i&gt;NAME_distance_mean&lt;/i&gt;: zu jedem Raster von Anzahlen, was das Gebiet davon enthält, etwa Menschen, und deren mittlere Entfernung&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;Auch Saatpunkte ohne Zellen sind dabei. Stattdessen kann es eine Zeile je Kennung geben, mit der Zahl ihrer Saatpunkte (&lt;i&gt;seeds&lt;/i&gt;). Um Menschen gut zu zählen, nehmen Sie das Raster der Menschen als Vorlage.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Rasters whose values are added up, such as people a cell. Other grids and coordinate systems are brought to that of the cells without losing or gaining any. The fields are called by the layers.</source>
            <translation>Raster, deren Werte zusammengezählt werden, etwa Menschen je Zelle. Andere Gitter und Koordinatensysteme werden auf das der Zellen gebracht, ohne dass etwas verloren geht oder hinzukommt. Die Felder heißen nach den Layern.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>A row for each id instead of one for each seed: with the number of its seeds, the attributes of the first, and what they have together.</source>
            <translation>Eine Zeile je Kennung statt einer je Saatpunkt: mit der Zahl ihrer Saatpunkte, den Attributen des ersten und dem, was sie zusammen haben.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The seeds with their attributes and the statistics of their regions.</source>
            <translation>Die Saatpunkte mit ihren Attributen und der Statistik ihrer Gebiete.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The raster of the ids of the nearest seeds.</source>
            <translation>Das Raster der Kennungen der nächsten Saatpunkte.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Regions</source>
            <translation>Gebiete</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>The regions as polygons with their statistics, coloured by the first raster of counts, or by area. Seeds of one id have one region, with the attributes of the first of them.</source>
            <translation>Die Gebiete als Flächen mit ihren Statistiken, gefärbt nach dem ersten Raster von Anzahlen oder nach der Fläche. Saatpunkte einer Kennung haben ein Gebiet, mit den Attributen des ersten von ihnen.</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>nearest facility,service area,catchment,accessibility,population,zonal,nearest,voronoi,distance</source>
            <translation>nächste Einrichtung,Versorgungsgebiet,Einzugsgebiet,Erreichbarkeit,Bevölkerung,zonal,nächster,voronoi,Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>How many people each hospital serves, and how far away they are:</source>
            <translation>Wie viele Menschen jedes Krankenhaus versorgt, und wie weit sie entfernt sind:</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Rasters of counts</source>
            <translation>Raster von Anzahlen</translation>
        </message>
        <message>
            <location filename="../algorithms/facility_statistics.py" />
            <source>Seeds of one id together</source>
            <translation>Saatpunkte einer Kennung zusammen</translation>
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
            <source>k nearest neighbours</source>
            <translation>k nächste Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>&lt;p&gt;Finds, for every point of a layer, the k nearest points, lines or polygons of another one: exactly, and equally near ones in the order of their layer.&lt;/p&gt;&lt;p&gt;The result has a row for each pair, with the fields &lt;i&gt;input&lt;/i&gt; (the point's id), &lt;i&gt;rank&lt;/i&gt; (1 for the nearest), &lt;i&gt;neighbour&lt;/i&gt; (the id of the feature found) and &lt;i&gt;distance&lt;/i&gt;. A point without any neighbour has one row, in which these are empty.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Findet zu jedem Punkt eines Layers die k nächsten Punkte, Linien oder Flächen eines anderen: genau, und gleich nahe in der Reihenfolge ihres Layers.&lt;/p&gt;&lt;p&gt;Das Ergebnis hat eine Zeile je Paar, mit den Feldern &lt;i&gt;input&lt;/i&gt; (Kennung des Punkts), &lt;i&gt;rank&lt;/i&gt; (1 für den nächsten), &lt;i&gt;neighbour&lt;/i&gt; (Kennung des gefundenen Objekts) und &lt;i&gt;distance&lt;/i&gt; (Entfernung). Ein Punkt ohne Nachbarn hat eine Zeile, in der diese leer sind.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>The points whose neighbours are looked for. Each point of a multipoint counts by itself.</source>
            <translation>Die Punkte, deren Nachbarn gesucht werden. Jeder Punkt eines Multipunkts zählt für sich.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>What the result calls a point by. Without a field: the feature id.</source>
            <translation>Wie das Ergebnis einen Punkt nennt. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>How many neighbours of each point: 1 to 1,024.</source>
            <translation>Wie viele Nachbarn je Punkt: 1 bis 1024.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Lines are geodesics where distances are measured on the globe. They lie where their points lie, and are cut at ±180° (at 0° and 360° in layers with longitudes beyond ±180°).</source>
            <translation>Linien sind Geodäten, wo Entfernungen auf dem Globus gemessen werden. Sie liegen, wo ihre Punkte liegen, und sind bei ±180° geteilt (bei 0° und 360° in Layern mit Längen jenseits von ±180°).</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Each row gets the attributes of the point, and those of the neighbour with “neighbour_” before their names.</source>
            <translation>Jede Zeile bekommt die Attribute des Punktes, und die des Nachbarn mit „neighbour_“ vor ihren Namen.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>If both layers are one, or selections of one: a feature's own points do not count. Without a second layer they never do.</source>
            <translation>Wenn beide Layer einer sind oder Auswahlen aus einem: die eigenen Punkte eines Objekts zählen nicht. Ohne zweiten Layer zählt ein Punkt selbst nie.</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>A row for each point and rank.</source>
            <translation>Eine Zeile je Punkt und Rang.</translation>
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
            <source>The way from every house to the nearest road:</source>
            <translation>Der Weg von jedem Haus zur nächsten Straße:</translation>
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
            <source>Number of neighbours (k)</source>
            <translation>Anzahl der Nachbarn (k)</translation>
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
            <source>No feature is its own neighbour</source>
            <translation>Kein Objekt ist sein eigener Nachbar</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Nearest neighbours</source>
            <translation>Nächste Nachbarn</translation>
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
            <source>A line to the neighbour</source>
            <translation>Eine Linie zum Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>0 of {count} points have a neighbour. What leaves neighbours out: “{label}”</source>
            <translation>0 von {count} Punkten haben einen Nachbarn. Was Nachbarn ausschließt: „{label}“</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>“{}” is for two layers that are one</source>
            <translation>„{}“ ist für zwei Layer, die einer sind</translation>
        </message>
        <message>
            <location filename="../algorithms/k_nearest.py" />
            <source>Points without a neighbour: {alone} of {count}</source>
            <translation>Punkte ohne Nachbarn: {alone} von {count}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Live Voronoi raster</source>
            <translation>Lebendes Voronoi-Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>&lt;p&gt;Adds a Voronoi raster that is computed as it is looked at: exact at every zoom, of any size, and it takes no room.&lt;/p&gt;&lt;p&gt;What is saved is its description, a small file that GDAL opens as a raster, so that other programs can, too; dragging it onto the map does. It follows its seeds: when their file changes, the raster has when it is next opened. Layers that are no files, and those with a selection, a filter or edits, are copied to a file beside it.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Fügt ein Voronoi-Raster hinzu, das beim Ansehen berechnet wird: genau in jedem Maßstab, beliebig groß, ohne Platz zu brauchen.&lt;/p&gt;&lt;p&gt;Gespeichert wird seine Beschreibung, eine kleine Datei, die GDAL als Raster öffnet, andere Programme also auch; es genügt, sie auf die Karte zu ziehen. Es folgt seinen Saatpunkten: Ändert sich ihre Datei, so hat sich das Raster geändert, wenn es das nächste Mal geöffnet wird. Layer, die keine Dateien sind, und solche mit Auswahl, Filter oder Bearbeitungen werden in eine Datei daneben kopiert.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>The side of the square cells. Without it: 409,600 cells on the longer side, on the globe of 98 m.</source>
            <translation>Die Seite der quadratischen Zellen. Ohne Angabe: 409 600 Zellen auf der längeren Seite, auf der ganzen Erde von 98 m.</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>What the raster has, k bands of each. On the map each is a layer of its own.</source>
            <translation>Was das Raster hat, je k Kanäle. Auf der Karte ist jedes ein eigener Layer.</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>The description of the raster. Without a place of its own it is gone when QGIS ends.</source>
            <translation>Die Beschreibung des Rasters. Ohne eigenen Ort ist sie fort, wenn QGIS endet.</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>voronoi,live,virtual,nearest,distance,zoom,gdal,raster,no file</source>
            <translation>voronoi,lebend,virtuell,nächste,entfernung,zoom,gdal,raster,ohne datei</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Which city is nearest, and how far, in cells of 30 m:</source>
            <translation>Welche Stadt die nächste ist und wie weit entfernt, in Zellen von 30 m:</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Ids of the nearest seeds</source>
            <translation>Kennungen der nächsten Saatpunkte</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Distances to the seeds</source>
            <translation>Entfernungen zu den Saatpunkten</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Directions to the seeds</source>
            <translation>Richtungen zu den Saatpunkten</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Values</source>
            <translation>Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Live raster</source>
            <translation>Lebendes Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Live rasters</source>
            <translation>Lebende Raster</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>Nearest of {layer}</source>
            <translation>Nächster von {layer}</translation>
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
            <source>“{output}”: the name of a live raster ends in {ending}</source>
            <translation>„{output}“: Der Name eines lebenden Rasters endet auf {ending}</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>“{}” is not in a file that lasts and has its own coordinate system: save it to one first</source>
            <translation>„{}“ ist in keiner Datei, die bleibt und ihr eigenes Koordinatensystem hat: vorher in eine speichern</translation>
        </message>
        <message>
            <location filename="../algorithms/live_voronoi.py" />
            <source>{file} cannot be written: {reason}</source>
            <translation>{file} kann nicht geschrieben werden: {reason}</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Nearest cells of a raster</source>
            <translation>Nächste Zellen eines Rasters</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>&lt;p&gt;Which class of a raster is nearest to each cell, and how far is it? Cells that are neither empty nor 0 are seeds at their centres; water, forest or land, say.&lt;/p&gt;&lt;p&gt;The answer is exact, on the map, the sphere or the ellipsoid, right across ±180° and the poles; of equally near classes the lowest value counts.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Welche Klasse eines Rasters ist jeder Zelle am nächsten, und wie weit ist sie entfernt? Zellen, die weder leer noch 0 sind, sind Saatpunkte in ihrer Mitte; Wasser, Wald oder Land etwa.&lt;/p&gt;&lt;p&gt;Die Antwort ist genau, auf der Karte, der Kugel oder dem Ellipsoid, auch über ±180° und die Pole hinweg; von gleich nahen Klassen zählt der niedrigste Wert.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The side of the square cells. Without it: the raster's own cells.</source>
            <translation>Die Seite der quadratischen Zellen. Ohne Angabe: die Zellen des Rasters selbst.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The area of the result. Without it: that of the raster.</source>
            <translation>Der Bereich des Ergebnisses. Ohne Angabe: der des Rasters.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster whose cells are the seeds.</source>
            <translation>Das Raster, dessen Zellen die Saatpunkte sind.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Its values must be whole numbers. They are taken as they are stored, without scale and offset.</source>
            <translation>Seine Werte müssen ganze Zahlen sein. Sie werden genommen, wie sie gespeichert sind, ohne Maßstab und Verschiebung.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Only cells with these values are seeds. Without them: all that are neither empty nor 0.</source>
            <translation>Nur Zellen mit diesen Werten sind Saatpunkte. Ohne Angabe: alle, die weder leer noch 0 sind.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The result holds which cell is the nearest, counted row by row from 0, instead of its value.</source>
            <translation>Das Ergebnis nennt statt ihres Werts die nächste Zelle selbst, Zeile für Zeile gezählt ab 0.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster of distances gets a band for each value, from the lowest on, instead of one for each rank.</source>
            <translation>Das Raster der Entfernungen bekommt ein Band je Wert, vom niedrigsten an, statt eines je Rang.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>The raster of the values of the nearest cells.</source>
            <translation>Das Raster der Werte der nächsten Zellen.</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>A raster of the distance from each cell to the nearest seed: metres on the globe, else units of the map.</source>
            <translation>Ein Raster der Entfernung jeder Zelle zum nächsten Saatpunkt: Meter auf der Erde, sonst Karteneinheiten.</translation>
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
            <source>The distance to the nearest water, class 80 of a land cover, in metres:</source>
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
            <translation>Band</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Values (with commas between them)</source>
            <translation>Werte (mit Kommas dazwischen)</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Numbers of cells instead of values</source>
            <translation>Nummern der Zellen statt der Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Distances to each value</source>
            <translation>Entfernungen zu jedem Wert</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Nearest values</source>
            <translation>Nächste Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_cells.py" />
            <source>Choose at least one result</source>
            <translation>Wählen Sie mindestens ein Ergebnis</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>Nearest value raster</source>
            <translation>Raster der nächsten Werte</translation>
        </message>
        <message>
            <location filename="../algorithms/nearest_value.py" />
            <source>&lt;p&gt;Gives every cell of a raster a number of its nearest seed: the value of a field, for example the temperature of the nearest station.&lt;/p&gt;&lt;p&gt;The result is exact. Distances are measured on the ellipsoid, on the sphere or on the map, right across ±180° and the poles; of equally near seeds the first one counts.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Gibt jeder Zelle eines Rasters eine Zahl ihres nächsten Objekts: den Wert eines Feldes, zum Beispiel die Temperatur der nächsten Station.&lt;/p&gt;&lt;p&gt;Das Ergebnis ist exakt. Entfernungen werden auf dem Ellipsoid, auf der Kugel oder auf der Karte gemessen, auch über ±180° und die Pole hinweg; von gleich nahen Objekten zählt das erste.&lt;/p&gt;</translation>
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
            <source>nearest neighbour interpolation,gridding,value,attribute,resampling,regridding,voronoi,thiessen,stations,geodesic,raster</source>
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
            <source>The area of the raster. Without it: the whole globe for longitudes and latitudes, else the seeds' extent and a tenth on each side. Longitudes may go beyond 180°.</source>
            <translation>Die Fläche des Rasters. Ohne Angabe: bei Längen und Breiten die ganze Erde, sonst die Ausdehnung der Saatpunkte und ein Zehntel auf jeder Seite. Längen dürfen über 180° hinausgehen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The side of the square cells. Without it: 2,048 cells on the longer side.</source>
            <translation>Die Seite der quadratischen Zellen. Ohne Angabe: 2048 Zellen auf der längeren Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The points, lines or polygons among which the nearest is looked for. Each point of a multipoint is a seed of its own with the feature's id; of lines and polygons each feature is one, at the distance of its nearest point, 0 within a polygon. Of seeds at the same place the first counts.</source>
            <translation>Die Punkte, Linien oder Flächen, unter denen der nächste gesucht wird. Jeder Punkt eines Multipunkts ist ein eigener Saatpunkt mit der Kennung des Objekts; bei Linien und Flächen ist es jedes Objekt, in der Entfernung seines nächsten Punkts, 0 innerhalb einer Fläche. Von Saatpunkten am selben Ort zählt der erste.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The values of the raster: an integer field as it is, where seeds of one id have one region together; of a text field the number of the first row with that text, counted from 0, with the text in the raster's attribute table, if there are at most 65,535 seeds. Without a field: the feature ids.</source>
            <translation>Die Werte des Rasters: ein Ganzzahlfeld, wie es ist, wobei Saatpunkte einer Kennung zusammen ein Gebiet haben; von einem Textfeld die Nummer der ersten Zeile mit diesem Text, gezählt ab 0, mit dem Text in der Attributtabelle des Rasters, bei höchstens 65 535 Saatpunkten. Ohne Feld: die Objektkennungen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Id field</source>
            <translation>Feld der Kennung</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>What goes from one vertex to the next. Geodesics are for distances on the globe.</source>
            <translation>Was von einem Stützpunkt zum nächsten führt. Geodätische Linien sind für Entfernungen auf der Erde.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Distances within a polygon are those to its boundary, too.</source>
            <translation>Auch innerhalb einer Fläche gilt die Entfernung zu ihrem Rand.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>In the raster of distances: within a polygon minus the distance to its boundary.</source>
            <translation>Im Raster der Entfernungen: innerhalb einer Fläche die Entfernung zu ihrem Rand mit Minus.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Without it: that of the seeds.</source>
            <translation>Ohne Angabe: das der Saatpunkte.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Gives the raster the cells of this one, in its coordinate system. With an extent: that area, in cells that continue the template's.</source>
            <translation>Gibt dem Raster die Zellen dieses Rasters, in dessen Koordinatensystem. Mit einer Ausdehnung: diese Fläche, in Zellen, die die der Vorlage fortsetzen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Geodesics and great circles work on projected rasters too, through the inverse projection. The others are measured on the map and need a projected coordinate system, or none.</source>
            <translation>Geodätische Linien und Großkreise gehen auch auf projizierten Rastern, durch die umgekehrte Projektion. Die anderen werden auf der Karte gemessen und brauchen ein projiziertes Koordinatensystem, oder keines.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Seeds farther away than this do not count; those just as far do. Cells without a seed are empty.</source>
            <translation>Weiter entfernte Saatpunkte zählen nicht; genau so weit entfernte schon. Zellen ohne Saatpunkt sind leer.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Cells outside are empty: polygons, or a raster, whose empty cells and zeros are outside. Any coordinate system will do.</source>
            <translation>Zellen außerhalb sind leer: Polygone, oder ein Raster, dessen leere Zellen und Nullen außerhalb sind. Jedes Koordinatensystem ist recht.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>What is compared instead of the distance d, with each seed's weight w: d / w with w above 0, d + w with w in units of distance, or d² − w (not for geodesics). Distances in the results stay plain distances.</source>
            <translation>Was statt der Entfernung d verglichen wird, mit dem Gewicht w jedes Saatpunkts: d / w mit w über 0, d + w mit w in Einheiten der Entfernung, oder d² − w (nicht für geodätische Linien). Entfernungen in den Ergebnissen bleiben gewöhnliche Entfernungen.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>The seeds' weights w.</source>
            <translation>Die Gewichte w der Saatpunkte.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>A raster of the distance from each cell to its seed: metres on the globe, else units of the map.</source>
            <translation>Ein Raster der Entfernung jeder Zelle zu ihrem Saatpunkt: Meter auf der Erde, sonst Karteneinheiten.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Band 1 of the results is about the nearest seed, band 2 about the second nearest, and so on to band k.</source>
            <translation>Band 1 der Ergebnisse gilt dem nächsten Saatpunkt, Band 2 dem zweitnächsten, und so weiter bis Band k.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Writes distances as Float64 instead of Float32.</source>
            <translation>Schreibt Entfernungen als Float64 statt als Float32.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>A raster of the direction from each cell to its seed: degrees clockwise from north.</source>
            <translation>Ein Raster der Richtung von jeder Zelle zu ihrem Saatpunkt: Grad von Norden im Uhrzeigersinn.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Points without geometry, with infinite coordinates or a latitude beyond 90° are left out and counted, instead of being an error. So are seeds with an empty id.</source>
            <translation>Punkte ohne Geometrie, mit unendlichen Koordinaten oder einer Breite über 90° werden ausgelassen und gezählt, statt ein Fehler zu sein. Ebenso Saatpunkte mit leerer Kennung.</translation>
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
            <source>How to compute: auto, or a name that “gpuvoronoi backends” lists, such as one for the graphics card. All give the same result.</source>
            <translation>Wie gerechnet wird: auto, oder ein Name, den „gpuvoronoi backends“ nennt, etwa einer für die Grafikkarte. Alle liefern dasselbe Ergebnis.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Graphics card</source>
            <translation>Grafikkarte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Its number, as “gpuvoronoi devices” counts, for backends that compute on one. Without it: the first that can be used.</source>
            <translation>Ihre Nummer, wie „gpuvoronoi devices“ zählt, für Rechenwege, die auf einer rechnen. Ohne Angabe: die erste, die sich benutzen lässt.</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Seeds</source>
            <translation>Saatpunkte</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Edges of lines and polygons</source>
            <translation>Kanten von Linien und Flächen</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Polygons count as their boundaries</source>
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
            <source>Farthest distance (metres on the globe, map units on the map)</source>
            <translation>Größte Entfernung (Meter auf der Erde, Karteneinheiten auf der Karte)</translation>
        </message>
        <message>
            <location filename="../algorithms/parameters.py" />
            <source>Mask</source>
            <translation>Maske</translation>
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
            <translation>Anzahl der nächsten Saatpunkte (k)</translation>
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
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>QTM Voronoi</source>
            <translation>QTM-Voronoi</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>&lt;p&gt;Gives every triangle of a level of Dutton's quaternary triangular mesh the id of the seed that is nearest to its centre. The mesh divides the globe into 8 · 4&lt;sup&gt;level&lt;/sup&gt; triangles of nearly equal size.&lt;/p&gt;&lt;p&gt;The raster shows the triangles: every cell carries the answer of the triangle that its centre lies in.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Gibt jedem Dreieck einer Stufe von Duttons quaternärem Dreiecksnetz (QTM) die Kennung des Saatpunkts, der seiner Mitte am nächsten ist. Das Netz teilt die Erde in 8 · 4&lt;sup&gt;Stufe&lt;/sup&gt; nahezu gleich große Dreiecke.&lt;/p&gt;&lt;p&gt;Das Raster zeigt die Dreiecke: jede Zelle trägt die Antwort des Dreiecks, in dem ihre Mitte liegt.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The area of the raster. Without it: the whole globe for longitudes and latitudes, in other coordinate systems the seeds' extent and a tenth on each side.</source>
            <translation>Das Gebiet des Rasters. Ohne Angabe: die ganze Erde bei Längen und Breiten, in anderen Koordinatensystemen die Ausdehnung der Saatpunkte und ein Zehntel auf jeder Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The side of the square cells. Without it: 360° / 2^(level + 3) for longitudes and latitudes, in other coordinate systems 2,048 cells on the longer side.</source>
            <translation>Die Seite der quadratischen Zellen. Ohne Angabe: 360° / 2^(Stufe + 3) bei Längen und Breiten, in anderen Koordinatensystemen 2048 Zellen auf der längeren Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>0 to 20. A level has 8 · 4^level triangles: 7 has 131,072 of about 80 km, 9 has 2,097,152 of about 20 km.</source>
            <translation>0 bis 20. Eine Stufe hat 8 · 4^Stufe Dreiecke: 7 hat 131 072 von etwa 80 km, 9 hat 2 097 152 von etwa 20 km.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>How the distance from a triangle's centre to a seed is measured.</source>
            <translation>Wie die Entfernung von der Mitte eines Dreiecks zu einem Saatpunkt gemessen wird.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Points count as if they lay in the centre of their own triangle, as in the published algorithm.</source>
            <translation>Punkte zählen, als lägen sie in der Mitte ihres eigenen Dreiecks, wie im veröffentlichten Verfahren.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The raster of ids. By default the globe in 2^(level + 3) × 2^(level + 2) cells.</source>
            <translation>Das Raster der Kennungen. Ohne weitere Angaben die Erde in 2^(Stufe + 3) × 2^(Stufe + 2) Zellen.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>Triangles</source>
            <translation>Dreiecke</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The triangles as polygons, with id and id64 (their names in the mesh), lon and lat (centre, degrees), seed (id of the nearest), distance (metres) and area_km2.</source>
            <translation>Die Dreiecke als Polygone, mit id und id64 (ihren Namen im Netz), lon und lat (Mitte, Grad), seed (Kennung des nächsten), distance (Meter) und area_km2.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>The triangles as a UGRID mesh, which QGIS opens as a mesh layer, up to level 13.</source>
            <translation>Die Dreiecke als UGRID-Netz, das QGIS als Netzlayer öffnet, bis Stufe 13.</translation>
        </message>
        <message>
            <location filename="../algorithms/qtm_voronoi.py" />
            <source>voronoi,qtm,triangle,mesh,dggs,discrete global grid,sphere,allocation,nearest</source>
            <translation>voronoi,qtm,Dreieck,Netz,dggs,globales Gitter,Kugel,Zuordnung,nächster</translation>
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
            <source>Move seeds to their triangle's centre</source>
            <translation>Saatpunkte in die Mitte ihres Dreiecks rücken</translation>
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
            <translation>Nächster von {layer}, QTM-Stufe {level}</translation>
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
            <source>The mask could not be loaded</source>
            <translation>Die Maske konnte nicht geladen werden</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>“{field}” is not used: there is no “{weighting}”</source>
            <translation>„{field}“ wird nicht benutzt: es gibt keine „{weighting}“</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>0 of {cells} cells have a seed. What leaves cells out: {limits}</source>
            <translation>0 von {cells} Zellen haben einen Saatpunkt. Was Zellen auslässt: {limits}</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>0 of {cells} cells have a seed: none of them has a place on the globe</source>
            <translation>0 von {cells} Zellen haben einen Saatpunkt: keine von ihnen hat einen Ort auf der Erde</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>“{option}” needs “{output}”</source>
            <translation>„{option}“ braucht „{output}“</translation>
        </message>
        <message>
            <location filename="../algorithms/rasters.py" />
            <source>{count} of {seeds} seeds have no polygon of their own: no cell is theirs, or another has their id</source>
            <translation>{count} von {seeds} Saatpunkten haben keine eigene Fläche: keine Zelle ist ihre, oder ein anderer hat ihre Kennung</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>The points, lines or polygons among which the neighbours are. Lines and polygons are at the distance of their nearest point, 0 within a polygon. Without a layer: the same points, but none is a neighbour of itself.</source>
            <translation>Die Punkte, Linien oder Flächen, unter denen die Nachbarn sind. Linien und Flächen liegen in der Entfernung ihres nächsten Punkts, 0 innerhalb einer Fläche. Ohne Layer: dieselben Punkte, aber keiner ist sein eigener Nachbar.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>What the result calls a neighbour by. Without a field: the feature id.</source>
            <translation>Wie das Ergebnis einen Nachbarn nennt. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Geodesics and great circles are in metres. The others are measured in the coordinate system of the points, in its units; the vertices of lines and polygons in another one are brought to it.</source>
            <translation>Geodätische Linien und Großkreise in Metern. Die anderen werden im Koordinatensystem der Punkte gemessen, in dessen Einheiten; die Stützpunkte von Linien und Flächen in einem anderen werden dorthin gebracht.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Neighbours farther than this do not count; those just as far do.</source>
            <translation>Weiter entfernte Nachbarn zählen nicht; genau so weit entfernte schon.</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Points</source>
            <translation>Punkte</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Neighbours</source>
            <translation>Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Id field of the neighbours</source>
            <translation>Feld der Kennung der Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Degrees are no lengths: distances on the map need points in a projected coordinate system</source>
            <translation>Grade sind keine Längen: Entfernungen auf der Karte brauchen Punkte in einem projizierten Koordinatensystem</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Distances on the globe need points with a coordinate system</source>
            <translation>Entfernungen auf der Erde brauchen Punkte mit einem Koordinatensystem</translation>
        </message>
        <message>
            <location filename="../algorithms/searches.py" />
            <source>Distances: {metric}, {reason}</source>
            <translation>Entfernungen: {metric}, {reason}</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Voronoi diagram (polygons)</source>
            <translation>Voronoi-Diagramm (Polygone)</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>&lt;p&gt;Makes the Voronoi diagram of points: a polygon for each point, with its attributes, that holds all places to which this point is the nearest one.&lt;/p&gt;&lt;p&gt;Distances are geodesics on the ellipsoid, great circles, or straight lines on the map. On the globe the polygons cover it once, across ±180° and over the poles; lines are as close to the exact borders as the tolerance requires.&lt;/p&gt;&lt;p&gt;The polygons have the fields &lt;i&gt;seed&lt;/i&gt; (the point's id), &lt;i&gt;area_km2&lt;/i&gt; (&lt;i&gt;area&lt;/i&gt; without a coordinate system; of the whole cell, also where an extent or a mask cuts it), &lt;i&gt;neighbours&lt;/i&gt; (ids of the polygons with a common border) and &lt;i&gt;others&lt;/i&gt; (ids of further points at the same place, which have no polygon).&lt;/p&gt;</source>
            <translation>&lt;p&gt;Erzeugt das Voronoi-Diagramm von Punkten: zu jedem Punkt ein Polygon mit seinen Attributen, das alle Orte enthält, denen dieser Punkt am nächsten ist.&lt;/p&gt;&lt;p&gt;Entfernungen sind geodätische Linien auf dem Ellipsoid, Großkreise oder Geraden auf der Karte. Auf der Erde bedecken die Polygone den Globus genau einmal, auch über ±180° und die Pole hinweg; Linien liegen so nahe an den exakten Grenzen, wie die Toleranz verlangt.&lt;/p&gt;&lt;p&gt;Die Polygone haben die Felder &lt;i&gt;seed&lt;/i&gt; (Kennung des Punkts), &lt;i&gt;area_km2&lt;/i&gt; (ohne Koordinatensystem &lt;i&gt;area&lt;/i&gt;; Fläche der ganzen Zelle, auch wo eine Ausdehnung oder eine Maske sie abschneidet), &lt;i&gt;neighbours&lt;/i&gt; (Kennungen der Polygone mit gemeinsamer Grenze) und &lt;i&gt;others&lt;/i&gt; (Kennungen weiterer Punkte am selben Ort, die kein Polygon haben).&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Each point of a multipoint has a polygon. For lines and polygons, and for weights, use “Voronoi raster” with its result “Regions”.</source>
            <translation>Jeder Punkt eines Multipunkts hat ein Polygon. Für Linien und Flächen und für Gewichte: „Voronoi-Raster“ mit seinem Ergebnis „Gebiete“.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>What the result calls a point by: whole numbers or text. Without a field: the feature id.</source>
            <translation>Wie das Ergebnis einen Punkt nennt: ganze Zahlen oder Text. Ohne Feld: die Objektkennung.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Lines have the ids of the points on both sides as fields “left” and “right”.</source>
            <translation>Linien haben die Kennungen der Punkte auf beiden Seiten in den Feldern „left“ (links) und „right“ (rechts).</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Straight lines are measured on the map of the result and need a projected coordinate system, or none.</source>
            <translation>Geraden werden auf der Karte des Ergebnisses gemessen und brauchen ein projiziertes Koordinatensystem oder keines.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Cuts the diagram. Without it: the whole globe, on the map the points' extent and a tenth on each side.</source>
            <translation>Begrenzt das Diagramm. Ohne Angabe: die ganze Erde, auf der Karte die Ausdehnung der Punkte und ein Zehntel auf jeder Seite.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Polygons that cut the diagram, in any coordinate system.</source>
            <translation>Polygone, die das Diagramm begrenzen, in beliebigem Koordinatensystem.</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Without it: that of the points.</source>
            <translation>Ohne Angabe: das der Punkte.</translation>
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
            <source>Polygons</source>
            <translation>Polygone</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Borders as lines, with the points on both sides</source>
            <translation>Grenzen als Linien, mit den Punkten auf beiden Seiten</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Delaunay triangulation: lines between neighbours</source>
            <translation>Delaunay-Triangulation: Linien zwischen Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Result</source>
            <translation>Ergebnis</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Coordinate system of the result</source>
            <translation>Koordinatensystem des Ergebnisses</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_diagram.py" />
            <source>Tolerance (metres)</source>
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
            <source>&lt;p&gt;Gives every cell of a raster the id of its nearest seed: an allocation, or Voronoi, raster.&lt;/p&gt;&lt;p&gt;The answer is exact. Distances are measured on the ellipsoid, on the sphere or on the map, right across ±180° and the poles; of equally near seeds the first one gets the cell.&lt;/p&gt;&lt;p&gt;Further results are the distance and the direction from each cell to its seed, and the regions as polygons.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Gibt jeder Zelle eines Rasters die Kennung ihres nächsten Saatpunkts: ein Zuordnungs- oder Voronoi-Raster.&lt;/p&gt;&lt;p&gt;Die Antwort ist genau. Entfernungen werden auf dem Ellipsoid, auf der Kugel oder auf der Karte gemessen, richtig auch über ±180° und die Pole hinweg; von gleich nahen Saatpunkten bekommt der erste die Zelle.&lt;/p&gt;&lt;p&gt;Weitere Ergebnisse sind Entfernung und Richtung von jeder Zelle zu ihrem Saatpunkt, und die Gebiete als Polygone.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The raster of ids; −1 where there is none (the type's lowest integer if −1 is an id).</source>
            <translation>Das Raster der Kennungen; −1, wo keine ist (die kleinste ganze Zahl des Typs, wenn −1 eine Kennung ist).</translation>
        </message>
        <message>
            <location filename="../algorithms/voronoi_raster.py" />
            <source>The regions as polygons, with the attributes of their seeds; with k above 1 those of the nearest.</source>
            <translation>Die Gebiete als Flächen, mit den Attributen ihrer Saatpunkte; bei k über 1 die der nächsten.</translation>
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
            <source>The distance to the coast, negative on land, of a layer of countries as polygons:</source>
            <translation>Die Entfernung zur Küste, negativ an Land, von einem Layer der Länder als Flächen:</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Write nearest neighbours into fields</source>
            <translation>Nächste Nachbarn in Felder schreiben</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>&lt;p&gt;Writes into fields of every point which feature of another layer is nearest, and how far it is. Points without such a neighbour get empty values.&lt;/p&gt;&lt;p&gt;With &lt;i&gt;Edit features in place&lt;/i&gt;, the pencil of the toolbox, it changes the layer itself: the selected features, or all if none is selected. The changes can be undone until they are saved.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Schreibt in Felder jedes Punkts, welches Objekt eines anderen Layers das nächste ist und wie weit es entfernt ist. Punkte ohne einen solchen Nachbarn erhalten leere Werte.&lt;/p&gt;&lt;p&gt;Mit &lt;i&gt;Objekte direkt bearbeiten&lt;/i&gt;, dem Stift der Werkzeugkiste, ändert es den Layer selbst: die gewählten Objekte, oder alle, wenn keines gewählt ist. Die Änderungen lassen sich rückgängig machen, bis sie gespeichert sind.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Points with their nearest</source>
            <translation>Punkte mit ihren nächsten</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The points whose neighbours are looked for. Of a multipoint the nearest point counts.</source>
            <translation>Die Punkte, deren Nachbarn gesucht werden. Von einem Multipunkt zählt der nächste Punkt.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>2 is the second nearest, and so on to 1,024.</source>
            <translation>2 ist der zweitnächste, und so weiter bis 1024.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The points, with the two fields filled.</source>
            <translation>Die Punkte, mit Werten in den beiden Feldern.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>nearest,neighbour,neighbor,distance,field,attribute,edit,in place,update</source>
            <translation>nächste,nachbar,entfernung,feld,attribut,bearbeiten,direkt,aktualisieren</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>The number of the nearest station, and the distance to it, in fields that every school has:</source>
            <translation>Die Nummer der nächsten Haltestelle und die Entfernung zu ihr, in Feldern, die jede Schule hat:</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Which neighbour (1: the nearest)</source>
            <translation>Welcher Nachbar (1: der nächste)</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Field for the neighbour's id</source>
            <translation>Feld für die Kennung des Nachbarn</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>A field of the points that takes ids: of whole numbers, or of text.</source>
            <translation>Ein Feld der Punkte, das Kennungen aufnimmt: für ganze Zahlen oder für Text.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Field for the distance</source>
            <translation>Feld für die Entfernung</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>A field of the points that takes distances: metres on the globe, else units of the map.</source>
            <translation>Ein Feld der Punkte, das Entfernungen aufnimmt: Meter auf der Erde, sonst Einheiten der Karte.</translation>
        </message>
        <message>
            <location filename="../algorithms/write_nearest.py" />
            <source>Choose a field to write into</source>
            <translation>Ein Feld wählen, in das geschrieben wird</translation>
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
            <source>The gpuvoronoi program was not found. Install it, then give its place under Settings ▸ Options ▸ Processing ▸ Providers ▸ gpuvoronoi, or in the environment variable {}, or add its folder to the PATH.</source>
            <translation>Das Programm gpuvoronoi wurde nicht gefunden. Installieren Sie es; geben Sie dann unter Einstellungen ▸ Optionen ▸ Verarbeitung ▸ Datenanbieter ▸ gpuvoronoi oder in der Umgebungsvariablen {} an, wo es ist, oder nehmen Sie seinen Ordner in den PATH auf.</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} did not say what it did</source>
            <translation>{program} hat nicht gesagt, was es getan hat</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>no graphics card</source>
            <translation>keine Grafikkarte</translation>
        </message>
        <message>
            <location filename="../command.py" />
            <source>{program} cannot be started: {reason}</source>
            <translation>{program} kann nicht gestartet werden: {reason}</translation>
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
            <source>{where} names “{path}”, which is no program.</source>
            <translation>{where} nennt „{path}“, und das ist kein Programm.</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>GDAL's driver VORONOI is switched off: by GDAL_SKIP, or under Settings ▸ Options ▸ GDAL.</source>
            <translation>Der GDAL-Treiber VORONOI ist abgeschaltet: durch GDAL_SKIP oder unter Einstellungen ▸ Optionen ▸ GDAL.</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>GDAL has no driver VORONOI, which opens live rasters. It is built with the gpuvoronoi program: install {file} beside that, or start QGIS with the environment variable GDAL_DRIVER_PATH, which names its folder. It has to be made for GDAL {version}.</source>
            <translation>GDAL hat keinen Treiber VORONOI, der lebende Raster öffnet. Er wird mit dem Programm gpuvoronoi gebaut: {file} daneben installieren, oder QGIS mit der Umgebungsvariablen GDAL_DRIVER_PATH starten, die seinen Ordner nennt. Er muss für GDAL {version} gemacht sein.</translation>
        </message>
        <message>
            <location filename="../driver.py" />
            <source>The driver {path} does not fit QGIS's GDAL {version}; build gpuvoronoi for that. GDAL says: {reason}</source>
            <translation>Der Treiber {path} passt nicht zum GDAL {version} von QGIS; gpuvoronoi dafür bauen. GDAL sagt: {reason}</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>There is no current layer</source>
            <translation>Es gibt keinen aktuellen Layer</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>k is a whole number from 1 to 1,024</source>
            <translation>k ist eine ganze Zahl von 1 bis 1024</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>&lt;p&gt;The feature id of the k-th nearest point, line or polygon of a layer, by its name or id. In the current layer itself a feature's own point does not count. Distances are geodesics for longitudes and latitudes and for maps of the whole world, else straight lines on the map.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Objektkennung des k-nächsten Punkts, der Linie oder der Fläche eines Layers, mit dessen Namen oder Kennung. Im aktuellen Layer selbst zählt der eigene Punkt eines Objekts nicht. Entfernungen sind geodätische Linien bei Längen und Breiten und auf Karten der ganzen Welt, sonst Strecken auf der Karte.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>&lt;p&gt;The distance to the k-th nearest point, line or polygon of a layer, by its name or id: metres for longitudes and latitudes and for maps of the whole world, else units of the map.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Entfernung zum k-nächsten Punkt, zur Linie oder Fläche eines Layers, mit dessen Namen oder Kennung: Meter bei Längen und Breiten und auf Karten der ganzen Welt, sonst Einheiten der Karte.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../expressions.py" />
            <source>There is no layer “{}”</source>
            <translation>Es gibt keinen Layer „{}“</translation>
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
            <source>{layer}: lines and polygons are no points</source>
            <translation>{layer}: Linien und Flächen sind keine Punkte</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: there are no points, lines or polygons</source>
            <translation>{layer}: es gibt keine Punkte, Linien oder Flächen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: no coordinate system; distances are straight lines in the units of the coordinates</source>
            <translation>{layer}: kein Koordinatensystem; Entfernungen sind gerade Strecken in den Einheiten der Koordinaten</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{} of {} arrived</source>
            <translation>{} von {} sind angekommen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer} has no field “{field}”</source>
            <translation>{layer} hat kein Feld „{field}“</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{} is no raster that GDAL reads</source>
            <translation>{} ist kein Raster, das GDAL liest</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>The features could not be written: {}</source>
            <translation>Die Objekte konnten nicht geschrieben werden: {}</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: feature {id} has no usable coordinates</source>
            <translation>{layer}: Objekt {id} hat keine brauchbaren Koordinaten</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: {count} features without usable coordinates left out</source>
            <translation>{layer}: {count} Objekte ohne brauchbare Koordinaten ausgelassen</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: {count} features left out that {crs} does not reach; the first is feature {id}</source>
            <translation>{layer}: {count} Objekte sind weggelassen, die {crs} nicht erreicht; das erste ist Objekt {id}</translation>
        </message>
        <message>
            <location filename="../layers.py" />
            <source>{layer}: there are no polygons</source>
            <translation>{layer}: es gibt keine Polygone</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>There is not enough memory. A coarser raster takes less.</source>
            <translation>Der Arbeitsspeicher reicht nicht. Ein gröberes Raster braucht weniger.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The program has no such backend: choose another, or “auto”.</source>
            <translation>Das Programm hat kein solches Backend: Wählen Sie ein anderes oder „auto“.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A file could not be read or written: look whether it is there, may be written, and whether the disk is full.</source>
            <translation>Eine Datei ließ sich nicht lesen oder schreiben: Sehen Sie nach, ob sie da ist, geschrieben werden darf und ob der Datenträger voll ist.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The layers cannot be brought to one coordinate system: look whether theirs are right.</source>
            <translation>Die Layer lassen sich nicht in ein Koordinatensystem bringen: Sehen Sie nach, ob ihre stimmen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>This is a fault of the program or of the graphics card; another backend may do. Please report it.</source>
            <translation>Das ist ein Fehler des Programms oder der Grafikkarte; vielleicht hilft ein anderes Backend. Bitte melden Sie ihn.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>This backend cannot run on this computer: choose another, or “auto”.</source>
            <translation>Dieses Verfahren läuft auf diesem Rechner nicht: ein anderes wählen, oder „auto“.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>This backend or file format cannot do that: choose another.</source>
            <translation>Dieses Verfahren oder Dateiformat kann das nicht: ein anderes wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The coordinate system is unknown to the program.</source>
            <translation>Das Programm kennt das Koordinatensystem nicht.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A layer has no coordinate system: set it in its properties.</source>
            <translation>Ein Layer hat kein Koordinatensystem: in seinen Eigenschaften eines setzen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The raster would have too many cells: choose a larger cell size, or a smaller area.</source>
            <translation>Das Raster hätte zu viele Zellen: größere Zellen oder eine kleinere Fläche wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The cells are larger than the area: choose a smaller cell size.</source>
            <translation>Die Zellen sind größer als die Fläche: kleinere Zellen wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The file has several layers: add the right one to the project and choose that.</source>
            <translation>Die Datei hat mehrere Layer: den richtigen zum Projekt hinzufügen und wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>These distances make no sense here: choose others under “Distances”, or leave them automatic.</source>
            <translation>Diese Entfernungen ergeben hier keinen Sinn: unter „Entfernungen“ andere wählen oder sie automatisch lassen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The output is there already, or is in use: choose another name.</source>
            <translation>Die Ausgabe gibt es schon, oder sie wird benutzt: einen anderen Namen wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Results of this kind do not go into a file of this format: choose another, .tif or .gpkg, say.</source>
            <translation>Solche Ergebnisse passen nicht in eine Datei dieses Formats: ein anderes wählen, etwa .tif oder .gpkg.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The output would replace a file that is read: choose another name.</source>
            <translation>Die Ausgabe würde eine Datei ersetzen, die gelesen wird: einen anderen Namen wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A seed has no usable coordinates: mend it, or check “Leave out points without usable coordinates”.</source>
            <translation>Ein Saatpunkt hat keine brauchbaren Koordinaten: ihn berichtigen oder „Punkte ohne brauchbare Koordinaten auslassen“ ankreuzen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>No seed is left: look at the selection and the filter.</source>
            <translation>Kein Saatpunkt ist übrig: Auswahl und Filter ansehen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The layers do not fit together as accurately as they could: a datum grid is not installed.</source>
            <translation>Die Layer passen nicht so genau zueinander, wie sie könnten: Ein Gitter für den Datumsübergang ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The layer has no coordinate system and may be in degrees, which count as lengths here: set its coordinate system in its properties.</source>
            <translation>Der Layer hat kein Koordinatensystem und ist womöglich in Grad, die hier als Längen zählen: in seinen Eigenschaften das Koordinatensystem setzen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Distances on this map are not those on the ground: choose others under “Distances”.</source>
            <translation>Entfernungen auf dieser Karte sind nicht die auf dem Boden: unter „Entfernungen“ andere wählen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Heights do not count in these distances.</source>
            <translation>Höhen zählen in diesen Entfernungen nicht.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The raster has no table of names and colours. Regions as polygons have the names.</source>
            <translation>Das Raster hat keine Tabelle mit Namen und Farben. Gebiete als Flächen haben die Namen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>{count} positions lie outside the area for which coordinates can be transformed well.</source>
            <translation>{count} Positionen liegen außerhalb des Gebiets, für das Koordinaten gut umgerechnet werden können.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>The curves of {count} features were taken for lines of short pieces.</source>
            <translation>Die Kurven von {count} Objekten wurden als Linien aus kurzen Stücken genommen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>{count} edges are more than 180° of longitude wide: choose geodesic edges if they should go the shorter way.</source>
            <translation>{count} Kanten sind mehr als 180° Länge breit: Wählen Sie geodätische Kanten, wenn sie den kürzeren Weg gehen sollen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>{count} polygons are not valid; what lies within them is told by the even-odd rule.</source>
            <translation>{count} Polygone sind ungültig; was in ihnen liegt, entscheidet die Gerade-Ungerade-Regel.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>{count} seeds lie beyond the area that the coordinate system is for, which the raster covers.</source>
            <translation>{count} Saatpunkte liegen jenseits des Gebiets, für das das Koordinatensystem gedacht ist und das das Raster bedeckt.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>{count} seeds without usable coordinates were left out.</source>
            <translation>{count} Saatpunkte ohne brauchbare Koordinaten wurden ausgelassen.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>A part of the raster of quantities lies outside the area and is not counted.</source>
            <translation>Ein Teil des Mengenrasters liegt außerhalb der Fläche und wird nicht gezählt.</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>as asked for</source>
            <translation>wie verlangt</translation>
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
            <source>default for maps</source>
            <translation>Vorgabe bei Karten</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for maps of the whole world</source>
            <translation>Vorgabe bei Karten der ganzen Welt</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>default for the mesh</source>
            <translation>Vorgabe beim Netz</translation>
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
            <translation>Saatpunkte: {used} verwendet, {left_out} ausgelassen</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Diagram: {places} places, {edges} borders, {crs}</source>
            <translation>Diagramm: {places} Orte, {edges} Grenzen, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Raster: {width} × {height} cells of {x} × {y} {unit}, {crs}</source>
            <translation>Raster: {width} × {height} Zellen von {x} × {y} {unit}, {crs}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Cells without a seed: {count} of {cells}</source>
            <translation>Zellen ohne Saatpunkt: {count} von {cells}</translation>
        </message>
        <message>
            <location filename="../messages.py" />
            <source>Seeds without a cell: {count}</source>
            <translation>Saatpunkte ohne Zelle: {count}</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>The gpuvoronoi program</source>
            <translation>Das Programm gpuvoronoi</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Look for it</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Show where it is…</source>
            <translation>Zeigen, wo es ist …</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>&lt;p&gt;The algorithms are carried out by the gpuvoronoi program, which QGIS does not bring along.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Die Algorithmen führt das Programm gpuvoronoi aus, das QGIS nicht mitbringt.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>The program is there: the algorithms can be used.</source>
            <translation>Das Programm ist da: Die Algorithmen können benutzt werden.</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>Found: {path}, version {version}. The algorithms can be used now.</source>
            <translation>Gefunden: {path}, Version {version}. Die Algorithmen können jetzt benutzt werden.</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>The program that carries out the algorithms is not installed yet.</source>
            <translation>Das Programm, das die Algorithmen ausführt, ist noch nicht installiert.</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>How to install it, or look for it…</source>
            <translation>Wie es installiert wird, oder suchen …</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>It is in none of these folders: {}</source>
            <translation>Es ist in keinem dieser Ordner: {}</translation>
        </message>
        <message>
            <location filename="../offer.py" />
            <source>“{}” is not the gpuvoronoi program, or cannot be started.</source>
            <translation>„{}“ ist nicht das Programm gpuvoronoi oder kann nicht gestartet werden.</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;On Windows there is no gpuvoronoi program yet. It runs in the Windows Subsystem for Linux, together with a QGIS that is installed there; there it is installed as on Linux.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Für Windows gibt es das Programm gpuvoronoi noch nicht. Es läuft im Windows-Subsystem für Linux, zusammen mit einem QGIS, das dort installiert ist; dort wird es installiert wie unter Linux.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>How to install the program, or look for it…</source>
            <translation>Wie das Programm installiert wird, oder es suchen …</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;On macOS, where it has not been tried yet, the program is built from its sources, with the libraries of Homebrew:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;A QGIS that was not started from a terminal does not know its PATH: then look for the program here.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Unter macOS, wo es noch nicht erprobt ist, wird das Programm aus seinen Quellen gebaut, mit den Bibliotheken von Homebrew:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;Ein QGIS, das nicht aus einem Terminal gestartet wurde, kennt dessen PATH nicht: Dann suchen Sie das Programm hier.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../program.py" />
            <source>&lt;p&gt;On Debian, Ubuntu and their relatives, with the packages of a release:&lt;/p&gt;&lt;pre&gt;{packages}&lt;/pre&gt;&lt;p&gt;Elsewhere the program is built from its sources:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;It is found then, and nothing has to be set.&lt;/p&gt;</source>
            <translation>&lt;p&gt;Unter Debian, Ubuntu und ihren Verwandten, mit den Paketen einer Veröffentlichung:&lt;/p&gt;&lt;pre&gt;{packages}&lt;/pre&gt;&lt;p&gt;Sonst wird das Programm aus seinen Quellen gebaut:&lt;/p&gt;&lt;pre&gt;{commands}&lt;/pre&gt;&lt;p&gt;Dann wird es gefunden, und nichts muss eingestellt werden.&lt;/p&gt;</translation>
        </message>
        <message>
            <location filename="../provider.py" />
            <source>gpuvoronoi: exact nearest seeds</source>
            <translation>gpuvoronoi: genaue nächste Saatpunkte</translation>
        </message>
        <message>
            <location filename="../provider.py" />
            <source>The gpuvoronoi program (empty: the environment variable {}, then the PATH)</source>
            <translation>Das Programm gpuvoronoi (leer: die Umgebungsvariable {}, dann der PATH)</translation>
        </message>
    </context>
</TS>
