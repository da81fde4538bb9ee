"""
Geodesic lines on an ellipsoid or a sphere, as vertices in degrees.

QgsDistanceArea has the geodesics of PROJ, to nanometres, but its geodesicLine() draws no line that is shorter than its
step, wants longitudes within ±180° and sees crossings of ±180° only where the longitudes of two vertices are far from
it. So it gives the vertices here, which are then placed: a line begins and ends at the longitudes that its two
positions have, and is cut where these are not on the same turn of the globe.
"""

import math

from qgis.core import QgsDistanceArea, QgsGeometry, QgsPointXY

STEP = 100000.0  # metres between vertices, at most
TURN = 45.0  # degrees of longitude between vertices, at most: near the poles a step may go far around
FAR_FROM_POLES = 80.0  # degrees of latitude up to which a step turns by less than 6°
BISECTIONS = 50
OVER_THE_POLE = 180.0 - 1e-6  # degrees: steps that turn so far are straight across, to less than a millimetre


def normal(longitude):
    """The longitude within ±180°; what is there stays as it is."""
    return longitude if -180.0 <= longitude <= 180.0 else math.remainder(longitude, 360.0)


def turn(start, end):
    """Degrees of longitude from one vertex to another, the short way around."""
    return math.remainder(end.x() - start.x(), 360.0)


def turns(longitude, other):
    """Degrees of the full turns by which one longitude is farther east than another."""
    return 360.0 * round((longitude - other) / 360.0)


def edge(start, end, offset):
    """The meridian offset + n * 360° at or between two longitudes; None if they are equal or there is none."""
    found = offset + 360.0 * math.ceil((min(start, end) - offset) / 360.0)
    return found if start != end and found <= max(start, end) else None


class Geodesics:
    """Of an ellipsoid or sphere with these half axes in metres."""

    def __init__(self, semi_major, semi_minor):
        self.measure = QgsDistanceArea()
        self.measure.setEllipsoid(semi_major, semi_minor)

    def geometry(self, start, end):
        """The geodesic between two positions, as a geometry of lines."""
        plain = self.plain(start, end)
        return plain if plain is not None else QgsGeometry.fromMultiPolylineXY(self.line(start, end))

    def plain(self, start, end):
        """The same in less time for a geodesic that neither crosses ±180° nor comes near a pole; None for others."""
        if abs(start.x()) > 180.0 or abs(end.x()) > 180.0:
            return None
        made = QgsGeometry.fromMultiPolylineXY([[start, *self.steps(start, end)]])
        box = made.boundingBox()
        if box.width() > 180.0 or box.yMinimum() < -FAR_FROM_POLES or box.yMaximum() > FAR_FROM_POLES:
            return None  # a line that crosses has vertices at both ends of the map
        return made

    def line(self, start, end):
        """The geodesic between two positions: a list of parts, which are lists of vertices."""
        first, last = QgsPointXY(normal(start.x()), start.y()), QgsPointXY(normal(end.x()), end.y())
        vertices = [first]
        for vertex in self.steps(first, last):
            self.refine(vertices, vertex)
        return self.cut(self.placed(vertices, start, end), start, end)

    def steps(self, start, end):
        """Vertices in equal steps, without the first."""
        length = self.measure.measureLine(start, end)
        count = math.ceil(length / STEP)
        if count < 2:
            return [end]
        return [*self.measure.geodesicLine(start, end, length / count, False)[0][1:count], end]

    def refine(self, vertices, end):
        """Goes on to the end of a step, by more vertices where longitudes change fast."""
        start = vertices[-1]
        around = abs(turn(start, end))
        pole = math.copysign(90.0, start.y() + end.y())
        if around > OVER_THE_POLE or (pole in (start.y(), end.y()) and start.x() != end.x()):
            # Every longitude is at the pole.
            over = (QgsPointXY(start.x(), pole), QgsPointXY(end.x(), pole), end)
            vertices += [vertex for vertex, before in zip(over, (start, *over)) if vertex != before]
        elif around <= TURN:
            vertices.append(end)
        else:
            middle = self.along(start, end)(0.5)
            self.refine(vertices, middle)
            self.refine(vertices, end)

    def along(self, start, end):
        """A function from a fraction of the geodesic to a position."""
        length, bearing = self.measure.measureLine(start, end), self.measure.bearing(start, end)

        def position(fraction):
            found = self.measure.computeSpheroidProject(start, fraction * length, bearing)
            return QgsPointXY(normal(found.x()), found.y())

        return position

    @staticmethod
    def placed(vertices, start, end):
        """
        The vertices one after another from where `start` is. At a pole every longitude is near: there they go over to
        where `end` is.
        """
        moved, line = turns(start.x(), vertices[0].x()), [start]
        for before, vertex in zip(vertices, vertices[1:]):
            if abs(before.y()) == abs(vertex.y()) == 90.0:
                moved = turns(end.x(), vertices[-1].x())
            else:
                moved = turns(before.x() + moved + turn(before, vertex), vertex.x())
            line.append(QgsPointXY(vertex.x() + moved, vertex.y()))
        if turns(end.x(), line[-1].x()) == 0.0:
            line[-1] = end
        return line

    def cut(self, line, start, end):
        """
        Two parts if the line does not lead to the turn of the globe on which `end` is: at ±180°, or at 0° or 360° if
        one of the positions is beyond ±180°. Where the line does not cross that it stays as it is.
        """
        moved = turns(end.x(), line[-1].x())
        offset = 180.0 if max(abs(start.x()), abs(end.x())) <= 180.0 else 0.0
        for index, (before, vertex) in enumerate(zip(line, line[1:]), 1):
            meridian = edge(before.x(), vertex.x(), offset) if moved != 0.0 else None
            if meridian is not None:
                latitude = self.crossing(before, vertex, meridian)
                west, east = QgsPointXY(meridian, latitude), QgsPointXY(meridian + moved, latitude)
                parts = [*line[:index], west], [east, *(QgsPointXY(p.x() + moved, p.y()) for p in line[index:-1]), end]
                return [part for part in map(without_repetition, parts) if len(part) > 1]
        return [line]

    def crossing(self, start, end, meridian):
        """The latitude at which a step crosses a meridian, by bisection."""
        if meridian in (start.x(), end.x()):
            return start.y() if meridian == start.x() else end.y()
        first, last = QgsPointXY(normal(start.x()), start.y()), QgsPointXY(normal(end.x()), end.y())
        along = self.along(first, last)
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if math.remainder(along(middle).x() - meridian, 360.0) * (start.x() - meridian) > 0.0:
                low = middle
            else:
                high = middle
        return along(high).y()


def without_repetition(part):
    return [vertex for index, vertex in enumerate(part) if index == 0 or vertex != part[index - 1]]
