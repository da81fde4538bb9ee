#!/usr/bin/python3
"""
What a page of the site leads to is there: files, pictures, and the headings that links name. Nothing is fetched from elsewhere.


    check.py FOLDER [PYTHON]    the site; the Python reference has every public name of the package, of which python_sources.py wrote PYTHON
"""

import ast
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.targets, self.fetched = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        for name in ("href", "src"):
            target = given.get(name)
            if target is None:
                continue
            self.targets.append(target)
            if "//" in target and tag in ("link", "script", "img"):
                self.fetched.append(target)


def public_names(sources):
    """The functions and classes of the package, and the methods of the classes, as identifiers of headings."""
    for path in sorted(sources.rglob("*.py")):
        module = ".".join(path.relative_to(sources).with_suffix("").parts).removesuffix(".__init__")
        for one in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
                yield f"{module}.{one.name}"
            if isinstance(one, ast.ClassDef):
                methods = (part.name for part in one.body if isinstance(part, ast.FunctionDef))
                yield from (f"{module}.{one.name}.{name}" for name in methods if name[0] != "_")


def names_missing(page, sources):
    names = list(public_names(sources))
    few = [] if len(names) > 50 else ["hardly a public name in the package"]
    return few + [f"no {name} in the Python reference" for name in names if name not in page.ids]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong = [] if len(pages) > 20 else ["hardly a page"]
    for path, page in pages.items():
        if path.name == "404.html":  # made for a server's root
            continue
        where = path.relative_to(folder)
        wrong += [f"{where}: fetches {target}" for target in page.fetched]
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc or target.startswith("javascript:"):
                continue
            there = (
                (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            )
            if there.is_dir():
                there /= "index.html"
            if not there.is_file() or folder not in there.parents:
                wrong.append(f"{where}: leads to {target}, which is not there")
            elif (
                parts.fragment
                and there in pages
                and urllib.parse.unquote(parts.fragment) not in pages[there].ids
            ):
                wrong.append(f"{where}: leads to {target}, where there is no such heading")
    if len(sys.argv) > 2:
        wrong += names_missing(
            pages[folder / "docs/python-reference.html"], pathlib.Path(sys.argv[2])
        )
    print("\n".join(wrong) or f"{len(pages)} pages, all links lead somewhere")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
