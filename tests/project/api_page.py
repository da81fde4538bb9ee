#!/usr/bin/env python3
"""The programs on docs/api.md are those of docs/examples, which are compiled and run.

api_page.py SOURCE
"""

import pathlib
import sys


def main(source: str) -> int:
    docs = pathlib.Path(source) / "docs"
    page, missing = (docs / "api.md").read_text(), []
    for name in ("grid.c", "coast.c"):
        program = (docs / "examples" / name).read_text()
        if f"```c\n{program[program.index('#include') :]}```\n" not in page:
            missing.append(
                f"docs/api.md: the program of docs/examples/{name} is missing or differs"
            )
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
