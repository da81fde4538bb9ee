#!/usr/bin/env python3
"""Every public function, in several threads at once: the examples of the headers and functions.c, which have results that are known.

    api_threads.py HEADER WORK LIBRARY CC

The list of functions is that of the headers; each must be called.
"""

import pathlib
import re
import subprocess
import sys

import header_examples

HERE = pathlib.Path(__file__).resolve().parent
THREADS = """
#include <pthread.h>
enum { THREADS = 3, ROUNDS = 1 };
static void *work(void *failed) {
  for (int round = 0; round < ROUNDS; round++)
    if (examples_main() != 0 || functions_main() != 0) *(int *)failed = 1;
  return NULL;
}
int main(void) {
  pthread_t thread[THREADS];
  int failed[THREADS] = {0}, any = 0;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, work, &failed[i]) != 0) return 2;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    any |= failed[i];
  }
  return any;
}
"""


def in_threads(text: str, name: str) -> str:
    """A program as a function; its arrays that are static in a function are those of a thread."""
    text = re.sub(
        r"^( *)static (?!const|inline)(?=\w+ \w+(?:\[|;| =))",
        r"\1static _Thread_local ",
        text,
        flags=re.M,
    )
    return text.replace("int main(void)", f"static int {name}(void)")


def main(header: str, work: str, library: str, compiler: str) -> int:
    path, folder = pathlib.Path(header), pathlib.Path(work)
    folder.mkdir(parents=True, exist_ok=True)
    headers = header_examples.headers_of(path)
    examples, _, _ = header_examples.program_of(headers)
    program = (
        in_threads(examples, "examples_main")
        + in_threads((HERE / "functions.c").read_text(), "functions_main")
        + THREADS
    )
    names = {
        name
        for one in headers
        for name in re.findall(
            r"^(?:GV_API|static inline)[^;{(]*?\b(gv_\w+)\(", one.read_text(), re.M
        )
    }
    missing = sorted(name for name in names if not re.search(rf"\b{name}\(", program))
    if missing or len(names) < 90:
        print(f"of {len(names)} public functions not called: {', '.join(missing)}")
        return 1
    (folder / "threads.c").write_text(program)
    subprocess.run(
        [
            compiler,
            "-std=c11",
            "-DANY_LIBRARY",
            "-Wall",
            "-Wextra",
            f"-I{path.parent.parent}",
            "-o",
            folder / "threads",
            folder / "threads.c",
            library,
            f"-Wl,-rpath,{pathlib.Path(library).parent}",
            "-lm",
            "-pthread",
        ],
        check=True,
    )
    return subprocess.run([folder / "threads"]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
