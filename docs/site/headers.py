"""The public headers as text: what is said of the library stands there, and nowhere else."""

import re
import textwrap


def paths(folder):
    """The main one first."""
    return sorted(folder.glob("*.h"))


def without_stars(comment):
    lines = comment[2:-2].strip("\n").split("\n")
    return "\n".join(re.sub(r"^ ?\* ?", "", line.strip() if number == 0 else line).rstrip() for number, line in enumerate(lines)).strip()


def pieces(path):
    """
    Pairs of a kind and a text: "section" (the words of a banner), "text" (a comment in the first column), "example" (what follows
    that word in such a comment), "code" (all else but what guards a header).
    """
    body = re.sub(r"^#(ifndef GPUVORONOI\w*_H|define GPUVORONOI\w*_H|endif.*GPUVORONOI\w*_H.*|ifdef __cplusplus\n.*\n#endif)$", "",
                  path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for piece in re.split(r"(^/\*.*?\*/$)", body, flags=re.MULTILINE | re.DOTALL):
        banner = re.fullmatch(r"/\* -{10,} (.*) \*/", piece)
        if banner:
            yield "section", banner.group(1)
        elif piece.startswith("/*"):
            text, _, example = without_stars(piece).partition("Example:\n")
            yield "text", text
            if example:
                yield "example", textwrap.dedent(example).strip()
        elif piece.strip():
            yield "code", piece.strip("\n")
