"""Shared by the tests of `gpuvoronoi search`: how to run it, and oracles written from the definitions."""

import os
import re

import forked_command
import numpy as np
import pytest

COMMAND = os.environ["GPUVORONOI_COMMAND"]
SUMMARY = re.compile("gpuvoronoi: (note|metric|references|queries|neighbors|backend): ")


class Runner:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return str(self.folder / name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def text(self, name, content):
        with open(self.path(name), "w") as f:
            f.write(content)
        return self.path(name)

    def run(self, *arguments, status=0):
        done = forked_command.run([COMMAND, "search", *map(str, arguments)])
        assert done.returncode == status, (done.returncode, done.stderr)
        if status:
            lines = done.stderr.strip().split("\n")
            assert len(lines) == 1 and lines[0].startswith("gpuvoronoi: error: "), done.stderr
            return lines[0]
        assert all(SUMMARY.match(line) for line in done.stderr.splitlines()), done.stderr
        return done.stdout

    def search(self, *arguments):
        """Indices and distances."""
        out, distances = self.path("out.npy"), self.path("distances.npy")
        self.run(*arguments, "--distances", distances, "--overwrite", out)
        return np.load(out), np.load(distances)


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


def brute(reference, queries, k, metric="l2", exclude_self=False, max_distance=np.inf):
    """All distances in double, dimension by dimension, sorted by (distance, index)."""
    reference = np.asarray(reference).astype(np.float64)
    queries = np.asarray(queries).astype(np.float64)
    indices = np.full((len(queries), k), -1, np.int64)
    distances = np.full((len(queries), k), np.inf)
    for i, q in enumerate(queries):
        gaps = np.abs(q - reference)
        total = np.zeros(len(reference))
        for d in range(reference.shape[1]):
            if metric == "linf":
                total = np.maximum(total, gaps[:, d])
            else:
                total = total + (gaps[:, d] if metric == "l1" else gaps[:, d] * gaps[:, d])
        if metric == "l2":
            order = np.argsort(total, kind="stable")
            total = np.sqrt(total)
        else:
            order = np.argsort(total, kind="stable")
        order = [j for j in order if total[j] <= max_distance and not (exclude_self and i == j)][:k]
        indices[i, : len(order)] = order
        distances[i, : len(order)] = total[order]
    return indices, distances
