"""
Files of as many kinds as this machine's GDAL can write, in every place where the command reads one. Each is right, by brute force on what was
written, or is refused with one clear line.
"""

import csv
import dataclasses

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from conftest import crs

# ----------------------------------------------------------------------------------------------------------- the table


@dataclasses.dataclass
class Kind:
    """How a file is made: by a driver, with this ending, of this type and nodata ..."""

    driver: str
    ending: str
    type: str = ""
    nodata: object = None
    epsg: object = 32633
    same: bool = True  # the driver keeps values and nodata
    transform: tuple = ()
    options: tuple = ()
    size: tuple = (12, 10)
    bands: int = 1
    change: object = None  # of the dataset or the values, before or after they are written
    layer: str = ""


# The places, and the options of rasters there; layers are --seeds and --reference, and their polygons a mask.
PLACES = {
    "seeds": "--seeds-raster",
    "like": "--like",
    "mask": "--mask",
    "sum": "--sum",
    "extent": "--extent-of",
    "search": "--reference-raster",
}
REFUSALS = {
    "T": "OPTION: FILE: missing geotransform",
    "G": "OPTION: FILE: missing geotransform (it has ground control points); convert the raster with gdalwarp",
    "F": "OPTION: FILE: row 1, column 1: unsupported value (2.5); expected integers",
    "H": "OPTION: FILE: row 0, column 0: unsupported value (1.1754943508222875e-38); expected integers",
    "C": "OPTION: FILE: unsupported type: complex numbers; expected integers",
    "X": "OPTION: FILE: unsupported type: complex numbers; expected integers or real numbers",
    "V": "OPTION: cannot read FILE as a raster: `FILE' not recognized as a supported file format",
    "N": "OPTION: POLYGONS: missing geometries; expected a raster or polygons",
    "P": "OPTION: POLYGONS: missing polygons",
    "L": "FILE: --queries: unsupported array; lines and polygons are searched with points of a layer",
}
LEFT_OUT = {
    "files in memory": ["MEM", "Memory"],
    "services and databases": [
        "WMS",
        "WMTS",
        "PostGISRaster",
        "NGW",
        "GNMFile",
        "GNMDatabase",
        "MSSQLSpatial",
        "PostgreSQL",
        "MySQL",
        "Elasticsearch",
        "Carto",
        "AmigoCloud",
    ],
    "written, but not read": ["PGDUMP", "GMLAS", "BYN", "Leveller"],
    "not points in a table of their own": [
        "S57",
        "WAsP",
        "Interlis 1",
        "Interlis 2",
        "Selafin",
        "VDV",
    ],
    "rounded to pixels of tiles": ["MVT"],
    "made by another program": ["GPSBabel"],
}

MOON = "+proj=eqc +R=1737400 +units=m"


def fractions(dataset, values):
    values[1, 1] = 2.5


def nodata_beyond(dataset, values):
    """Which the type cannot hold: no cell has it."""
    dataset.GetRasterBand(1).SetNoDataValue(-999)


def with_mask(dataset, values):
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.full(values.shape, 255)
    mask[4, 9] = mask[0, 0] = 0
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)


def with_scale(dataset, values):
    """Seeds have values as they are stored; masks and sums what they mean."""
    dataset.GetRasterBand(1).SetScale(0.1)
    dataset.GetRasterBand(1).SetOffset(5)


def with_control_points(dataset, values):
    dataset.SetGCPs(
        [
            gdal.GCP(500000 + 1000 * x, 5200000 - 1000 * y, 0, x, y)
            for x, y in ((0, 0), (12, 0), (0, 10))
        ],
        crs(32633).ExportToWkt(),
    )


def one_bit(dataset, values):
    values[values != 0] = 1
    dataset.GetRasterBand(1).SetMetadataItem("NBITS", "1", "IMAGE_STRUCTURE")


# A kind's places are those of PLACES, in their order: seeds, like, mask, sum, extent, search.
#   =  right, by brute force       .  there is no such file       a letter: refused, with that line of REFUSALS
RASTERS = {
    "GTiff": (Kind("GTiff", "tif", "Int16", -999), "= = = = = ="),
    "COG": (Kind("COG", "tif", "Int16", -999), "= = = = = ="),
    "VRT": (Kind("VRT", "vrt", "Int16", -999), "= = = = = ="),
    "NITF": (Kind("NITF", "ntf", "Int16", -999), "= = = = = ="),
    "HFA": (Kind("HFA", "img", "Int16", -999), "= = = = = ="),
    "ELAS": (Kind("ELAS", "els", "Float32", -999), "= = = = = ="),
    "AAIGrid": (Kind("AAIGrid", "asc", "Int16", -999), "= = = = = ="),
    "DTED": (
        Kind(
            "DTED",
            "dt0",
            "Int16",
            -32767,
            epsg=4326,
            size=(121, 121),
            transform=(10 - 0.5 / 120, 1 / 120, 0, 48 + 0.5 / 120, 0, -1 / 120),
        ),
        "= = = = = =",
    ),
    "PNG": (Kind("PNG", "png", "Byte", 255), "= = = = = ="),
    "JPEG": (Kind("JPEG", "jpg", "Byte", 255, same=False), "= = = = = ="),
    "GIF": (Kind("GIF", "gif", "Byte", 255), "= = = = = ="),
    "FITS": (Kind("FITS", "fits", "Int16", -999), "= = = = = ="),
    "XPM": (Kind("XPM", "xpm", "Byte", 255, same=False), "= = = = = ="),
    "BMP": (Kind("BMP", "bmp", "Byte", 255), "= = = = = ="),
    "PCIDSK": (Kind("PCIDSK", "pix", "Int16", -999), "= = = = = ="),
    "PCRaster": (Kind("PCRaster", "map", "Float32", -999, same=False), "= = = = = ="),
    "ILWIS": (Kind("ILWIS", "mpr", "Int16", -999, same=False), "= = = = = ="),
    "SGI": (Kind("SGI", "rgb", "Byte", 255), "= = = = = ="),
    "SRTMHGT": (
        Kind(
            "SRTMHGT",
            "N47E010.hgt",
            "Int16",
            -32768,
            epsg=4326,
            size=(1201, 1201),
            transform=(10 - 0.5 / 1200, 1 / 1200, 0, 48 + 0.5 / 1200, 0, -1 / 1200),
        ),
        "= = = = = =",
    ),
    "Terragen": (
        Kind(
            "Terragen",
            "ter",
            "Float32",
            None,
            same=False,
            options=("MINUSERPIXELVALUE=0", "MAXUSERPIXELVALUE=9"),
        ),
        "= = = = = =",
    ),
    "netCDF": (Kind("netCDF", "nc", "Int16", -999), "= = = = = ="),
    "HDF4Image": (Kind("HDF4Image", "hdf", "Int16", -999), "= = = = = ="),
    "ISIS3": (Kind("ISIS3", "cub", "Int16", -32768, epsg=MOON), "= = = = = ="),
    "ISIS2": (Kind("ISIS2", "cub", "Int16", -999), "= = = = = ="),
    "PDS4": (Kind("PDS4", "xml", "Int16", -999, epsg=MOON), "= = = = = ="),
    "VICAR": (Kind("VICAR", "vic", "Int16", None), "T T T T T T"),
    "ERS": (Kind("ERS", "ers", "Int16", -999), "= = = = = ="),
    "JP2OpenJPEG": (
        Kind("JP2OpenJPEG", "jp2", "Int16", -999, options=("QUALITY=100", "REVERSIBLE=YES")),
        "= = = = = =",
    ),
    "FIT": (Kind("FIT", "fit", "Int16", -999), "= = = = = ="),
    "GRIB": (Kind("GRIB", "grb2", "Float32", 9999), "= = = = = ="),
    "RMF": (Kind("RMF", "mtw", "Int16", -999, options=("MTW=YES",)), "= = = = = ="),
    "RST": (Kind("RST", "rst", "Int16", -999), "= = = = = ="),
    "GSAG": (Kind("GSAG", "grd", "Int16", -999, same=False), "= = = = = ="),
    "GSBG": (Kind("GSBG", "grd", "Int16", -999, same=False), "= = = = = ="),
    "GS7BG": (Kind("GS7BG", "grd", "Int16", -999, same=False), "= = = = = ="),
    "R": (Kind("R", "rda", "Float32", -999), "= = = = = ="),
    "KMLSUPEROVERLAY": (
        Kind("KMLSUPEROVERLAY", "kml", "Byte", None, epsg=4326, same=False),
        "= = = = = =",
    ),
    "WEBP": (Kind("WEBP", "webp", "Byte", None, bands=3, options=("LOSSLESS=YES",)), "= = = = = ="),
    "PDF": (Kind("PDF", "pdf", "Byte", None, same=False), "= = = = = ="),
    "Rasterlite": (Kind("Rasterlite", "sqlite", "Int16", None), "= = = = = ="),
    "MBTiles": (Kind("MBTiles", "mbtiles", "Byte", None, same=False), "= = = = = ="),
    "CALS": (Kind("CALS", "cal", "Byte", None, same=False, change=one_bit), "T T T T T T"),
    "MRF": (Kind("MRF", "mrf", "Int16", -999), "= = = = = ="),
    "PNM": (Kind("PNM", "pgm", "Byte", 255), "T T T T T T"),
    "PAux": (Kind("PAux", "raw", "Int16", -999), "= = = = = ="),
    "MFF": (Kind("MFF", "hdr", "Float32", -999), "= = = = = ="),
    "MFF2": (Kind("MFF2", "mff", "Int16", -999), "= = = = = ="),
    "BT": (Kind("BT", "bt", "Int16", -999), "= = = = = ="),
    "LAN": (Kind("LAN", "lan", "Int16", -999), "= = = = = ="),
    "LCP": (Kind("LCP", "lcp", "Int16", None, bands=5, same=False), "= = = = = ="),
    "GTX": (Kind("GTX", "gtx", "Float32", -88.8888, epsg=4326, same=False), "= = = = = ="),
    "NTv2": (Kind("NTv2", "gsb", "Float32", None, epsg=4326, bands=4), "= = = = = ="),
    "CTable2": (
        Kind("CTable2", "lla", "Float32", None, epsg=4326, bands=2, same=False),
        "= = = = = =",
    ),
    "KRO": (Kind("KRO", "kro", "Float32", -999), "= = = = = ="),
    "ROI_PAC": (Kind("ROI_PAC", "dem", "Int16", None), "= = = = = ="),
    "RRASTER": (Kind("RRASTER", "grd", "Int16", -999), "= = = = = ="),
    "ARG": (Kind("ARG", "arg", "Int16", -32768, same=False), "= = = = = ="),
    "USGSDEM": (Kind("USGSDEM", "dem", "Int16", -32767, same=False), "= = = = = ="),
    "BAG": (Kind("BAG", "bag", "Float32", 1000000), "= = = = = ="),
    "NWT_GRD": (Kind("NWT_GRD", "grd", "Float32", -999, same=False), "= = = = = ="),
    "ADRG": (
        Kind("ADRG", "ABCDEF01.GEN", "Byte", None, epsg=4326, bands=3, same=False, size=(128, 128)),
        "= = = = = =",
    ),
    "BLX": (
        Kind("BLX", "blx", "Int16", -32768, epsg=4326, size=(128, 128), same=False),
        "= = = = = =",
    ),
    "SAGA": (Kind("SAGA", "sdat", "Int16", -999), "= = = = = ="),
    "XYZ": (Kind("XYZ", "xyz", "Int16", None), "= = = = = ="),
    "HF2": (Kind("HF2", "hf2", "Float32", None, same=False), "H = = = = H"),
    "ZMap": (Kind("ZMap", "dat", "Float32", -999), "= = = = = ="),
    "SIGDEM": (Kind("SIGDEM", "sigdem", "Float32", -9999), "= = = = = ="),
    "GPKG": (Kind("GPKG", "gpkg", "Int16", -32768), "= = = = = ="),
    "ENVI": (Kind("ENVI", "envi", "Int16", -999), "= = = = = ="),
    "EHdr": (Kind("EHdr", "bil", "Int16", -999), "= = = = = ="),
    "ISCE": (Kind("ISCE", "isce", "Int16", -999), "= = = = = ="),
    "Zarr": (Kind("Zarr", "zarr", "Int16", -999), "= = = = = ="),
    "GTiff of signed bytes": (
        Kind("GTiff", "tif", "Byte", -1, options=("PIXELTYPE=SIGNEDBYTE",)),
        "= = = = = =",
    ),
    "netCDF of signed bytes": (
        Kind("netCDF", "nc", "Byte", -1, options=("PIXELTYPE=SIGNEDBYTE",)),
        "= = = = = =",
    ),
    "GTiff of Int64": (Kind("GTiff", "tif", "Int64", -(2**62)), "= = = = = ="),
    "GTiff with nodata NaN": (Kind("GTiff", "tif", "Float64", float("nan")), "= = = = = ="),
    "GTiff with nodata beyond": (
        Kind("GTiff", "tif", "Byte", None, change=nodata_beyond),
        "= = = = = =",
    ),
    "GTiff of fractions": (Kind("GTiff", "tif", "Float32", -999, change=fractions), "F = = = = F"),
    "GTiff of complex numbers": (Kind("GTiff", "tif", "CFloat32", None, same=False), "C = X X = C"),
    "GTiff with a mask": (
        Kind("GTiff", "tif", "Int16", None, change=with_mask, same=False),
        "= = = = = =",
    ),
    "GTiff with a scale": (Kind("GTiff", "tif", "Int16", -999, change=with_scale), "= = = = = ="),
    "GTiff of two bands": (Kind("GTiff", "tif", "Int16", -999, bands=2), "= = = = = ="),
    "GTiff without a system": (Kind("GTiff", "tif", "Int16", -999, epsg=None), "= = = = = ="),
    "GTiff in a local system": (
        Kind("GTiff", "tif", "Int16", -999, epsg='LOCAL_CS["site",UNIT["metre",1]]'),
        "= = = = = =",
    ),
    "GTiff in degrees": (Kind("GTiff", "tif", "Int16", -999, epsg=4326), "= = = = = ="),
    "GTiff beyond 180": (
        Kind("GTiff", "tif", "Int16", -999, epsg=4326, transform=(355, 1, 0, 50, 0, -1)),
        "= = = = = =",
    ),
    "GTiff south up": (
        Kind("GTiff", "tif", "Int16", -999, transform=(500000, 1000, 0, 5200000, 0, 1000)),
        "= = = = = =",
    ),
    "GTiff east to west": (
        Kind("GTiff", "tif", "Int16", -999, transform=(500000, -1000, 0, 5200000, 0, -1000)),
        "= = = = = =",
    ),
    "GTiff rotated": (
        Kind("GTiff", "tif", "Int16", -999, transform=(500000, 800, 600, 5200000, 600, -800)),
        "= = = = = =",
    ),
    "GTiff with control points": (
        Kind("GTiff", "tif", "Int16", -999, change=with_control_points, transform=None),
        "G G G G G G",
    ),
}

LAYERS = {
    "ESRI Shapefile": (Kind("ESRI Shapefile", "shp"), "= V = V = ="),
    "zipped Shapefile": (Kind("ESRI Shapefile", "shz"), "= V = V = ="),
    "Shapefile without .prj": (Kind("ESRI Shapefile", "shp", epsg=None), "= V = V = ="),
    "MapInfo File": (Kind("MapInfo File", "tab"), "= V = V = ="),
    "MapInfo MIF": (Kind("MapInfo File", "mif"), "= V = V = ="),
    "CSV": (Kind("CSV", "csv", options=("GEOMETRY=AS_WKT", "CREATE_CSVT=YES")), "= V = V = ="),
    "CSV of columns": (Kind("CSV", "csv", type="table"), "= V N V = ="),
    "GML": (Kind("GML", "gml"), "= V = V = ="),
    "GPX": (Kind("GPX", "gpx", type="fixed", layer="waypoints"), "= V . V = ="),
    "LIBKML": (Kind("LIBKML", "kmz"), "= V = V = ="),
    "KML": (Kind("KML", "kml"), "= V = V = ="),
    "GeoJSON": (Kind("GeoJSON", "geojson"), "= V = V = ="),
    "GeoJSONSeq": (Kind("GeoJSONSeq", "geojsonl"), "= V = V = ="),
    "OGR_GMT": (Kind("OGR_GMT", "gmt"), "= V = V = ="),
    "GPKG": (Kind("GPKG", "gpkg"), "= V = V = ="),
    "SQLite": (Kind("SQLite", "sqlite"), "= V = V = ="),
    "OpenFileGDB": (Kind("OpenFileGDB", "gdb"), "= V = V = ="),
    "DXF": (Kind("DXF", "dxf", type="fixed"), "= V = V = ="),
    "FlatGeobuf": (Kind("FlatGeobuf", "fgb"), "= V = V = ="),
    "Geoconcept": (Kind("Geoconcept", "gxt"), "= V = V = ="),
    "GeoRSS": (Kind("GeoRSS", "rss", type="fixed"), "= V = V = ="),
    "ODS": (Kind("ODS", "ods", type="table"), "= V N V = ="),
    "XLSX": (Kind("XLSX", "xlsx", type="table"), "= V N V = ="),
    "JML": (Kind("JML", "jml"), "= V = V = ="),
    "MapML": (Kind("MapML", "mapml"), "= V = V = ="),
    "netCDF": (Kind("netCDF", "nc"), "= V = V = ="),
    "PDS4": (Kind("PDS4", "xml"), "= V = V = ="),
    "PCIDSK": (Kind("PCIDSK", "pix"), "= V P V = ="),
    "DGN": (Kind("DGN", "dgn", type="fixed"), "= V = V = L"),
}


# ---------------------------------------------------------------------------------------------------- writing files

HOLES = [(2, 3), (7, 8), (9, 0)]
VALUES = {(1, 1): 3, (4, 9): 1, (8, 2): 7, (5, 5): 9, (0, 11): 4, (9, 7): 2}


def make_raster(path, kind):
    """By CreateCopy, where the driver has it; gives what was written."""
    values = np.zeros(kind.size[::-1])
    for place, value in VALUES.items():
        values[place] = value
    for place in HOLES if kind.nodata is not None else []:
        values[place] = kind.nodata
    maker, type_ = gdal.GetDriverByName(kind.driver), gdal.GetDataTypeByName(kind.type)
    copies = maker.GetMetadataItem("DCAP_CREATECOPY") == "YES" and not any(
        one.startswith("PIXELTYPE") for one in kind.options
    )
    if kind.driver == "VRT":  # a copy of a file
        path, end = path[:-3] + "tif", path
        maker = gdal.GetDriverByName("GTiff")
    made = (
        gdal.GetDriverByName("MEM").Create("", *kind.size, kind.bands, type_)
        if copies
        else maker.Create(path, *kind.size, kind.bands, type_, list(kind.options))
    )
    degrees = (10.0, 0.25, 0.0, 50.0, 0.0, -0.25)
    if kind.transform is not None:
        made.SetGeoTransform(
            kind.transform
            or (degrees if kind.epsg == 4326 else (500000.0, 1000.0, 0.0, 5200000.0, 0.0, -1000.0))
        )
    if kind.epsg:
        made.SetProjection(crs(kind.epsg).ExportToWkt())
    if kind.change is not None:
        kind.change(made, values)
    for band in range(1, kind.bands + 1):
        if kind.nodata is not None:
            made.GetRasterBand(band).SetNoDataValue(kind.nodata)
        stored = (
            values.astype(np.int8).view(np.uint8)
            if "PIXELTYPE=SIGNEDBYTE" in kind.options
            else values
        )
        made.GetRasterBand(band).WriteArray(stored)
    if copies:
        maker.CreateCopy(path, made, options=list(kind.options))
    made = None
    if kind.driver == "VRT":
        gdal.Translate(end, path)
    return values


# ------------------------------------------------------------------------------------------------------- brute force


class Raster:
    """A raster as GDAL reads it: its cells' centers and values."""

    def __init__(self, path):
        dataset = gdal.Open(path)
        band = dataset.GetRasterBand(1)
        self.width, self.height = dataset.RasterXSize, dataset.RasterYSize
        self.transform = dataset.GetGeoTransform(can_return_null=True)
        self.system = dataset.GetSpatialRef()
        self.values, self.valid = band.ReadAsArray(), band.GetMaskBand().ReadAsArray() != 0
        if (
            band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE"
        ):  # GDAL before 3.7 reads another number
            self.values = self.values.view(np.int8)
            self.valid = self.values != band.GetNoDataValue()
        if not np.iscomplexobj(self.values):
            self.values = self.values.astype(np.float64)
        self.valid &= ~np.isnan(self.values)
        self.scaled = self.values * (band.GetScale() or 1.0) + (band.GetOffset() or 0.0)
        self.globe = self.system is not None and self.system.IsGeographic()

    def places(self, transform=None):
        g = transform or self.transform or (0, 1, 0, 0, 0, 1)
        column, row = np.meshgrid(np.arange(self.width) + 0.5, np.arange(self.height) + 0.5)
        return (g[0] + g[1] * column + g[2] * row).ravel(), (
            g[3] + g[4] * column + g[5] * row
        ).ravel()

    def distances(self, x, y):
        """From each cell to each place."""
        return distances(*self.places(), x, y, self.system if self.globe else None)


def distances(x, y, to_x, to_y, globe=None):
    if globe is None:
        return np.hypot(x[:, None] - to_x, y[:, None] - to_y)
    radius = (2 * globe.GetSemiMajor() + globe.GetSemiMinor()) / 3
    lon, lat, to_lon, to_lat = (
        np.radians(x)[:, None],
        np.radians(y)[:, None],
        np.radians(to_x),
        np.radians(to_y),
    )
    h = (
        np.sin((lat - to_lat) / 2) ** 2
        + np.cos(lat) * np.cos(to_lat) * np.sin((lon - to_lon) / 2) ** 2
    )
    return 2 * radius * np.arcsin(np.sqrt(h))


def same_system(one, other, x, y):
    """Whether both mean the same places, whatever they are called."""
    if one is None or other is None:
        return one is other
    for system in one, other:
        system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    if one.IsSame(other) or not (one.IsProjected() or one.IsGeographic()):
        return True
    to = osr.CoordinateTransformation(one, other)
    return np.allclose(
        [to.TransformPoint(*place)[:2] for place in zip(x.tolist(), y.tolist())],
        np.column_stack([x, y]),
        rtol=1e-9,
    )


def is_least(found, all_, least=None):
    """Whether the numbers of the nearest are right; there are no ties but of rounding."""
    least = all_.min(axis=1) if least is None else least
    return np.allclose(all_[np.arange(len(found)), found], least, rtol=1e-9, atol=0)


# -------------------------------------------------------------------------------------------------------- interfaces

SPOTS = [(0.13, 0.21), (0.71, 0.83), (0.9, 0.07)]  # seeds, in parts of a raster's width and height


class Refused(Exception):
    pass


class Runs:
    """A folder with one file, and the command on it."""

    def __init__(self, work, name, polygons="POLYGONS"):
        self.work, self.name, self.polygons = work, name, polygons

    def run(self, *arguments):
        done = self.work.run(*arguments, "--overwrite")
        if done.returncode != 0:
            lines = done.stderr.splitlines()
            assert (
                done.returncode == 1
                and len(lines) == 1
                and lines[0].startswith("gpuvoronoi: error: ")
            ), done.stderr
            raise Refused(
                lines[0]
                .removeprefix("gpuvoronoi: error: ")
                .replace(self.polygons, "POLYGONS")
                .replace(self.name, "FILE")
            )
        return done


def metric(globe):
    return ["--metric", "great-circle" if globe else "euclidean"]


class OfRaster(Runs):
    def __init__(self, work, name):
        super().__init__(work, name)
        self.raster = Raster(str(work.path(name)))
        g = self.raster.transform or (0, 1, 0, 0, 0, 1)
        x, y = (
            np.add.outer(
                g[3 * i + 1] * np.array([0, self.raster.width]),
                g[3 * i + 2] * np.array([0, self.raster.height]),
            )
            + g[3 * i]
            for i in (0, 1)
        )
        self.box = [x.min(), y.min(), x.max(), y.max()]
        self.x = np.array([self.box[0] + (self.box[2] - self.box[0]) * a for a, _ in SPOTS])
        self.y = np.array([self.box[1] + (self.box[3] - self.box[1]) * b for _, b in SPOTS])
        work.csv("s.csv", self.x, self.y, header="x,y")
        self.system = [] if self.raster.system is None else [self.raster.system.ExportToWkt()]
        self.spots = [
            "--seeds",
            "s.csv",
            *sum((["--seeds-crs", one] for one in self.system), []),
            *metric(self.raster.globe),
        ]
        self.upright = abs(g[2]) + abs(g[4]) < 1e-9 * (abs(g[1]) + abs(g[5]))
        self.size = ["--size", f"{self.raster.width},{self.raster.height}"]
        self.grid = (
            [f"--extent={','.join(map(repr, map(float, self.box)))}", *self.size]
            if self.upright
            else ["--like", name]
        )

    def out(self, name):
        """An output as the file's cells, and whether its grid is the file's."""
        found = Raster(str(self.work.path(name)))
        return found.values.ravel(), found

    def seeds(self):
        r = self.raster
        self.run("--seeds-raster", self.name, *metric(r.globe), "--distance", "d.tif", "o.tif")
        counts = r.valid.ravel() & (r.values.ravel() != 0)
        x, y = r.places()
        all_ = r.distances(x[counts], y[counts])
        distance, grid = self.out("d.tif")
        assert np.allclose(grid.transform, r.transform, rtol=1e-12) and (
            grid.width,
            grid.height,
        ) == (r.width, r.height)
        np.testing.assert_allclose(distance, all_.min(axis=1), rtol=1e-6, atol=1e-6)
        value, _ = self.out("o.tif")
        near = np.isclose(all_, all_.min(axis=1)[:, None], rtol=1e-9, atol=1e-9)
        assert ((value[:, None] == r.values.ravel()[counts]) & near).any(axis=1).all()

    def nearest(self, *options):
        self.run(*self.spots, *options, "--distance", "d.tif", "o.tif")
        found, grid = self.out("o.tif")
        return found.astype(int), grid

    def like(self):
        r = self.raster
        found, grid = self.nearest("--like", self.name)
        assert np.allclose(grid.transform, r.transform, rtol=1e-12) and (
            grid.width,
            grid.height,
        ) == (r.width, r.height)
        assert is_least(found - 1, r.distances(self.x, self.y))
        assert same_system(grid.system, r.system, self.x, self.y)

    def north_up(self, values):
        """The file's values as those of a grid of its box."""
        g = self.raster.transform
        return values[
            :: 1 if g[5] < 0 or not self.upright else -1,
            :: 1 if g[1] > 0 or not self.upright else -1,
        ].ravel()

    def together(self):
        """Mask, sum and extent in one run; if that fails each is run alone."""
        if self.upright:
            self.check_mask(
                *self.nearest(
                    "--extent-of",
                    self.name,
                    *self.size,
                    "--mask",
                    self.name,
                    "--stats",
                    "t.csv",
                    "--sum",
                    f"v={self.name}",
                )
            )
            self.check_sum()
            self.check_extent(self.raster.width, self.raster.height)
        return ["mask", "sum", "extent"] if self.upright else []

    def mask(self):
        self.check_mask(*self.nearest(*self.grid, "--mask", self.name))

    def check_mask(self, found, grid):
        r = self.raster
        kept = self.north_up(r.valid & (r.scaled != 0))
        assert np.array_equal(found != -1, kept)
        x, y = grid.places()
        assert is_least(
            found[kept] - 1,
            distances(x[kept], y[kept], self.x, self.y, r.system if r.globe else None),
        )

    def sum(self):
        self.run(*self.spots, *self.grid, "--stats", "t.csv", "--sum", f"v={self.name}", "o.tif")
        self.check_sum()

    def check_sum(self):
        r = self.raster
        near, counts = (
            r.distances(self.x, self.y).argmin(axis=1),
            np.where(r.valid, r.scaled, 0).ravel(),
        )
        with open(self.work.path("t.csv"), encoding="utf-8") as rows:
            sums = {int(row["id"]): float(row["v_sum"]) for row in csv.DictReader(rows)}
        for seed in range(len(SPOTS)):
            assert sums[seed + 1] == pytest.approx(counts[near == seed].sum(), rel=1e-9, abs=1e-9)

    def extent(self):
        self.run(*self.spots, "--extent-of", self.name, "--size", "8,8", "o.tif")
        self.check_extent(8, 8)

    def check_extent(self, width, height):
        g = Raster(str(self.work.path("o.tif"))).transform
        assert np.allclose(
            [g[0], g[3] + height * g[5], g[0] + width * g[1], g[3]], self.box, rtol=1e-12, atol=0
        )

    def search(self):
        r = self.raster
        queries = ["--queries", "s.csv", *sum((["--query-crs", one] for one in self.system), [])]
        self.run(
            "search",
            "--reference-raster",
            self.name,
            *queries,
            "--metric",
            "great-circle" if r.globe else "l2",
            "n.npy",
        )
        counts, (x, y) = r.valid.ravel() & (r.values.ravel() != 0), r.places()
        all_ = distances(self.x, self.y, x, y, r.system if r.globe else None)
        all_[:, ~counts] = np.inf
        assert is_least(np.load(self.work.path("n.npy"))[:, 0], all_)


# ------------------------------------------------------------------------------------------------------------ layers

POINTS = [(10.5, 48.1), (11.9, 49.3), (12.7, 47.9), (13.25, 49.8)]
POLYGON = (10.6, 47.6, 12.4, 49.2)
GRID = ["--extent=10,47,14,50", "--size", "16,12"]


def make_layer(path, kind, polygons=False):
    """Points with a number, or one polygon; of drivers of tables points by two columns."""
    made = gdal.GetDriverByName(kind.driver).Create(path, 0, 0, 0, gdal.GDT_Unknown, [])
    columns = kind.type == "table"
    layer = made.CreateLayer(
        "places",
        crs(4326) if kind.epsg else None,
        ogr.wkbNone if columns else ogr.wkbPolygon if polygons else ogr.wkbPoint,
        list(kind.options),
    )
    fields = ["lon", "lat"] if columns else ["number"] if kind.type == "" else []
    for field in fields:
        layer.CreateField(ogr.FieldDefn(field, ogr.OFTReal if columns else ogr.OFTInteger))
    w, s, e, n = POLYGON
    wkt = (
        [f"POLYGON (({w} {s}, {e} {s}, {e} {n}, {w} {n}, {w} {s}))"]
        if polygons
        else [f"POINT ({x} {y})" for x, y in POINTS]
    )
    for i, text in enumerate(wkt):
        feature = ogr.Feature(layer.GetLayerDefn())
        for field, value in zip(fields, POINTS[i] if columns else [i]):
            feature[field] = value
        if not columns:
            feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        layer.CreateFeature(feature)
    feature = layer = made = None


class OfLayer(Runs):
    """A layer of POINTS; `mask` has one of POLYGON."""

    def __init__(self, work, name, polygons, layer=""):
        super().__init__(work, name, polygons)
        self.layer = layer
        dataset = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
        found = dataset.GetLayerByName(layer) if layer else dataset.GetLayer(0)
        system, features = found.GetSpatialRef(), list(found)
        table = found.GetGeomType() == ogr.wkbNone
        places = [
            (float(one["lon"]), float(one["lat"])) if table else one.geometry().GetPoint_2D(0)
            for one in features
        ]
        rows = [int(np.hypot(*(np.array(POINTS) - place).T).argmin()) for place in places]
        assert sorted(rows) == list(range(len(POINTS))) and np.allclose(
            np.array(POINTS)[rows], places, rtol=0, atol=1e-6
        )
        self.x, self.y = np.array(POINTS)[rows].T
        self.fids, self.globe = [one.GetFID() for one in features], crs(4326) if table else system
        lonlat = self.globe is not None
        self.metric, self.exact = metric(lonlat), np.array_equal(np.array(POINTS)[rows], places)
        work.csv("s.csv", [11.0, 13.0], [48.0, 49.0], header="lon,lat" if lonlat else "x,y")

    def options(self, name="--layer"):
        return [name, self.layer] if self.layer else []

    def seeds(self):
        self.run(
            "--seeds",
            self.name,
            *self.options(),
            *GRID,
            *self.metric,
            "--distance",
            "d.tif",
            "o.tif",
        )
        ids, far = Raster(str(self.work.path("o.tif"))), Raster(str(self.work.path("d.tif")))
        all_ = distances(*ids.places(), self.x, self.y, self.globe)
        assert is_least(np.array([self.fids.index(one) for one in ids.values.ravel()]), all_)
        np.testing.assert_allclose(
            far.values.ravel(), all_.min(axis=1), rtol=1e-6 if self.exact else 1e-5
        )

    def together(self):
        return []

    def like(self):
        self.run("--seeds", "s.csv", "--like", self.name, "o.tif")

    def mask(self):
        self.run("--seeds", "s.csv", *GRID, *self.metric, "--mask", self.polygons, "o.tif")
        ids = Raster(str(self.work.path("o.tif")))
        (x, y), (w, s, e, n) = ids.places(), POLYGON
        assert np.array_equal(ids.values.ravel() != -1, (x > w) & (x < e) & (y > s) & (y < n))

    def sum(self):
        self.run("--seeds", "s.csv", *GRID, "--stats", "t.csv", "--sum", f"v={self.name}", "o.tif")

    def extent(self):
        self.run(
            "--seeds",
            "s.csv",
            "--extent-of",
            self.name,
            *self.options("--extent-layer"),
            "--size",
            "8,8",
            "o.tif",
        )
        g = Raster(str(self.work.path("o.tif"))).transform
        box = [self.x.min(), self.y.min(), self.x.max(), self.y.max()]
        assert np.allclose(
            [g[0], g[3] + 8 * g[5], g[0] + 8 * g[1], g[3]],
            box,
            rtol=0,
            atol=1e-9 if self.exact else 1e-6,
        )

    def search(self):
        self.run(
            "search",
            "--reference",
            self.name,
            *self.options(),
            "--queries",
            "s.csv",
            "--metric",
            "great-circle" if self.globe else "l2",
            "n.npy",
        )
        x, y = np.array([11.0, 13.0]), np.array([48.0, 49.0])
        assert is_least(
            np.load(self.work.path("n.npy"))[:, 0], distances(x, y, self.x, self.y, self.globe)
        )


# -------------------------------------------------------------------------------------------------------------- tests


def outcome(runs, place):
    try:
        getattr(runs, place)()
        return "="
    except Refused as refused:
        return str(refused)


def check(runs, cells, skip=()):
    try:
        done = runs.together()
    except Refused:
        done = []
    found = {
        place: "." if place in skip else "=" if place in done else outcome(runs, place)
        for place in PLACES
    }
    expected = {
        place: REFUSALS.get(cell, cell).replace("OPTION", PLACES[place])
        for place, cell in zip(PLACES, cells.split())
    }
    assert found == expected


def maker(kind):
    if gdal.GetDriverByName(kind.driver) is None:
        pytest.skip(f"this GDAL has no driver {kind.driver}")


@pytest.mark.parametrize("name", RASTERS)
def test_rasters(work, name):
    kind, cells = RASTERS[name]
    maker(kind)
    file = kind.ending if "." in kind.ending else f"file.{kind.ending}"
    values = make_raster(str(work.path(file)), kind)
    runs = OfRaster(work, file)
    if kind.same:
        there = np.isfinite(values) & (values != (np.inf if kind.nodata is None else kind.nodata))
        assert np.array_equal(runs.raster.valid, there) and np.array_equal(
            runs.raster.values[there], values[there]
        )
    check(runs, cells)


@pytest.mark.parametrize("name", LAYERS)
def test_layers(work, name):
    kind, cells = LAYERS[name]
    maker(kind)
    file, polygons = f"file.{kind.ending}", f"polygons.{kind.ending}"
    make_layer(str(work.path(file)), kind)
    without = cells.split()[list(PLACES).index("mask")] == "."
    if not without:
        make_layer(str(work.path(polygons)), kind, polygons=True)
    check(OfLayer(work, file, polygons, kind.layer), cells, ["mask"] if without else [])


def test_the_table_has_all_drivers():
    """Those of this GDAL that can write, or why they are not in it."""
    if not gdal.__version__.startswith("3.6."):
        pytest.skip("the table is of GDAL 3.6")
    drivers = [gdal.GetDriver(i) for i in range(gdal.GetDriverCount())]
    can = {
        one.ShortName
        for one in drivers
        if "YES" in (one.GetMetadataItem("DCAP_CREATE"), one.GetMetadataItem("DCAP_CREATECOPY"))
    }
    told = {kind.driver for kind, _ in [*RASTERS.values(), *LAYERS.values()]}
    left_out = set(sum(LEFT_OUT.values(), []))
    assert not told & left_out and can <= told | left_out
