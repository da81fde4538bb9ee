"""
Geodesic lines on an ellipsoid or a sphere, as vertices in degrees.

QgsDistanceArea has the geodesics of PROJ, to nanometres, but its geodesicLine() draws no line that is shorter than its step,
wants longitudes within ±180° and sees crossings of ±180° only where the longitudes of two vertices are far from it. So it
gives the vertices here, and where the line is cut is found by steps along it.
"""

import math

from qgis.core import QgsDistanceArea, QgsPointXY

STEP = 100000.0  # metres between vertices, at most
TURN = 45.0  # degrees of longitude between vertices, at most: near the poles a step may go far around
BISECTIONS = 50
OVER_THE_POLE = 180.0 - 1e-6  # degrees: steps that turn so far are straight across, to less than a millimetre


def normal(longitude):
    """The longitude within ±180°; what is there stays as it is."""
    return longitude if -180.0 <= longitude <= 180.0 else math.remainder(longitude, 360.0)


def turn(start, end):
    """Degrees of longitude from one vertex to another, the short way around."""
    return math.remainder(end.x() - start.x(), 360.0)


def beyond(vertex, side):
    """A vertex at ±180° with the sign that `side` has."""
    return QgsPointXY(math.copysign(180.0, side.x()), vertex.y())


class Geodesics:
    """Of an ellipsoid or sphere with these half axes in metres."""

    def __init__(self, semi_major, semi_minor):
        self.measure = QgsDistanceArea()
        self.measure.setEllipsoid(semi_major, semi_minor)

    def line(self, start, end):
        """The geodesic between two positions: a list of parts, cut at ±180°, which are lists of vertices."""
        start, end = QgsPointXY(normal(start.x()), start.y()), QgsPointXY(normal(end.x()), end.y())
        vertices = [start]
        for vertex in self.steps(start, end):
            self.refine(vertices, vertex)
        return self.cut(vertices)

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
            middle = self.along(start, end, 0.5)
            self.refine(vertices, middle)
            self.refine(vertices, end)

    def along(self, start, end, fraction):
        length = fraction * self.measure.measureLine(start, end)
        found = self.measure.computeSpheroidProject(start, length, self.measure.bearing(start, end))
        return QgsPointXY(normal(found.x()), found.y())

    def cut(self, vertices):
        parts, part = [], [vertices[0]]
        for end in vertices[1:]:
            start = part[-1]
            if abs(end.x()) == 180.0:
                end = beyond(end, start)
            elif abs(end.x() - start.x()) > 180.0 and abs(start.y()) != 90.0:
                if abs(start.x()) == 180.0:
                    crossing = start
                else:
                    crossing = QgsPointXY(180.0, self.crossing(start, end))
                    part.append(beyond(crossing, start))
                if len(part) > 1:
                    parts.append(part)
                part = [beyond(crossing, end)]
            part.append(end)
        return [*parts, part]

    def crossing(self, start, end):
        """The latitude at which a step crosses ±180°, by bisection."""
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if self.along(start, end, middle).x() * start.x() > 0.0:
                low = middle
            else:
                high = middle
        return self.along(start, end, high).y()
