"""Widgets of dialogs, loaded only where there are windows."""

from processing.gui.wrappers import WidgetWrapper, dialogTypes
from processing.tools import dataobjects
from qgis.core import (
    QgsFieldProxyModel,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameterField,
    QgsProcessingUtils,
    QgsVectorLayer,
)
from qgis.gui import QgsFieldComboBox, QgsGui, QgsProcessingGui
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QComboBox, QMessageBox

from . import engine


def is_confirmed(window, text):
    """Whether the user says yes."""
    button = QMessageBox.StandardButton
    buttons = button.Yes | button.No
    return QMessageBox.warning(window, "gpuvoronoi", text, buttons) == button.Yes


class Choice(WidgetWrapper):
    """What the program can compute with, the unavailable grayed with the reason. Expressions may be written instead."""

    def createWidget(self, listing, needs=""):
        box = QComboBox()
        box.setObjectName(f"gpuvoronoi_{listing}")
        box.setEditable(True)
        box.addItem(self.parameterDefinition().defaultValue() or "")
        for name, label, reason in getattr(engine, listing)(needs):
            box.addItem(f"{label}: {reason}" if reason else label, name)
            row = box.count() - 1
            box.setItemData(row, reason or label, Qt.ItemDataRole.ToolTipRole)
            box.model().item(row).setEnabled(not reason)
        box.setEditText(box.itemText(0))
        return box

    def setValue(self, value):
        row = self.widget.findData(value)
        self.widget.setEditText(
            "" if value is None else str(value) if row < 0 else self.widget.itemText(row)
        )

    def value(self):
        text = self.widget.currentText()
        row = self.widget.findText(text, Qt.MatchFlag.MatchExactly)
        return text if row < 1 else self.widget.itemData(row)


class Fields(WidgetWrapper):
    """
    The fields of a layer, in a dialog: those that can be ids, whole numbers and texts, or, with `typed`, those of the
    parameter's type and any name that is typed.
    """

    def createWidget(self, typed=False):
        self.typed = typed
        self.context = dataobjects.createContext()  # knows the project, keeps layers of files
        box = QgsFieldComboBox()
        box.setObjectName("gpuvoronoi_new_field" if typed else "gpuvoronoi_id_field")
        box.setAllowEmptyFieldName(True)
        ids = (
            QgsFieldProxyModel.Filter.Int
            | QgsFieldProxyModel.Filter.LongLong
            | QgsFieldProxyModel.Filter.String
        )
        kinds = {
            QgsProcessingParameterField.DataType.Any: QgsFieldProxyModel.Filter.AllTypes,
            QgsProcessingParameterField.DataType.Numeric: QgsFieldProxyModel.Filter.Numeric,
        }
        box.setFilters(kinds[self.parameterDefinition().dataType()] if typed else ids)
        box.setEditable(typed)
        box.fieldChanged.connect(lambda: self.widgetValueHasChanged.emit(self))
        return box

    def postInitialize(self, wrappers):
        for wrapper in wrappers:
            if (
                wrapper.parameterDefinition().name()
                == self.parameterDefinition().parentLayerParameterName()
            ):
                self.follow(wrapper)
                wrapper.widgetValueHasChanged.connect(self.follow)

    def follow(self, parent):
        """Offers the fields of the layer that is chosen there."""
        value = parent.parameterValue()
        if isinstance(value, QgsProcessingFeatureSourceDefinition):
            value = value.source.staticValue()
        layer = (
            QgsProcessingUtils.mapLayerFromString(value, self.context)
            if isinstance(value, str) and value
            else value
        )
        text = self.value() if self.typed else None
        self.widget.setLayer(layer if isinstance(layer, QgsVectorLayer) else None)
        if self.typed:
            self.setValue(text)

    def setValue(self, value):
        self.widget.setField(value or "")
        if self.typed:
            self.widget.setEditText(value or "")

    def value(self):
        return (self.widget.currentText() if self.typed else self.widget.currentField()) or None


class Field:
    """Makes the widget of a field: Fields in dialogs, QGIS's own in models and batches."""

    def __new__(cls, parameter, dialog, row=0, column=0, typed=False):
        kind = dialogTypes.get(type(dialog).__name__, QgsProcessingGui.WidgetType.Standard)
        if kind == QgsProcessingGui.WidgetType.Standard:
            return Fields(parameter, dialog, row, column, typed=typed)
        registry = QgsGui.processingGuiRegistry()
        if kind == QgsProcessingGui.WidgetType.Modeler:
            made = registry.createModelerParameterWidget(
                dialog.model, dialog.childId, parameter, dialog.context
            )
        else:
            made = registry.createParameterWidgetWrapper(parameter, kind)
        made.setDialog(dialog)
        return made
