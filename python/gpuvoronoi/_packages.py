"""Other packages, which only some functions need: what is said where one is missing."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {"sklearn": "scikit-learn"}  # where pip has another name


def package(module: str, needed_by: str, otherwise: str = "") -> Any:
    """The module, or an ImportError that names the package; `otherwise`: what to do without it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        name = _NAMES.get(top, top)
        raise ImportError(f"{needed_by} needs {name}: `pip install {name}`{otherwise}") from error
