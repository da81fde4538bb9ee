"""The keyword arguments that functions share: for type checkers and editors, and in signatures and
documentation."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, Literal, Optional, Protocol, TypedDict, TypeVar, cast

from ._library import Progress

Described = TypeVar("Described", bound=Callable[..., Any])


GlobeMetric = Literal["geodesic", "great-circle"]
Metric = Literal["geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"]
TreeMetric = Literal["euclidean", "manhattan", "chebyshev", "cosine", "inner_product"]
Edges = Literal["straight", "geodesic"]
Weighting = Literal["unweighted", "multiplicative", "additive", "power"]


class Labeled(Protocol):
    """An xarray object."""

    @property
    def dims(self) -> Any: ...

    @property
    def coords(self) -> Any: ...


class LabeledSet(Labeled, Protocol):
    """A Dataset of xarray."""

    @property
    def data_vars(self) -> Any: ...


class CellOptions(TypedDict, total=False):
    """Those of rasters but `like`."""

    shape: Any
    extent: Any
    level: Any
    crs: Any
    metric: Optional[Metric]
    k: int
    max_distance: float
    mask: Any
    weights: Any
    weighting: Optional[Weighting]
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
    edges: Edges
    boundary: bool
    barriers: Any


class RasterOptions(CellOptions, total=False):
    like: Any


class CostOptions(TypedDict, total=False):
    extent: Any
    transform: Any
    crs: Any
    metric: Optional[Metric]
    moves: int
    max_cost: float
    seeds_crs: Any
    skip_invalid: bool
    x: Optional[str]
    y: Optional[str]
    backend: str
    workers: int
    progress: Progress
    target_values: Any


def with_text(documentation: Optional[str], word: str, text: str) -> str:
    """Documentation with `text` in place of a line that has only the word, indented as it is:
    Python 3.13 removes the source's indent."""
    text = inspect.cleandoc(text)

    def indented(found: re.Match[str]) -> str:
        return re.sub(r"^(?=.)", found[1], text, flags=re.M)

    return re.sub(rf"^([ ]*){word}$", indented, documentation or "", flags=re.M)


def documented(request: Any, text: str) -> Callable[[Described], Described]:
    """Gives functions with `**arguments` the documentation `text` and the signature of these, which
    the class `request` takes."""

    def described(function: Described) -> Described:
        function.__doc__ = with_text(function.__doc__, "ARGUMENTS", text)
        own, shared = (
            inspect.signature(function),
            inspect.signature(request.__init__).parameters.values(),
        )
        named = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
        signature = own.replace(
            parameters=named + [one for one in shared if one.kind is one.KEYWORD_ONLY]
        )

        @functools.wraps(function)
        def checked(*positional: Any, **arguments: Any) -> Any:
            try:
                return function(*positional, **arguments)
            except TypeError as error:
                if "__init__() got an unexpected keyword argument" not in str(error):
                    raise
                text = re.sub(r"(\w+\.)?__init__\(\)", f"{function.__name__}()", str(error))
            raise TypeError(text)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return cast(Described, checked)

    return described
