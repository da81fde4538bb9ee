#!/usr/bin/env python3
"""Make the generated seed sets, the same bytes on every machine (integer arithmetic only).

sphere_1000.csv  lon,lat,name: 990 places uniform on the sphere and ten awkward ones (both poles, twice with different
                 longitudes; both sides of the antimeridian; 0,0 twice)
plane_500.csv    x,y,name,weight: uniform in the square 0...10000, on a lattice of 0.25

    python3 make_generated_seeds.py sphere|plane > FILE
"""

import sys
from fractions import Fraction


def numbers(seed):
    """A stream of 64-bit integers: SplitMix64 (Steele, Lea and Flood 2014)."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def ball_points(stream):
    """Rejection from the cube to the ball; the direction of such a point is uniform on the sphere."""
    while True:
        point = [next(stream) % 2000001 - 1000000 for _ in range(3)]
        if 0 < sum(c * c for c in point) <= 1000000**2:
            yield point


def arctangent_degrees(y, x):
    """atan2 in degrees to five decimals, by exact bisection so that no libm has a say."""
    if x < 0:
        return (180 if y >= 0 else -180) - arctangent_degrees(y, -x)
    if y < 0:
        return -arctangent_degrees(-y, x)
    if y > x:
        return 90 - arctangent_degrees(x, y)
    t = Fraction(y, x) if x else Fraction(0)
    # Two halvings of the angle make the series converge quickly: atan t = 2 atan(t / (1 + sqrt(1 + t^2))).
    t = t.limit_denominator(10**15)
    halvings = 0
    while t > Fraction(1, 8):
        root = square_root(1 + t * t)
        t = (t / (1 + root)).limit_denominator(10**15)
        halvings += 1
    total, power = Fraction(0), t
    for k in range(12):
        total += (-1) ** k * power / (2 * k + 1)
        power *= t * t
    pi = Fraction(3141592653589793238462643, 10**24)
    return total * 2**halvings * 180 / pi


def square_root(value, digits=18):
    """Root of a fraction >= 0 to `digits` decimals."""
    scale = 10 ** (2 * digits)
    n = value.numerator * scale // value.denominator
    guess = 1 << ((n.bit_length() + 1) // 2)
    while True:
        better = (guess + n // guess) // 2
        if better >= guess:
            return Fraction(guess, 10**digits)
        guess = better


def sphere():
    print("lon,lat,name")
    awkward = [
        (0, 90),
        (77, 90),
        (0, -90),
        (-120, -90),
        (180, 10),
        (-180, -10),
        (179.99999, 0),
        (-179.99999, 0),
    ]
    awkward += [(0, 0), (0, 0)]
    for i, (longitude, latitude) in enumerate(awkward):
        print(f"{longitude},{latitude},awkward {i + 1}")
    points = ball_points(numbers(1))
    for i in range(990):
        x, y, z = next(points)
        longitude = arctangent_degrees(y, x)
        latitude = arctangent_degrees(z, square_root(Fraction(x * x + y * y), 6))
        print(f"{fixed(longitude)},{fixed(latitude)},place {i + 1}")


def fixed(value):
    """A fraction with five decimals, rounded half up."""
    scaled = (abs(value) * 10**5 + Fraction(1, 2)).__floor__()
    return f"{'-' if value < 0 and scaled else ''}{scaled // 10**5}.{scaled % 10**5:05d}"


def plane():
    print("x,y,name,weight")
    stream = numbers(2)
    for i in range(500):
        x, y = (next(stream) % 40001 / 4 for _ in range(2))
        print(f"{x:.2f},{y:.2f},site {i + 1},{1 + next(stream) % 9}")


if __name__ == "__main__":
    {"sphere": sphere, "plane": plane}[sys.argv[1] if len(sys.argv) > 1 else ""]()
