"""Widgets of dialogs, loaded only where there are windows."""

from processing.gui.wrappers import WidgetWrapper
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QComboBox

from . import command


class Choice(WidgetWrapper):
    """What the program can compute with, the unavailable greyed with the reason. Expressions may be written instead."""

    def createWidget(self, listing, needs=None):
        box = QComboBox()
        box.setObjectName(f"gpuvoronoi_{listing}")
        box.setEditable(True)
        box.addItem(self.parameterDefinition().defaultValue() or "")
        for name, label, reason in getattr(command, listing)(needs):
            box.addItem(f"{label}: {reason}" if reason else label, name)
            row = box.count() - 1
            box.setItemData(row, reason or label, Qt.ItemDataRole.ToolTipRole)
            box.model().item(row).setEnabled(not reason)
        box.setEditText(box.itemText(0))
        return box

    def setValue(self, value):
        row = self.widget.findData(value)
        self.widget.setEditText("" if value is None else str(value) if row < 0 else self.widget.itemText(row))

    def value(self):
        text = self.widget.currentText()
        row = self.widget.findText(text, Qt.MatchFlag.MatchExactly)
        return text if row < 1 else self.widget.itemData(row)
