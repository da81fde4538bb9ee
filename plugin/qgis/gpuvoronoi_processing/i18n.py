"""
Translations: all texts are of one context; i18n/gpuvoronoi_LANGUAGE.qm is made from the .ts file when the zip is built.
"""

import pathlib

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, QLocale, QTranslator

CONTEXT = "gpuvoronoi"
FOLDER = pathlib.Path(__file__).parent / "i18n"


def tr(text):
    return QCoreApplication.translate(CONTEXT, text)


def language():
    """The language that QGIS speaks, which an option of its command line may have chosen, else that of its settings."""
    spoken = (
        QgsApplication.instance().translation() if QgsApplication.instance() is not None else ""
    )
    return (spoken or QgsApplication.locale())[:2]


def number_text(number, form="f", digits=0):
    """A number as the language of QGIS writes it, by default a whole one; `form` and `digits` are QLocale's."""
    locale = QLocale(language())
    if locale == QLocale.c():  # it has no separators of thousands
        locale = QLocale("en")
    return locale.toString(float(number), form, digits)


def install_translator():
    """
    The translator for the language of QGIS, installed; None if there is none. It lives as long as it is referenced.
    """
    translator = QTranslator()
    if translator.load(str(FOLDER / f"gpuvoronoi_{language()}.qm")):
        QCoreApplication.installTranslator(translator)
        return translator
    return None
