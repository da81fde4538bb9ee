"""Columns of Arrow tables as NumPy arrays, without pyarrow: what `gpuvoronoi.arrow` needs to repeat
rows of any table."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

# Bytes of a value, by Arrow's format strings; of those with parameters by their beginning.
_SIZES = {"c": 1, "C": 1, "s": 2, "S": 2, "i": 4, "I": 4, "l": 8, "L": 8, "e": 2, "f": 4, "g": 8}
_SIZES.update({"tdD": 4, "tdm": 8, "tts": 4, "ttm": 4, "ttu": 8, "ttn": 8})
_SIZES.update({"tiM": 4, "tiD": 8, "tin": 16})
_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8"}
_NUMBERS.update({"L": "u8", "e": "f2", "f": "f4", "g": "f8"})
TEXT = {
    "u": "U",
    "U": "U",
    "vu": "U",
    "z": "Z",
    "Z": "Z",
    "vz": "Z",
}  # and bytes, as columns have them
LISTS = {"+l": "+L", "+L": "+L"}
NULLABLE = 2  # of Arrow's flags


@dataclasses.dataclass
class Field:
    """Name and type of a column: an ``ArrowSchema``. `metadata`: by key."""

    name: str
    format: str
    metadata: dict[str, bytes] = dataclasses.field(default_factory=dict)
    flags: int = NULLABLE
    children: list[Field] = dataclasses.field(default_factory=list)
    dictionary: Optional[Field] = None
    given: str = ""  # the format that the table has, where columns have another


@dataclasses.dataclass
class Column:
    """Values of a field. Text, bytes and lists have 64-bit offsets whatever they had; `valid`: None
    if no value is missing."""

    field: Field
    length: int
    valid: Optional[npt.NDArray[np.bool_]] = None
    values: Optional[Numbers] = None  # of fixed size; offsets of text, bytes and lists
    data: Optional[npt.NDArray[np.uint8]] = None  # of text and bytes
    children: list[Column] = dataclasses.field(default_factory=list)
    dictionary: Optional[Column] = None

    def take(self, rows: npt.NDArray[np.intp]) -> Column:
        """These rows, a missing value for -1. Nothing of the result is memory of this column."""
        safe = np.maximum(rows, 0)
        valid = rows >= 0
        if self.valid is not None:
            valid &= self.valid[safe]
        made = Column(self.field, rows.size, None if valid.all() else valid)
        made.dictionary, kind = self.dictionary, self.field.format
        if self.data is not None or kind in LISTS:
            assert self.values is not None
            starts, counts = self.values[safe], np.diff(self.values)[safe]
            counts[~valid] = 0
            made.values = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            inside = ranges(starts, counts)
            if self.data is not None:
                made.data = self.data[inside]
            else:
                made.children = [child.take(inside) for child in self.children]
        elif kind.startswith("+w:"):
            width = int(kind[3:])
            inside = (safe[:, np.newaxis] * width + np.arange(width)).ravel()
            made.children = [child.take(inside) for child in self.children]
        elif self.values is not None:
            made.values = self.values[safe]
        else:
            made.children = [child.take(safe) for child in self.children]
        return made

    def numbers(self) -> Optional[npt.NDArray[np.float64]]:
        """As float64, NaN for missing values; None if they are not numbers."""
        kind = _NUMBERS.get(self.field.format)
        if kind is None or self.dictionary is not None or self.values is None:
            return None
        made = self.values.view(kind).astype(np.float64)
        if self.valid is not None:
            made[~self.valid] = np.nan
        return made


def ranges(starts: Numbers, counts: Numbers) -> npt.NDArray[np.intp]:
    """starts[i] ... starts[i] + counts[i] - 1 of each i, one after the other."""
    before = np.cumsum(counts) - counts
    made: npt.NDArray[np.intp] = np.repeat(starts - before, counts).astype(np.intp)
    return made + np.arange(int(counts.sum()), dtype=np.intp)


def size_of(kind: str) -> int:
    """Bytes of a value of fixed size; 0 for other types."""
    if kind.startswith("w:"):
        return int(kind[2:])
    if kind.startswith("d:"):
        parts = kind[2:].split(",")
        return int(parts[2]) // 8 if len(parts) > 2 else 16
    return 8 if kind.startswith(("ts", "tD")) else _SIZES.get(kind, 0)


def of_array(name: str, values: Numbers, missing: Optional[npt.NDArray[np.bool_]] = None) -> Column:
    """A column of numbers or texts."""
    valid = None if missing is None or not missing.any() else ~missing
    kinds = {np.dtype(one): letter for letter, one in _NUMBERS.items()}
    if values.dtype in kinds:
        plain = np.ascontiguousarray(values)
        return Column(Field(name, kinds[values.dtype]), values.size, valid, plain)
    if not all(isinstance(value, str) for value in values.tolist()):
        raise TypeError(f"{name} must be numbers or texts, not {values.dtype}")
    texts = [str(value).encode() for value in values.tolist()]
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    return Column(Field(name, "U"), values.size, valid, offsets, data)


def joined(parts: list[Column], field: Field) -> Column:
    """Columns of one field, one after the other."""
    if len(parts) == 1:
        return parts[0]
    count = sum(part.length for part in parts)
    made = Column(field, count)
    if any(part.valid is not None for part in parts):
        made.valid = np.concatenate(
            [np.ones(part.length, bool) if part.valid is None else part.valid for part in parts]
        )
    if field.dictionary is not None and len(parts) > 1:
        raise TypeError(f"{field.name!r}: dictionaries of several batches; cast the column first")
    if field.format in TEXT or field.format in LISTS:
        ends = np.cumsum([0, *(int(part.values[-1]) for part in parts if part.values is not None)])
        shifted = [
            part.values[1:] + end for part, end in zip(parts, ends) if part.values is not None
        ]
        made.values = np.concatenate([np.zeros(1, np.int64), *shifted])
        if field.format in TEXT:
            made.data = np.concatenate(
                [part.data for part in parts if part.data is not None] or [np.empty(0, np.uint8)]
            )
    elif size_of(field.format) or field.format == "b":
        made.values = np.concatenate([part.values for part in parts if part.values is not None])
    made.children = [
        joined([part.children[i] for part in parts], child)
        for i, child in enumerate(field.children)
    ]
    return made
