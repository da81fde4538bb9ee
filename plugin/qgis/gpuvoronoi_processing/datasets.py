"""GDAL datasets, without the rest of the plugin."""

from osgeo import gdal


def open_dataset(path, flags=gdal.OF_RASTER, open_options=()):
    """A GDAL dataset, or None: other code of the process decides whether GDAL raises exceptions."""
    try:
        return gdal.OpenEx(path, flags, open_options=list(open_options))
    except RuntimeError:
        return None
