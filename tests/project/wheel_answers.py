"""What an installed wheel has to answer, beside other packages that bring an OpenMP of their own. Needs NumPy; scikit-learn if it is there."""

import sys
import threading

import numpy as np

try:
    from sklearn.neighbors import KDTree as OtherTree
except ImportError:
    OtherTree = None

import gpuvoronoi
from gpuvoronoi import _library


def main():
    generator = np.random.default_rng(7)
    points, queries = generator.random((20000, 3)), generator.random((500, 3))
    squares = ((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    distances, numbers = gpuvoronoi.KDTree(points).query(queries, workers=2)
    assert (numbers == squares.argmin(axis=1)).all() and np.allclose(
        distances**2, squares.min(axis=1), rtol=1e-14
    )

    x, y = generator.random(50) * 60, generator.random(50) * 40
    column, row = np.meshgrid(np.arange(60) + 0.5, np.arange(40)[::-1] + 0.5)
    squares = (column[..., None] - x) ** 2 + (row[..., None] - y) ** 2
    nearest = np.asarray(
        gpuvoronoi.allocation((x, y), shape=(40, 60), extent=(0, 0, 60, 40), metric="euclidean")
    )
    assert (nearest == squares.argmin(axis=2)).all()

    # Of PROJ's geodesics: the quarter meridian of WGS 84.
    meters, number = gpuvoronoi.GlobeTree([0.0], [90.0]).query(0.0, 0.0)
    assert number == 0 and abs(meters - 10001965.729) < 0.001

    if OtherTree is not None:
        other = threading.Thread(target=lambda: OtherTree(points).query(points[:2000]))
        other.start()
        for _ in range(3):
            assert (gpuvoronoi.KDTree(points).query(queries, workers=2)[1] == numbers).all()
        other.join()
    beside = [name for name in ("sklearn", "torch") if name in sys.modules]
    print(
        f"the wheel's library {_library.library().gv_version().decode()} answers, beside {', '.join(beside) or 'nothing else'}"
    )


if __name__ == "__main__":
    main()
