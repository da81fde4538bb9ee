"""Translations: all texts are of one context; i18n/gpuvoronoi_LANGUAGE.qm is made from the .ts file when the zip is built."""

import pathlib

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, QTranslator

CONTEXT = "gpuvoronoi"
FOLDER = pathlib.Path(__file__).parent / "i18n"


def tr(text):
    return QCoreApplication.translate(CONTEXT, text)


def install_translator():
    """The translator for the language of QGIS, installed; None if there is none. It lives as long as it is referenced."""
    translator = QTranslator()
    language = QgsApplication.locale()
    if translator.load(str(FOLDER / f"gpuvoronoi_{language[:2]}.qm")):
        QCoreApplication.installTranslator(translator)
        return translator
    return None
