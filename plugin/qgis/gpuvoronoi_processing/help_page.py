"""
A page of help for each algorithm, made of its own texts in the language of QGIS. It is a file of the session: nothing
comes from the web.
"""

import html
import json
import os

from qgis.core import QgsProcessingUtils
from qgis.PyQt.QtCore import QUrl

from .i18n import language, tr

PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ max-width: 45em; margin: 2em auto; font-family: sans-serif; line-height: 1.4 }}
dt {{ font-weight: bold; margin-top: 0.7em }}
code, pre {{ background: #f2f2f2 }} pre {{ padding: 0.7em; overflow: auto }}</style></head>
<body><h1>{title}</h1>
{body}
</body></html>
"""


def heading(text):
    return f"<h2>{html.escape(text)}</h2>\n"


def described(parameters):
    items = "".join(
        f"<dt>{html.escape(parameter.description())} <code>{parameter.name()}</code></dt>\n"
        f"<dd>{html.escape(parameter.help())}</dd>\n"
        for parameter in parameters
    )
    return f"<dl>\n{items}</dl>\n"


def example(algorithm, words, parameters):
    given = " ".join(
        f"{name}={value}"
        for name, values in parameters.items()
        for value in (values if isinstance(values, list) else [values])
    )
    call = f'processing.run("{algorithm.id()}", {json.dumps(parameters, indent=4)})'
    command = f"qgis_process run {algorithm.id()} -- {given}"
    return f"<p>{html.escape(words)}</p>\n<pre>{html.escape(call)}</pre>\n<pre>{html.escape(command)}</pre>\n"


def text(algorithm):
    results = [
        parameter for parameter in algorithm.parameterDefinitions() if parameter.isDestination()
    ]
    inputs = [
        parameter for parameter in algorithm.parameterDefinitions() if not parameter.isDestination()
    ]
    body = (
        algorithm.description()
        + heading(tr("Parameters"))
        + described(inputs)
        + heading(tr("Results"))
        + described(results)
    )
    body += heading(tr("In scripts")) + "".join(
        example(algorithm, *pair) for pair in algorithm.examples()
    )
    return PAGE.format(language=language(), title=html.escape(algorithm.displayName()), body=body)


def url(algorithm):
    """Where the page of an algorithm is."""
    path = os.path.join(QgsProcessingUtils.tempFolder(), f"gpuvoronoi-{algorithm.name()}.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(algorithm))
    return QUrl.fromLocalFile(path).toString()
