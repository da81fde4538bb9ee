#!/usr/bin/env python3
"""The differential run notices what it is there to notice: faults planted in answers that are right.

planted.py LIBGPUVORONOI.so
"""

import collections
import sys

sys.dont_write_bytecode = True
import differential
import library


class Faulty(library.Library):
    """Spoils what `where` (serial, others) says by `fault`."""

    def __init__(self, path, where, fault):
        super().__init__(path)
        self.where, self.fault = where, fault

    def spoil(self, backend, answer):
        if (backend == "serial") == (self.where == "serial"):
            self.fault(answer)
        return answer

    def allocate(self, grid, seeds, backend, *rest, **named):
        return self.spoil(backend, super().allocate(grid, seeds, backend, *rest, **named))

    def search(self, reference, queries, backend, *rest, **named):
        return self.spoil(backend, super().search(reference, queries, backend, *rest, **named))

    def search_globe(self, reference, queries, backend, *rest, **named):
        return self.spoil(
            backend, super().search_globe(reference, queries, backend, *rest, **named)
        )


def other_seed(answer):
    answer[0][:] = (answer[0] + 1) % 2


def one_value(answer):
    answer[0].ravel()[-1] ^= 1


def no_seed(answer):
    answer[0][:] = -1


def farther(answer):
    if answer[1] is not None:
        answer[1][:] *= 1 + 1e-6


FAULTS = {"serial": (other_seed, no_seed, farther), "others": (one_value, farther)}


def main():
    missed = []
    for where, faults in FAULTS.items():
        for fault in faults:
            lib = Faulty(sys.argv[1], where, fault)
            noticed = sum(
                differential.run(lib, number, 2, collections.Counter()) is not None
                for number in range(1, 31)
            )
            print(f"{fault.__name__} of {where}: noticed in {noticed} of 30 cases")
            if noticed < 10:
                missed.append(fault.__name__)
    return len(missed) > 0


if __name__ == "__main__":
    sys.exit(main())
