#!/usr/bin/python3
"""
Writes the public functions and classes of the Python package as sources without code, for the site's Python reference: with the
signatures and docstrings that help() shows, which the package completes when it is imported. The C library is not needed.

    python_sources.py PYTHON OUT    of the package in the folder PYTHON, into the folder OUT
"""

import importlib
import inspect
import math
import pathlib
import sys

MODULES = (
    "gpuvoronoi",
    "gpuvoronoi.arrow",
    "gpuvoronoi.duckdb",
    "gpuvoronoi.xarray",
    "gpuvoronoi.sklearn",
    "gpuvoronoi.qtm",
)


def text_of(value):
    """`value`, a default, as source."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"math.{value}"
    return f"{value.__module__}.{value.__name__}" if isinstance(value, type) else repr(value)


def parameter_source(parameter):
    annotation = parameter.annotation
    text = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
        parameter.kind, ""
    ) + parameter.name
    if annotation is not parameter.empty:
        text += ": " + (
            annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        )
    return (
        text if parameter.default is parameter.empty else f"{text} = {text_of(parameter.default)}"
    )


def function_source(name, function, indent):
    signature = inspect.signature(function)
    parameters, keywords = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            parameters.append("*")
        keywords |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parameters.append(parameter_source(parameter))
    result = signature.return_annotation
    result = (
        ""
        if result is signature.empty
        else f" -> {result if isinstance(result, str) else inspect.formatannotation(result)}"
    )
    return f"{indent}def {name}({', '.join(parameters)}){result}:\n{indent}    {inspect.getdoc(function)!r}\n"


def class_source(name, kind):
    text = f"class {name}:\n    {inspect.getdoc(kind)!r}\n"
    own = [base for base in kind.__mro__ if base.__module__.startswith("gpuvoronoi")]
    methods = {
        key: value
        for base in reversed(own)
        for key, value in vars(base).items()
        if inspect.isfunction(value)
    }
    for key, method in methods.items():
        if key == "__init__" or not key.startswith("_") and inspect.getdoc(method):
            text += function_source(key, method, "    ")
    return text


def module_source(module):
    text = f"{module.__doc__!r}\nimport math\n"
    names = getattr(
        module,
        "__all__",
        [
            name
            for name, value in vars(module).items()
            if inspect.isclass(value) and not name.startswith("_")
        ],
    )
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value) and value.__module__.startswith("gpuvoronoi"):
            text += class_source(name, value)
        elif inspect.isfunction(value):
            text += function_source(name, value, "")
    return text


def main():
    source, out = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(source))
    for name in MODULES:
        path = out / name.replace(".", "/")
        path = path / "__init__.py" if name == MODULES[0] else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module_source(importlib.import_module(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
