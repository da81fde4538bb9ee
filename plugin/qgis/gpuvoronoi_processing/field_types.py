"""
Types of fields: QVariant's until QGIS 3.36, QMetaType's from 3.38 on. Values as text, for fields that hold nothing
else.
"""

import json
import math

from qgis.core import NULL, Qgis, QgsField, QgsFields, QgsJsonUtils
from qgis.PyQt.QtCore import QByteArray, QDate, QDateTime, QMetaType, Qt, QTime, QVariant

if Qgis.QGIS_VERSION_INT >= 33800:
    BOOL, INT, LONG, DOUBLE = (
        QMetaType.Type.Bool,
        QMetaType.Type.Int,
        QMetaType.Type.LongLong,
        QMetaType.Type.Double,
    )
    STRING, DATE, DATE_TIME = QMetaType.Type.QString, QMetaType.Type.QDate, QMetaType.Type.QDateTime
    BINARY = QMetaType.Type.QByteArray
else:
    BOOL, INT, LONG, DOUBLE = QVariant.Bool, QVariant.Int, QVariant.LongLong, QVariant.Double
    STRING, DATE, DATE_TIME, BINARY = (
        QVariant.String,
        QVariant.Date,
        QVariant.DateTime,
        QVariant.ByteArray,
    )


def renamed(fields, name, kinds):
    """Fields, of which one of that name gets another unless it is of one of the kinds."""
    made = QgsFields()
    names = [field.name().lower() for field in fields]
    free = next(f"{name}_{i}" for i in range(2, len(names) + 3) if f"{name}_{i}" not in names)
    for field in fields:
        copy = QgsField(field)
        if field.name().lower() == name and field.type() not in kinds:
            copy.setName(free)
        made.append(copy)
    return made


def is_empty(value):
    """Whether an attribute has no value."""
    return value is None or value == NULL


def _json(value):
    """A value of an attribute as json.dumps accepts it."""
    if is_empty(value):
        return None
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, QDate):
        return value.toString(Qt.DateFormat.ISODate)
    if isinstance(value, (QTime, QDateTime)):
        time = value.time() if isinstance(value, QDateTime) else value
        return value.toString(Qt.DateFormat.ISODateWithMs if time.msec() else Qt.DateFormat.ISODate)
    if isinstance(value, (bytes, QByteArray)):
        return bytes(value).hex().upper()
    if isinstance(value, (list, tuple)):
        return [_json(one) for one in value]
    if isinstance(value, dict):
        return {name: _json(one) for name, one in value.items()}
    return json.loads(QgsJsonUtils.encodeValue(value))


def as_text(value):
    """Dates and times after ISO 8601, lists and maps as JSON, bytes as hexadecimal digits; None of an empty value."""
    made = _json(value)
    return made if made is None or isinstance(made, str) else json.dumps(made, ensure_ascii=False)
