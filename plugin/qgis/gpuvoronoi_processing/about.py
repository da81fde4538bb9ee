"""What metadata.txt says about the plugin, and where its pictures are."""

import configparser
import pathlib

from qgis.PyQt.QtGui import QIcon

FOLDER = pathlib.Path(__file__).parent


def metadata(key):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(FOLDER / "metadata.txt", encoding="utf-8")
    return parser.get("general", key, fallback="")


def icon(name):
    return QIcon(str(FOLDER / "icons" / f"{name}.svg"))
