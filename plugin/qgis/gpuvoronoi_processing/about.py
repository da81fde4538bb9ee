"""What metadata.txt says about the plugin, and where its pictures are."""

import configparser
import pathlib
import re

from qgis.PyQt.QtGui import QIcon

FOLDER = pathlib.Path(__file__).parent


def metadata(key):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(FOLDER / "metadata.txt", encoding="utf-8")
    return parser.get("general", key, fallback="")


def required_version():
    """The least version of the command and the package: the plugin's own, without the last number."""
    return metadata("version").rpartition(".")[0]


def is_old(version):
    """Whether a version is older than the required one."""
    return numbers(version) < numbers(required_version())


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def icon(name):
    return QIcon(str(FOLDER / "icons" / f"{name}.svg"))
