#!/usr/bin/python3
"""
Forbidden phrases in messages, comments, docs and names: plain_language.txt lists them.

    plain_language.py SOURCE [PHRASES COUNTS]    plain_language.txt and plain_language_counts.txt beside this file
    plain_language.py SOURCE --show [PREFIX]     prints all findings of the rooms that begin with PREFIX, e.g. "messages src/io"
    plain_language.py SOURCE --lower             lowers the counts to what is found; it never raises one

A room is a kind of text (messages, comments, docs or names) and a folder or page. Names are identifiers, each once a file, split into their words
(gv_open_answer: gv open answer). COUNTS has the rooms that are not yet clean and the
number of phrases allowed in each. The test fails when a room has more, and when a listed room is clean: counts only fall.
"""

import ast
import collections
import functools
import io
import pathlib
import re
import sys
import tokenize

HERE = pathlib.Path(__file__).resolve().parent
COMPILED = {".c", ".h", ".cu", ".cuh", ".cpp", ".hpp"}
NAMES = ("include", "plugin", "python/gpuvoronoi", "src", "tools")
MESSAGES = ("src", "plugin/gdal", "plugin/qgis", "python/gpuvoronoi")
COMMENTS = ("src", "include", "plugin/gdal", "plugin/qgis", "python", "tests", "tools")
DOCS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
OWN = ("tests/project/plain_language.py", "tests/project/checks_check.py", "tests/project/abi/")

C_TOKEN = re.compile(
    r"(?P<skip>\#[ \t]*include[^\n]*|\'(?:\\.|[^\'\\\n])+\')|(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)|"
    r'(?P<messages>"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI\w+\s*)?"(?:\\.|[^"\\\n])*")*)',
    re.DOTALL,
)
CODE = re.compile(
    r"^( *)(```|~~~).*?^\1\2[^\n]*$|`[^`\n]*`|\]\([^)\s]*\)|<[^<>\n]*>", re.DOTALL | re.MULTILINE
)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
BLANK = r'[\s*/#"]+'


def read_phrases(path):
    """(kinds, compiled expression, advice) of each line."""
    phrases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split(" | ")
        if len(fields) != 3 or not all(field.strip() for field in fields):
            sys.exit(f"{path}: invalid line ({line}); expected WHERE | PHRASE | USE INSTEAD")
        kinds = {"messages", "comments", "docs"} if fields[0] == "all" else set(fields[0].split())
        text = re.sub(r"(?<!\() (?!\|)", lambda match: BLANK, fields[1].strip())
        phrases.append(
            (kinds, re.compile(rf"(?<![\w-])(?:{text})(?![\w-])", re.IGNORECASE), fields[2])
        )
    return phrases


@functools.lru_cache(maxsize=None)
def words_of(name):
    return " ".join(WORD.findall(name)).lower()


def names_of_c(text):
    """(kind, offset, words) of the identifiers in a text without comments and literals, each once."""
    first = {}
    for match in IDENTIFIER.finditer(text):
        first.setdefault(match.group(), match.start())
    for name, at in first.items():
        yield "names", at, words_of(name)


def texts_of_c(text):
    """(kind, offset, text) of comments, string literals and identifiers."""
    code = C_TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    yield from names_of_c(code)
    for match in C_TOKEN.finditer(text):
        if match.lastgroup in ("comment", "messages"):
            yield (
                "comments" if match.lastgroup == "comment" else "messages",
                match.start(),
                match.group(),
            )


def texts_of_python(text):
    """The same of Python; a docstring is a comment."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    docstrings = {
        node.value.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    seen = set()
    strings = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string not in seen:
            seen.add(token.string)
            yield "names", starts[token.start[0] - 1] + token.start[1], words_of(token.string)
        if token.type == tokenize.COMMENT or token.type in strings:
            comment = token.type == tokenize.COMMENT or token.start[0] in docstrings
            yield (
                "comments" if comment else "messages",
                starts[token.start[0] - 1] + token.start[1],
                token.string,
            )


def texts_of_page(text):
    """The prose of a page, without code and addresses."""
    yield "docs", 0, CODE.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), text)


def room_of(kind, name):
    if kind == "docs":
        return f"{kind} {name}"
    depth = 2 if name.startswith(("src/", "tests/", "plugin/")) else 1
    return " ".join((kind, "/".join(pathlib.PurePosixPath(name).parent.parts[:depth])))


def look(root, phrases):
    """Room: findings, each a line of text."""
    found = collections.defaultdict(list)

    @functools.lru_cache(maxsize=None)
    def names_with_phrases(words):
        return any("names" in kinds and phrase.search(words) for kinds, phrase, _ in phrases)

    tops = sorted(set(MESSAGES) | set(COMMENTS) | set(DOCS))
    paths = {
        path
        for top in tops
        for path in [root / top, *(root / top).rglob("*")]
        if path.is_file() and "__pycache__" not in path.parts
    }
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        if name.startswith(OWN):
            continue
        if path.suffix in COMPILED:
            texts_of = texts_of_c
        elif path.suffix == ".py":
            texts_of = texts_of_python
        elif path.suffix == ".md":
            texts_of = texts_of_page
        else:
            continue
        text = path.read_text(encoding="utf-8")
        for kind, at, part in texts_of(text):
            if kind == "messages" and not name.startswith(MESSAGES):
                continue
            if kind == "names" and not name.startswith(NAMES):
                continue
            if kind == "names" and not names_with_phrases(part):
                continue
            for kinds, phrase, advice in phrases:
                if kind not in kinds:
                    continue
                for match in phrase.finditer(part):
                    line = text.count("\n", 0, at + match.start()) + 1
                    words = " ".join(re.split(BLANK, match.group())).strip()
                    found[room_of(kind, name)].append(f"{name}:{line}: '{words}'; use: {advice}")
    return found, len(paths)


def read_counts(path):
    counts = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            room, _, count = line.rpartition(": ")
            counts[room] = int(count)
    return counts


def write_counts(path, counts):
    head = "# Phrases that stay, most of them names in files (neighbours) and units (metre). Counts only fall: plain_language.py SOURCE --lower\n"
    path.write_text(
        head + "".join(f"{room}: {counts[room]}\n" for room in sorted(counts) if counts[room] > 0),
        encoding="utf-8",
    )


def main():
    root, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    option = arguments[0] if arguments and arguments[0].startswith("--") else None
    files = [pathlib.Path(name) for name in arguments] if option is None and arguments else []
    phrase_file, count_file = files or (
        HERE / "plain_language.txt",
        HERE / "plain_language_counts.txt",
    )
    found, files = look(root, read_phrases(phrase_file))
    if files == 0:
        print(f"no sources in {root}")
        return 1
    if option == "--show":
        prefix = " ".join(arguments[1:])
        for room in sorted(found):
            if room.startswith(prefix):
                print(f"{room}: {len(found[room])}", *found[room], sep="\n  ")
        return 0
    counts = read_counts(count_file)
    if option == "--lower":
        write_counts(
            count_file,
            {room: min(count, len(found.get(room, ()))) for room, count in counts.items()},
        )
        return 0
    complaints = []
    for room in sorted(found):
        if len(found[room]) > counts.get(room, 0):
            complaints.append(
                f"{room}: {len(found[room])} forbidden phrases, allowed {counts.get(room, 0)}; see tests/project/plain_language.txt"
            )
            complaints += [f"  {finding}" for finding in found[room]]
    for room in sorted(set(counts) - set(found)):
        complaints.append(f"{room}: clean; remove it from plain_language_counts.txt by --lower")
    print("\n".join(complaints))
    return 1 if complaints else 0


sys.exit(main())
