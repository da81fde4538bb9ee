"""Arrow's C data interface (ArrowSchema, ArrowArray, ArrowArrayStream) by ctypes: tables are read
from, and passed to, whatever has it.

Structures that are passed on are released by callbacks of the library, because Python may not run
while one of its exceptions is pending."""

from __future__ import annotations

import ctypes
import errno
import sys
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Callable, Iterable, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _c
from ._arrow_columns import LISTS, TEXT, Column, Field, ranges, size_of
from ._library import library

Batches = Iterator[list[Column]]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


_Schema._fields_ = [
    ("format", c_void_p),
    ("name", c_void_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
_Release = ctypes.CFUNCTYPE(None, c_void_p)
_Get = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
_Error = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_NAMES = {_Schema: b"arrow_schema", _Array: b"arrow_array", _Stream: b"arrow_array_stream"}

_api = ctypes.pythonapi
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(
    ("PyCapsule_New", _api)
)


_allocate = ctypes.PYFUNCTYPE(c_void_p, ctypes.c_size_t)(("PyMem_RawMalloc", _api))
_free = ctypes.cast(_api.PyMem_RawFree, c_void_p).value
_passes: list[_Pass] = []


def _released(of: Any) -> None:
    if of.release:
        _Release(of.release)(ctypes.addressof(of))


# ------------------------------------------------------------------------------------------ reading


def read(given: Any, argument: str) -> tuple[list[Field], Batches]:
    """The fields of a table, or of an array as one column, and its batches, each of which is valid
    until the next is requested."""
    for method in ("to_batches", "iter_batches"):  # pyarrow's Scanner and ParquetFile
        if hasattr(given, method) and not hasattr(given, "__arrow_c_stream__"):
            return _of_batches(getattr(given, method)(), argument)
    if hasattr(given, "__arrow_c_stream__"):
        return _of_stream(given.__arrow_c_stream__())
    if hasattr(given, "__arrow_c_array__"):
        return _of_batches([given], argument)
    if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, dict)):
        return _of_batches(given, argument)
    raise TypeError(
        f"{argument} must have __arrow_c_stream__ or __arrow_c_array__ (Polars, DuckDB, GeoPandas, "
        "pyarrow), or be batches that have it, "
        f"not {type(given).__name__}"
    )


def _of_stream(capsule: Any) -> tuple[list[Field], Batches]:
    stream = _Stream.from_address(_pointer_of(capsule, _NAMES[_Stream]))
    where = ctypes.addressof(stream)

    def call(function: int, into: Any) -> None:
        if _Get(function)(where, ctypes.addressof(into)):
            said = _Error(stream.get_last_error)(where)
            text = ctypes.string_at(said).decode(errors="replace") if said else "unknown error"
            raise RuntimeError(f"Arrow stream: {text}")

    schema = _Schema()
    call(stream.get_schema, schema)
    field = _field(schema)
    _released(schema)

    def batches() -> Batches:
        try:
            while True:
                array = _Array()
                call(stream.get_next, array)
                if not array.release:
                    return
                try:
                    yield _columns(field, array)
                finally:
                    _released(array)
        finally:
            _released(stream)
            del capsule_of[:]

    capsule_of = [capsule]  # it has the stream
    return _fields(field), batches()


def _of_batches(given: Iterable[Any], argument: str) -> tuple[list[Field], Batches]:
    """Of batches, or tables, one after the other. The first is requested at once, for its
    fields."""

    def one(batch: Any) -> tuple[list[Field], Batches]:
        if hasattr(batch, "__arrow_c_array__"):
            return _of_array(*batch.__arrow_c_array__())
        if hasattr(batch, "__arrow_c_stream__"):
            return _of_stream(batch.__arrow_c_stream__())
        raise TypeError(
            f"{argument} must have __arrow_c_array__ or __arrow_c_stream__, not "
            f"{type(batch).__name__}"
        )

    rest = iter(given)
    missing = object()
    batch = next(rest, missing)
    if batch is missing:
        return [], iter(())
    fields, first = one(batch)

    def batches() -> Batches:
        yield from first
        for batch in rest:
            yield from one(batch)[1]

    return fields, batches()


def _of_array(schema: Any, array: Any) -> tuple[list[Field], Batches]:
    """Of capsules, which own the structures."""
    field = _field(_Schema.from_address(_pointer_of(schema, _NAMES[_Schema])))

    def batches(capsule: Any) -> Batches:
        yield _columns(field, _Array.from_address(_pointer_of(capsule, _NAMES[_Array])))

    return _fields(field), batches(array)


def _fields(field: Field) -> list[Field]:
    if field.format != "+s":
        return [field]
    for child in field.children:  # GeoParquet's description is that of the table
        if "geo" in field.metadata:
            child.metadata.setdefault("geo", field.metadata["geo"])
    return field.children


def _field(schema: Any) -> Field:
    made = Field(
        _text(schema.name),
        _text(schema.format),
        _metadata(schema.metadata),
        schema.flags,
        [_field(schema.children[i].contents) for i in range(schema.n_children)],
        _field(schema.dictionary.contents) if schema.dictionary else None,
        _text(schema.format),
    )
    made.format = TEXT.get(made.given, LISTS.get(made.given, made.given))
    return made


def _text(address: Optional[int]) -> str:
    return ctypes.string_at(address).decode() if address else ""


def _metadata(address: Optional[int]) -> dict[str, bytes]:
    made: dict[str, bytes] = {}
    if not address:
        return made
    at = address + 4
    for _ in range(ctypes.c_int32.from_address(address).value):
        pair = []
        for _ in range(2):
            size = ctypes.c_int32.from_address(at).value
            pair.append(ctypes.string_at(at + 4, size))
            at += 4 + size
        made[pair[0].decode()] = pair[1]
    return made


def _columns(field: Field, array: Any) -> list[Column]:
    if field.format != "+s":
        return [_column(field, array, 0, array.length)]
    return [
        _column(child, array.children[i].contents, array.offset, array.length)
        for i, child in enumerate(field.children)
    ]


def _bytes(array: Any, number: int, first: int, count: int) -> npt.NDArray[np.uint8]:
    """Bytes of a buffer, in place."""
    address = array.buffers[number] if number < array.n_buffers else None
    if not address or count == 0:
        return np.zeros(count, np.uint8)
    memory: Any = (ctypes.c_uint8 * count).from_address(address + first)
    return np.asarray(np.frombuffer(memory, np.uint8))


def _bits(array: Any, number: int, first: int, count: int) -> npt.NDArray[np.bool_]:
    some = _bytes(array, number, first // 8, (first % 8 + count + 7) // 8)
    return np.unpackbits(some, bitorder="little")[first % 8 :][:count].astype(bool)


def _column(field: Field, array: Any, start: int, length: int) -> Column:
    """Values from `start` on, in the memory of the array where that is possible."""
    kind, first = field.given, array.offset + start
    made = Column(field, length)
    if array.n_buffers and array.buffers[0] and array.null_count:
        made.valid = _bits(array, 0, first, length)
    if field.dictionary is not None:
        whole = array.dictionary.contents
        made.dictionary = _column(field.dictionary, whole, 0, whole.length)
        made.dictionary = made.dictionary.take(np.arange(whole.length))
    size = size_of(kind)
    if size:
        made.values = _bytes(array, 1, first * size, length * size).view(f"V{size}")
    elif kind == "b":
        made.values = _bits(array, 1, first, length)
    elif kind in ("vu", "vz"):
        made.values, made.data = _of_views(array, first, length)
    elif kind in TEXT or kind in LISTS:
        wide = 8 if kind in ("U", "Z", "+L") else 4
        found = (
            _bytes(array, 1, first * wide, (length + 1) * wide).view(f"i{wide}").astype(np.int64)
        )
        offsets = found - found[0]
        made.values = offsets
        if kind in TEXT:
            made.data = _bytes(array, 2, int(found[0]), int(offsets[-1]))
        else:
            inside = array.children[0].contents
            made.children = [_column(field.children[0], inside, int(found[0]), int(offsets[-1]))]
    elif kind.startswith("+w:"):
        width = int(kind[3:])
        inside = array.children[0].contents
        made.children = [_column(field.children[0], inside, first * width, length * width)]
    elif kind == "+s":
        made.children = [
            _column(child, array.children[i].contents, first, length)
            for i, child in enumerate(field.children)
        ]
    elif kind == "n":
        made.valid, made.values = np.zeros(length, bool), np.zeros(length, "V1")
    else:
        raise TypeError(
            f"column {field.name!r}: unsupported Arrow type {kind!r}; leave it out, or cast it "
            "first"
        )
    return made


def _of_views(array: Any, first: int, length: int) -> tuple[npt.NDArray[np.int64], Any]:
    """Offsets and bytes of views: 16 bytes each, with up to 12 bytes of text in them, else with the
    number of a buffer and a place in it."""
    views = _bytes(array, 1, first * 16, length * 16)
    words = views.view("<i4").reshape(-1, 4)
    count = (
        array.n_buffers - 3
    )  # after validity and views; the last one has the sizes of the others
    sizes = _bytes(array, array.n_buffers - 1, 0, count * 8).view("<i8")
    buffers = [_bytes(array, 2 + i, 0, int(sizes[i])) for i in range(count)]
    begins = views.size + np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    counts = words[:, 0].astype(np.int64)
    outside = counts > 12
    starts = np.arange(length, dtype=np.int64) * 16 + 4
    starts[outside] = begins[words[outside, 2]] + words[outside, 3]
    valid = _bits(array, 0, first, length) if array.buffers[0] and array.null_count else None
    if valid is not None:
        counts[~valid] = 0
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return offsets, np.concatenate([views, *buffers])[ranges(starts, counts)]


# -------------------------------------------------------------------------------------- passing on


def _block(parts: list[Any]) -> tuple[int, list[int]]:
    """A copy of arrays of bytes, 64 bytes aligned, in one ``gv_arrow_block`` that the library's
    callbacks free; the address of each."""
    sizes = [part.nbytes for part in parts]
    starts = np.cumsum([64, *((size + 63) // 64 * 64 for size in sizes)])
    block = _allocate(int(starts[-1]) + 64)
    if not block:
        raise MemoryError("out of memory for Arrow arrays")
    head = _c.ArrowBlock.from_address(block)
    head.free, head.released = _free, 0
    first = -block % 64
    places = [block + first + int(start) for start in starts[:-1]]
    for part, place, size in zip(parts, places, sizes):
        if size:
            ctypes.memmove(place, part.ctypes.data, size)
    return block, places


def _zeros(of: Any, count: int) -> npt.NDArray[np.uint8]:
    return np.zeros(count * ctypes.sizeof(of), np.uint8)


def _ascii(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data + b"\0", np.uint8)


def _link(of: Any, at: int, pointers: int, count: int) -> list[Any]:
    """Structures in a block, with the pointers to them."""
    size = ctypes.sizeof(of)
    for i in range(count):
        c_void_p.from_address(pointers + 8 * i).value = at + size * i
    return [of.from_address(at + size * i) for i in range(count)]


def _fill_schema(schema: Any, field: Field) -> None:
    inner = [*field.children, *([field.dictionary] if field.dictionary is not None else [])]
    parts = [_ascii(field.format.encode()), _ascii(field.name.encode())]
    parts += [_packed(field.metadata), _zeros(_Schema, len(inner)), _zeros(c_void_p, len(inner))]
    block, (kind, name, metadata, structures, pointers) = _block(parts)
    made = _link(_Schema, structures, pointers, len(inner))
    for one, child in zip(made, inner):
        _fill_schema(one, child)
    schema.format, schema.name, schema.flags = kind, name, field.flags
    schema.metadata = metadata if parts[2].size else None
    schema.n_children, schema.children = len(field.children), _array_of(_Schema, pointers)
    if field.dictionary is not None:
        schema.dictionary = ctypes.pointer(made[-1])
    schema.private_data, schema.release = block, _address(library().gv_arrow_release_schema)


def _array_of(of: Any, address: int) -> Any:
    return ctypes.cast(address, POINTER(POINTER(of)))


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


def _packed(metadata: dict[str, bytes]) -> npt.NDArray[np.uint8]:
    """As ``ArrowSchema`` has it; GeoParquet's description is that of a table, not of a column."""
    pairs = {key: value for key, value in metadata.items() if key != "geo"}
    parts = [len(pairs).to_bytes(4, sys.byteorder)] if pairs else []
    for key, value in pairs.items():
        for part in (key.encode(), value):
            parts += [len(part).to_bytes(4, sys.byteorder), part]
    return np.frombuffer(b"".join(parts), np.uint8)


def _fill_array(array: Any, column: Column) -> None:
    kind, none = column.field.format, np.empty(0, np.uint8)
    inner = [*column.children, *([column.dictionary] if column.dictionary is not None else [])]
    valid = none if column.valid is None else np.packbits(column.valid, bitorder="little")
    buffers = [] if kind == "n" else [valid]
    if kind == "b":
        buffers.append(np.packbits(np.asarray(column.values, bool), bitorder="little"))
    elif kind != "n" and column.values is not None:
        buffers.append(np.ascontiguousarray(column.values))
    if column.data is not None:
        buffers.append(np.ascontiguousarray(column.data))
    own = [_zeros(c_void_p, len(buffers)), _zeros(_Array, len(inner)), _zeros(c_void_p, len(inner))]
    block, (table, structures, pointers, *places) = _block([*own, *buffers])
    for i, place in enumerate(places):
        there = i > 0 or column.valid is not None
        c_void_p.from_address(table + 8 * i).value = place if there else None
    made = _link(_Array, structures, pointers, len(inner))
    for one, child in zip(made, inner):
        _fill_array(one, child)
    missing = 0 if column.valid is None else int((~column.valid).sum())
    array.length, array.offset = column.length, 0
    array.null_count = column.length if kind == "n" else missing
    array.n_buffers, array.buffers = len(buffers), ctypes.cast(table, POINTER(c_void_p))
    array.n_children, array.children = len(column.children), _array_of(_Array, pointers)
    if column.dictionary is not None:
        array.dictionary = ctypes.pointer(made[-1])
    array.private_data, array.release = block, _address(library().gv_arrow_release_array)


class _Pass:
    """One pass over a stream that is passed on. Its callbacks run when a consumer reads, on the
    thread that reads."""

    def __init__(self, fields: Callable[[], list[Field]], begin: Callable[[], Batches]) -> None:
        self.fields, self.begin, self.error = fields, begin, ctypes.create_string_buffer(b"")
        self.batches: Optional[Batches] = None
        self.functions: tuple[Any, ...] = (
            _Get(self._schema),
            _Get(self._next),
            _Error(self._message),
        )
        self.block = _c.ArrowBlock()
        self.block.free = None  # the block does not begin with its size

    def end(self) -> None:
        """Let go of what is read and of the callbacks, which refer to this object."""
        self.batches, self.functions = None, ()

    def _message(self, _: int) -> int:
        return ctypes.addressof(self.error)

    def _guarded(self, work: Callable[[], None]) -> int:
        try:
            work()
        except MemoryError:
            self.error = ctypes.create_string_buffer(b"out of memory")
            return errno.ENOMEM
        except BaseException as error:  # nothing may pass through C
            self.error = ctypes.create_string_buffer(str(error).encode())
            return errno.EINVAL
        return 0

    def _schema(self, _: int, into: int) -> int:
        def work() -> None:
            fields = self.fields()
            ctypes.memset(into, 0, ctypes.sizeof(_Schema))
            _fill_schema(_Schema.from_address(into), Field("", "+s", {}, 0, fields))

        return self._guarded(work)

    def _next(self, _: int, into: int) -> int:
        def work() -> None:
            ctypes.memset(into, 0, ctypes.sizeof(_Array))
            self.batches = self.begin() if self.batches is None else self.batches
            columns = next(self.batches, None)
            if columns is not None:
                fields = [column.field for column in columns]
                whole = Field("", "+s", {}, 0, fields)
                length = columns[0].length if columns else 0
                _fill_array(_Array.from_address(into), Column(whole, length, children=columns))

        return self._guarded(work)


def stream(fields: Callable[[], list[Field]], begin: Callable[[], Batches]) -> Any:
    """A capsule with a stream of the batches that `begin` returns; both functions are called when
    the stream is read.

    The capsule has no destructor, which would be Python's. So a stream stays in memory until it is
    released and another one is made, and an unread one for ever."""
    for one in _passes:
        if one.block.released:
            one.end()
    _passes[:] = [one for one in _passes if not one.block.released]
    one, made = _Pass(fields, begin), _Stream.from_address(_allocate(ctypes.sizeof(_Stream)))
    made.get_schema, made.get_next, made.get_last_error = map(_address, one.functions)
    made.private_data = ctypes.addressof(one.block)
    made.release = _address(library().gv_arrow_release_stream)
    _passes.append(one)
    return _capsule(ctypes.addressof(made), _NAMES[_Stream], None)
