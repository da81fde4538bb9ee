#!/usr/bin/env python3
"""The measured figures of the pages, from one file: figures.json beside this program.

    figures.py SOURCE                            writes the figures into README.md and docs/*.md
    figures.py SOURCE --check                    names the pages that differ, and tables of times without a marker
    figures.py SOURCE --set TABLE ROW COLUMN X   changes a figure of figures.json, then writes the pages

figures.json has tables: columns and rows, the cells as they are printed. In a page

    <!-- figures TABLE -->                       is followed by the table; "TABLE; ROW; ROW" has some rows only
    <!--figure TABLE; ROW; COLUMN-->1.5 s<!--/-->   is one of its cells in a sentence or in a cell of another table

ROW is the beginning of a row, its cells with " | " between them; COLUMN that of the column's header.
"""

import json
import pathlib
import re
import sys

DATA = pathlib.Path(__file__).with_name("figures.json")
TABLE = re.compile(r"^<!-- figures ([^\n]+) -->\n\n((?:\|[^\n]*\n)*)", re.MULTILINE)
CELL = re.compile(r"<!--figure ([^\n]+?)-->([^\n]*?)<!--/-->")
ANY_TABLE = re.compile(r"(?:^\|[^\n]*\n)+", re.MULTILINE)
TIME = re.compile(r"\| *[\d.,]+ (?:s|ms|µs)\b")


def find(labels, beginning, what):
    """The number of the only label that begins so, or that is the same."""
    found = [i for i, label in enumerate(labels) if label == beginning]
    found = found or [i for i, label in enumerate(labels) if label.startswith(beginning)]
    if len(found) != 1:
        sys.exit(
            f"{DATA.name}: {what}: {len(found)} rows or columns begin with '{beginning}'; expected one"
        )
    return found[0]


def table_of(tables, name):
    if name not in tables:
        sys.exit(f"{DATA.name}: unknown table ({name})")
    return tables[name]


def rows_of(table):
    return [" | ".join(cells) for cells in table["rows"]]


def place(tables, name, row, column):
    table = table_of(tables, name)
    return table["rows"][find(rows_of(table), row, name)], find(table["columns"], column, name)


def line(cells):
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|\n"


def table_text(tables, reference):
    name, *wanted = reference.split("; ")
    table = table_of(tables, name)
    rows = [table["rows"][find(rows_of(table), row, name)] for row in wanted] or table["rows"]
    head = line(table["columns"]) + "|" + "---|" * len(table["columns"]) + "\n"
    return f"<!-- figures {reference} -->\n\n{head}{''.join(map(line, rows))}"


def cell_text(tables, reference):
    row, column = place(tables, *reference.split("; "))
    return f"<!--figure {reference}-->{row[column]}<!--/-->"


def with_figures(text, tables):
    text = TABLE.sub(lambda match: table_text(tables, match[1]), text)
    return CELL.sub(lambda match: cell_text(tables, match[1]), text)


def unmarked(text):
    """The first lines of tables of times that are not from figures.json."""
    without = CELL.sub("", TABLE.sub("", text))
    return [
        match[0].split("\n")[0] for match in ANY_TABLE.finditer(without) if TIME.search(match[0])
    ]


def main():
    root, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    tables = json.loads(DATA.read_text(encoding="utf-8"))
    if arguments[:1] == ["--set"]:
        row, column = place(tables, *arguments[1:4])
        row[column] = arguments[4]
        DATA.write_text(as_text(tables), encoding="utf-8")
    complaints = []
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        new = with_figures(text, tables)
        name = page.relative_to(root)
        if arguments != ["--check"]:
            page.write_text(new, encoding="utf-8")
        elif new != text:
            complaints.append(
                f"{name}: figures differ from {DATA.name}; run tools/bench/figures.py"
            )
        complaints += [
            f"{name}: table of times without a marker ({head})" for head in unmarked(new)
        ]
    print("".join(f"{complaint}\n" for complaint in complaints), end="")
    return 1 if complaints else 0


def as_text(tables):
    """A row a line."""
    blocks = []
    for name, table in tables.items():
        rows = ",\n".join("      " + json.dumps(row, ensure_ascii=False) for row in table["rows"])
        columns = json.dumps(table["columns"], ensure_ascii=False)
        head = f'  {json.dumps(name)}: {{\n    "columns": {columns},\n    "rows": [\n'
        blocks.append(f"{head}{rows}\n    ]\n  }}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
