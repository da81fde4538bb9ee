"""gpuvoronoi for QGIS: a Processing provider over the gpuvoronoi command."""


def classFactory(iface):
    from .plugin import GpuvoronoiPlugin

    return GpuvoronoiPlugin(iface)
