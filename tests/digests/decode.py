"""What is in an output, as lines of text that do not depend on how it was written; by the standard library alone where
that can read the format (uncompressed and deflated GeoTIFF, ENVI, CSV, GeoJSON, GeoPackage, .npy), else by GDAL's Python.

Left out: coordinate systems (PROJ's versions word them differently) and our own version.
"""

import csv
import hashlib
import json
import pathlib
import sqlite3
import struct
import xml.etree.ElementTree
import zlib

TYPES = {(1, 8): "Byte", (2, 32): "Int32", (2, 64): "Int64", (3, 32): "Float32", (3, 64): "Float64"}
ENVI_TYPES = {
    "1": (1, "Byte"),
    "3": (4, "Int32"),
    "14": (8, "Int64"),
    "4": (4, "Float32"),
    "5": (8, "Float64"),
}
CODES = {(1, 1): "B", (2, 4): "i", (2, 8): "q", (3, 4): "f", (3, 8): "d"}
FORMATS = {1: "B", 2: "s", 3: "H", 4: "I", 12: "d", 16: "Q"}


class NeedsGdal(Exception):
    """Only GDAL's Python bindings can read this, and they are not here."""


def sha(data):
    return hashlib.sha256(data).hexdigest()


# ------------------------------------------------------------------------------------------------------------ rasters


def tiff_tags(data):
    order, magic, at = struct.unpack_from("<2sHI", data)
    assert order == b"II" and magic == 42, "not a little-endian classic TIFF"
    tags = {}
    for i in range(struct.unpack_from("<H", data, at)[0]):
        tag, kind, count = struct.unpack_from("<HHI", data, at + 2 + 12 * i)
        code = FORMATS.get(kind)
        if code is None:
            continue
        where = at + 2 + 12 * i + 8
        if count * struct.calcsize(code) > 4:
            where = struct.unpack_from("<I", data, where)[0]
        value = struct.unpack_from(f"<{count}{code}", data, where)
        tags[tag] = value[0].rstrip(b"\0").decode() if code == "s" else value
    return tags


def tiff_transform(tags):
    if 34264 in tags:
        m = tags[34264]
        return [m[3], m[0], m[1], m[7], m[4], m[5]]
    scale, tie = tags[33550], tags[33922]
    return [tie[3] - tie[0] * scale[0], scale[0], 0.0, tie[4] + tie[1] * scale[1], 0.0, -scale[1]]


def nodata_of(tags):
    value = float(tags.get(42113, "0"))
    return value if tags.get(339, (1,))[0] == 3 else int(value)


def tiff_bands(data, tags):
    """Pixels of each band, row by row."""
    width, height = tags[256][0], tags[257][0]
    bands, size = tags.get(277, (1,))[0], tags[258][0] // 8
    planar, compression = tags.get(284, (1,))[0], tags[259][0]
    assert tags.get(317, (1,))[0] == 1, "a predictor"
    tile_w, tile_h = (tags[322][0], tags[323][0]) if 322 in tags else (width, tags[278][0])
    offsets, lengths = (tags[324], tags[325]) if 322 in tags else (tags[273], tags[279])
    across, down = -(-width // tile_w), -(-height // tile_h)
    together = bands if planar == 1 else 1
    planes = []
    for plane in range(bands // together):
        rows = [bytearray() for _ in range(height)]
        for i in range(across * down):
            n = plane * across * down + i
            raw = data[offsets[n] : offsets[n] + lengths[n]]
            if offsets[n] == 0:  # a tile that was not written
                raw = struct.pack("<" + CODES[tags.get(339, (1,))[0], size], nodata_of(tags)) * (
                    tile_w * tile_h * together
                )
            elif compression in (8, 32946):
                raw = zlib.decompress(raw)
            elif compression != 1:
                raise NeedsGdal
            across_bytes = tile_w * size * together
            used = min(tile_w, width - i % across * tile_w) * size * together
            for r in range(min(tile_h, height - i // across * tile_h)):
                rows[i // across * tile_h + r] += raw[r * across_bytes : r * across_bytes + used]
        planes.append(b"".join(rows))
    if together == 1:
        return planes
    return [
        b"".join(planes[0][i : i + size] for i in range(b * size, len(planes[0]), size * bands))
        for b in range(bands)
    ]


def metadata_lines(items):
    return [
        f"metadata {name}={value}"
        for name, value in sorted(items)
        if name.startswith("GPUVORONOI_") and name != "GPUVORONOI_VERSION"
    ]


def raster_lines(kind, width, height, transform, nodata, metadata, bands, table):
    lines = [
        f"raster {kind} {width}x{height} nodata {float(nodata) if nodata is not None else None!r}",
        "transform " + " ".join(repr(float(v) + 0.0) for v in transform),
    ]
    lines += metadata_lines(metadata)
    lines += [f"band {i + 1} {sha(pixels)}" for i, pixels in enumerate(bands)]
    return lines + ([] if table is None else [f"table {table}"])


def attribute_table(path):
    """The side file's attribute table; None without one."""
    side = pathlib.Path(str(path) + ".aux.xml")
    if not side.exists():
        return None
    found = xml.etree.ElementTree.parse(side).getroot().find(".//GDALRasterAttributeTable")
    return (
        None
        if found is None
        else sha("\n".join(f"{e.tag} {(e.text or '').strip()}" for e in found.iter()).encode())
    )


def decode_tiff(path):
    data = path.read_bytes()
    try:
        tags = tiff_tags(data)
        bands = tiff_bands(data, tags)
    except NeedsGdal:
        return decode_gdal(path)
    items = []
    if 42112 in tags:
        items = [(e.get("name"), e.text) for e in xml.etree.ElementTree.fromstring(tags[42112])]
    kind = TYPES[tags.get(339, (1,))[0], tags[258][0]]
    return raster_lines(
        kind,
        tags[256][0],
        tags[257][0],
        tiff_transform(tags),
        tags.get(42113),
        items,
        bands,
        attribute_table(path),
    )


def decode_envi(path):
    header = {}
    for line in path.with_suffix(".hdr").read_text().replace("\n,", ",").splitlines():
        name, _, value = line.partition("=")
        header[name.strip()] = value.strip()
    size, kind = ENVI_TYPES[header["data type"]]
    width, height, bands = int(header["samples"]), int(header["lines"]), int(header["bands"])
    assert header["interleave"] == "bsq" and header["byte order"] == "0"
    data = path.read_bytes()
    length = width * height * size
    assert len(data) == bands * length
    lines = [f"envi {kind} {width}x{height} nodata {header.get('data ignore value')}"]
    place = header.get("map info", "").strip("{}").split(",")[3:7]
    lines.append("place " + " ".join(repr(float(v)) for v in place))
    lines += [f"band {b + 1} {sha(data[b * length : (b + 1) * length])}" for b in range(bands)]
    return lines + [f"table {attribute_table(path)}"]


def decode_gdal(path):
    """Any raster, overviews and all, by GDAL's bindings."""
    try:
        from osgeo import gdal
    except ImportError:
        raise NeedsGdal from None
    gdal.UseExceptions()
    opened = gdal.Open(str(path))
    bands = [opened.GetRasterBand(b + 1) for b in range(opened.RasterCount)]
    lines = raster_lines(
        gdal.GetDataTypeName(bands[0].DataType),
        opened.RasterXSize,
        opened.RasterYSize,
        opened.GetGeoTransform(),
        bands[0].GetNoDataValue(),
        opened.GetMetadata().items(),
        [bytes(band.ReadRaster()) for band in bands],
        attribute_table(path),
    )
    for band in bands:
        for i in range(band.GetOverviewCount()):
            smaller = band.GetOverview(i)
            lines.append(
                f"overview {smaller.XSize}x{smaller.YSize} {sha(bytes(smaller.ReadRaster()))}"
            )
    return lines


def decode_mesh(path):
    """A NetCDF mesh: every variable's values."""
    try:
        from osgeo import gdal
    except ImportError:
        raise NeedsGdal from None
    gdal.UseExceptions()
    opened = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    group = opened.GetRootGroup()
    lines = []
    for name in sorted(group.GetMDArrayNames()):
        array = group.OpenMDArray(name)
        shape = [d.GetSize() for d in array.GetDimensions()]
        lines.append(f"array {name} {shape} {sha(bytes(array.Read())) if shape else ''}")
    return lines


# ------------------------------------------------------------------------------------------------------------ vectors

LATER = "value"  # a column that tables did not have when the digests were recorded


def without_later(rows):
    """Rows of lists, the first with the columns' names."""
    left_out = rows[0].index(LATER) if LATER in rows[0] else len(rows[0])
    return [row[:left_out] + row[left_out + 1 :] for row in rows]


def decode_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = without_later(list(csv.reader(file)))
    return [f"columns {rows[0]}", f"rows {len(rows) - 1} {sha(json.dumps(rows[1:]).encode())}"]


def decode_geojson(path):
    features = json.loads(path.read_text())["features"]
    for feature in features:
        feature["properties"].pop(LATER, None)
    return [
        f"features {len(features)} {sha(json.dumps([[f['properties'], f['geometry']] for f in features]).encode())}"
    ]


def geopackage_value(v):
    """Geometries begin with GP, version, flags and the number of a system: -1 and 0 are both none."""
    if not isinstance(v, bytes):
        return v
    return (v[:4] + bytes(4) + v[8:] if v[:2] == b"GP" and v[4:8] == b"\xff" * 4 else v).hex()


def decode_geopackage(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as opened:
        lines = []
        for (name,) in opened.execute("SELECT table_name FROM gpkg_contents ORDER BY table_name"):
            cursor = opened.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
            names, *rows = without_later(
                [
                    [c[0] for c in cursor.description],
                    *([geopackage_value(v) for v in row] for row in cursor),
                ]
            )
            lines += [f"layer {name} {names}", f"rows {len(rows)} {sha(json.dumps(rows).encode())}"]
    opened.close()
    return lines


def decode_features(path):
    """Any vector format, by GDAL's bindings: well-known binary holds all bits of the coordinates."""
    try:
        from osgeo import ogr
    except ImportError:
        raise NeedsGdal from None
    ogr.UseExceptions()
    opened = ogr.Open(str(path))
    rows = []
    for feature in opened.GetLayer(0):
        geometry = feature.GetGeometryRef()
        items = {name: value for name, value in feature.items().items() if name != LATER}
        rows.append(
            [feature.GetFID(), items, bytes(geometry.ExportToWkb()).hex() if geometry else None]
        )
    return [f"features {len(rows)} {sha(json.dumps(rows).encode())}"]


def decode_bytes(path):
    return [f"bytes {sha(path.read_bytes())}"]


READERS = {
    ".tif": decode_tiff,
    ".bin": decode_envi,
    ".nc": decode_mesh,
    ".csv": decode_csv,
    ".geojson": decode_geojson,
    ".gpkg": decode_geopackage,
    ".fgb": decode_features,
    ".npy": decode_bytes,
    ".txt": decode_bytes,
}


def decode(path):
    """Lines with everything in one output; NeedsGdal."""
    return READERS[path.suffix](path)
