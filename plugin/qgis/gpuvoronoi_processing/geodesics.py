"""
Geodesic lines on an ellipsoid or a sphere, as vertices in degrees.

QgsDistanceArea has the geodesics of PROJ, to nanometers, but its geodesicLine() draws no line that is shorter than its
step, wants longitudes within ±180° and sees crossings of ±180° only where the longitudes of two vertices are far from
it. So it gives the vertices here, which are then placed: a line begins and ends at the longitudes that its two
positions have, and is cut where these are not on the same turn of the globe.
"""

import math

from qgis.core import QgsDistanceArea, QgsGeometry, QgsPointXY

GLOBE = ("geodesic", "great-circle")  # the metrics on it
STEP = 100000.0  # meters between vertices, at most
TURN = (
    45.0  # degrees of longitude between vertices, at most: near the poles a step may go far around
)
FAR_FROM_POLES = 88.0  # degrees of latitude up to which a step turns by less than 27°
CLEAR = 1e-6  # degrees of longitude: lines that end nearer to the meridian at which they are cut need more care
CROSSED = 1e-12  # degrees of longitude between a meridian and the place where a step crosses it
EVALUATIONS = 60  # of that place, at most
OVER_THE_POLE = (
    180.0 - 1e-6
)  # degrees: steps that turn so far are straight across, to less than a millimeter


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
    """Of an ellipsoid or sphere with these half axes in meters."""

    def __init__(self, semi_major, semi_minor):
        self.measure = QgsDistanceArea()
        self.measure.setEllipsoid(semi_major, semi_minor)

    def geometry(self, start, end):
        """The geodesic between two positions, as a geometry of lines."""
        first, last = QgsPointXY(normal(start.x()), start.y()), QgsPointXY(normal(end.x()), end.y())
        vertices = [first, *self.steps(first, last)]
        made = QgsGeometry.fromMultiPolylineXY([vertices])
        box = made.boundingBox()
        if box.yMinimum() < -FAR_FROM_POLES or box.yMaximum() > FAR_FROM_POLES:
            return QgsGeometry.fromMultiPolylineXY(self.line(start, end))
        wraps = box.width() > 180.0  # then there are vertices at both ends of the map
        if not wraps and max(abs(start.x()), abs(end.x())) <= 180.0:
            return made
        return QgsGeometry.fromMultiPolylineXY(
            self.parts(vertices, wraps, start, end) or self.line(start, end)
        )

    def parts(self, vertices, wraps, start, end):
        """
        The same as line() in less time, of vertices away from the poles: there longitudes only rise or only fall, by no
        more than half the globe, so bisection finds where they pass a meridian. `wraps` is whether they cross ±180°.
        None if an end is at the meridian.
        """
        before = after = turns(start.x(), vertices[0].x())
        wrap = passed(vertices, 180.0) if wraps else len(vertices)
        if wraps:
            after += math.copysign(360.0, vertices[0].x())
        rest = turns(end.x(), vertices[-1].x()) - after
        meridian = 180.0 if max(abs(start.x()), abs(end.x())) <= 180.0 else 0.0
        cut = passed(vertices, meridian) if rest != 0.0 else len(vertices)
        if not (wrap and cut):
            return None

        def some(low, high, by):
            """Vertices, placed and then moved by whole turns."""
            first, second = vertices[low : min(wrap, high)], vertices[max(wrap, low) : high]
            return moved(first, before + by) + moved(second, after + by)

        if rest == 0.0:
            return [[start, *some(1, len(vertices) - 1, 0.0), end]]
        latitude = self.crossing(vertices[cut - 1], vertices[cut], meridian)
        meridian += turns(vertices[cut - 1].x() + (before if cut <= wrap else after), meridian)
        first, second = some(1, cut, 0.0), some(cut, len(vertices) - 1, rest)
        west, east = QgsPointXY(meridian, latitude), QgsPointXY(meridian + rest, latitude)
        return [[start, *first, west], [east, *second, end]]

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
                parts = (
                    [*line[:index], west],
                    [east, *(QgsPointXY(p.x() + moved, p.y()) for p in line[index:-1]), end],
                )
                return [part for part in map(without_repetition, parts) if len(part) > 1]
        return [line]

    def crossing(self, start, end, meridian):
        """The latitude at which a step crosses a meridian, by the Illinois method."""
        if meridian in (start.x(), end.x()):
            return start.y() if meridian == start.x() else end.y()
        first, last = QgsPointXY(normal(start.x()), start.y()), QgsPointXY(normal(end.x()), end.y())
        along = self.along(first, last)
        low, high = 0.0, 1.0
        left, right, side = beyond(start, meridian), beyond(end, meridian), 0
        for _ in range(EVALUATIONS):
            middle = (low * right - high * left) / (right - left)
            found = along(middle)
            value = beyond(found, meridian)
            if abs(value) < CROSSED:
                break
            if (value > 0.0) == (right > 0.0):
                high, right, left, side = middle, value, (0.5 if side > 0 else 1.0) * left, 1
            else:
                low, left, right, side = middle, value, (0.5 if side < 0 else 1.0) * right, -1
        return found.y()


def moved(vertices, by):
    """Vertices, farther east by so many degrees."""
    return (
        [QgsPointXY(vertex.x() + by, vertex.y()) for vertex in vertices] if by != 0.0 else vertices
    )


def beyond(vertex, meridian):
    """Degrees of longitude from a meridian to a vertex, the short way around."""
    return math.remainder(vertex.x() - meridian, 360.0)


def passed(vertices, meridian):
    """
    The first vertex beyond a meridian; 0 if the first or the last one is at the meridian, or the line does not cross
    it. Longitudes only rise or only fall.
    """
    start, end = beyond(vertices[0], meridian), beyond(vertices[-1], meridian)
    if (
        min(abs(start), abs(end)) < CLEAR
        or (start > 0.0) == (end > 0.0)
        or abs(start - end) > 180.0
    ):
        return 0
    low, high = 0, len(vertices) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if (beyond(vertices[middle], meridian) > 0.0) == (start > 0.0):
            low = middle
        else:
            high = middle
    return high


def without_repetition(part):
    return [vertex for index, vertex in enumerate(part) if index == 0 or vertex != part[index - 1]]
