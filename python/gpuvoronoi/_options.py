"""The keyword arguments that functions of rasters share, for type checkers and editors. `rasters.RasterRequest` takes them."""

from __future__ import annotations

from typing import Any, Optional, TypedDict

from ._library import Progress


class RasterOptions(TypedDict, total=False):
    like: Any
    shape: Any
    extent: Any
    level: Any
    crs: Any
    metric: Optional[str]
    k: int
    max_distance: float
    mask: Any
    weights: Any
    weighting: Optional[str]
    seeds_crs: Any
    x: Optional[str]
    y: Optional[str]
    backend: str
    device: Optional[int]
    workers: int
    progress: Progress
    target_values: Any
    distance_metric: Optional[str]
    skip_invalid: bool
    transform: Any
    cells: Any
    edges: str
    boundary: bool
    barriers: Any
