"""Types of fields: QVariant's until QGIS 3.36, QMetaType's from 3.38 on."""

from qgis.core import Qgis
from qgis.PyQt.QtCore import QMetaType, QVariant

if Qgis.QGIS_VERSION_INT >= 33800:
    BOOL, INT, LONG, DOUBLE = QMetaType.Type.Bool, QMetaType.Type.Int, QMetaType.Type.LongLong, QMetaType.Type.Double
    STRING, DATE, DATE_TIME = QMetaType.Type.QString, QMetaType.Type.QDate, QMetaType.Type.QDateTime
    BINARY = QMetaType.Type.QByteArray
else:
    BOOL, INT, LONG, DOUBLE = QVariant.Bool, QVariant.Int, QVariant.LongLong, QVariant.Double
    STRING, DATE, DATE_TIME, BINARY = QVariant.String, QVariant.Date, QVariant.DateTime, QVariant.ByteArray
