#!/usr/bin/python3
"""
What a page of the site leads to is there: files, pictures, and the headings that links name. Nothing is fetched from elsewhere.

    check.py FOLDER
"""

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
    print("\n".join(wrong) or f"{len(pages)} pages, all links lead somewhere")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
