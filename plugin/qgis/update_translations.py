#!/usr/bin/env python3
"""
Collects the texts of the plugin, the arguments of tr(), into its .ts files. Translations that are there are kept, texts
that are gone leave with theirs, new ones are marked as unfinished for Qt Linguist or an editor.

    python3 plugin/qgis/update_translations.py            updates gpuvoronoi_processing/i18n/*.ts
    python3 plugin/qgis/update_translations.py --check    reports what is out of date or unfinished; status 1 if any is
    python3 plugin/qgis/update_translations.py --new fr   begins another language, with every text unfinished; it is
                                                          packed, and missing texts are shown in English
"""

import ast
import pathlib
import re
import sys
from xml.etree import ElementTree

PLUGIN = pathlib.Path(__file__).resolve().parent / "gpuvoronoi_processing"
CONTEXT = "gpuvoronoi"


def texts():
    """Every text, with the file in which it is first met."""
    found = {}
    for path in sorted(PLUGIN.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "tr"
            ):
                text = node.args[0]
                if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
                    if path.name == "i18n.py":
                        continue
                    sys.exit(f"{path}:{node.lineno}: tr() needs a literal")
                found.setdefault(text.value, path.relative_to(PLUGIN).as_posix())
    return found


def read(path):
    """Translations of a .ts file; unfinished ones are None."""
    known = {}
    if path.exists() and path.stat().st_size > 0:
        for message in ElementTree.parse(path).getroot().iter("message"):
            translation = message.find("translation")
            finished = translation.get("type") is None and translation.text
            known[message.findtext("source")] = translation.text if finished else None
    return known


def write(path, found, known):
    root = ElementTree.Element(
        "TS", version="2.1", language=path.stem.rpartition("_")[2], sourcelanguage="en"
    )
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text, file in found.items():
        message = ElementTree.SubElement(context, "message")
        ElementTree.SubElement(message, "location", filename=f"../{file}")
        ElementTree.SubElement(message, "source").text = text
        translation = ElementTree.SubElement(message, "translation")
        if known.get(text):
            translation.text = known[text]
        else:
            translation.set("type", "unfinished")
    ElementTree.indent(root, "    ")
    body = ElementTree.tostring(root, encoding="unicode")
    path.write_text(
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8"
    )


def main():
    check = sys.argv[1:] == ["--check"]
    folder = PLUGIN / "i18n"
    if sys.argv[1:2] == ["--new"]:
        if len(sys.argv) != 3 or not re.fullmatch("[a-z]{2}", sys.argv[2]):
            sys.exit("--new needs a language of two letters, such as fr")
        (folder / f"{CONTEXT}_{sys.argv[2]}.ts").touch(exist_ok=False)
    found, wrong = texts(), 0
    for path in sorted(folder.glob("*.ts")):
        known = read(path)
        if not check:
            write(path, found, known)
        missing = [text for text in found if not known.get(text)]
        unused = [text for text in known if text not in found]
        wrong += len(missing) + check * len(unused)
        print(f"{path.name}: {len(found) - len(missing)} of {len(found)} texts translated")
        for text in missing:
            print(f"{path.name}: not translated: {text}")
        for text in unused:
            print(f"{path.name}: no longer used: {text}")
    sys.exit(1 if check and wrong else 0)


if __name__ == "__main__":
    main()
