#!/usr/bin/python3
"""
The addresses of the project: packaging/addresses.txt has them.

    addresses.py --metadata IN OUT    copies the metadata.txt of the QGIS plugin and adds the addresses
    addresses.py --check              reports each address that is missing or unusable, with its line; status 1 if any is
    --file FILE                       another file of addresses
"""

import argparse
import pathlib
import re
import sys

FILE = pathlib.Path(__file__).with_name("addresses.txt")
KEYS = ("homepage", "tracker", "repository", "email")
USABLE = {"email": r"[^@\s]+@[^@\s]+\.[a-z]+"}
ADDRESS = r"https://[^/\s]+\.[a-z]+(/\S*)?"
NOT_REAL = re.compile(r"\.(example|invalid|test)(/|$)|example\.(com|net|org)(/|$)")


def read(path):
    """{key: (value, number of its line)} of a file of addresses."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            key, equals, value = line.partition("=")
            if key not in KEYS or not equals or key in found:
                sys.exit(
                    f"{path}:{number}: invalid line ({line}); expected once each: {', '.join(KEYS)}"
                )
            found[key] = value.strip(), number
    for key in KEYS:
        if key not in found:
            sys.exit(f"{path}: missing line; add {key}=")
    return found


def problems(path):
    """What the plugin repository would refuse, a line each."""
    for key, (value, number) in read(path).items():
        if not value:
            yield f"{path}:{number}: {key}: empty address; fill in this line"
        elif not re.fullmatch(USABLE.get(key, ADDRESS), value) or NOT_REAL.search(value):
            yield f"{path}:{number}: {key}: invalid address ({value}); expected {'a mail address' if key == 'email' else 'https://…'}"


def write_metadata(path, source, destination):
    lines = [f"{key}={value}\n" for key, (value, _) in read(path).items()]
    destination.write_text(
        source.read_text(encoding="utf-8").rstrip() + "\n" + "".join(lines), encoding="utf-8"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", type=pathlib.Path, default=FILE)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--metadata", nargs=2, type=pathlib.Path, metavar=("IN", "OUT"))
    given = parser.parse_args()
    if given.metadata:
        write_metadata(given.file, *given.metadata)
    if given.check:
        found = list(problems(given.file))
        if found:
            sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
