#!/usr/bin/python3
"""
The checks of this folder find what they are for: each is run on something small that is as it should be, and on copies with
one fault each, where it has to fail and to say what is wrong.

    checks_check.py SUBJECT WORK COMPILER    exits with 77, a visible skip, where a check itself is skipped
"""

import json
import os
import platform
import shutil
import subprocess
import sys

import checks_tools
from checks_packages import conda_recipe, cuda_wheel, debian, docker, portable, version, wheels
from checks_tools import COMPILER, SOURCE, WORK, bad, check, compiled, good, write


def exact_flags():
    exact = "cc -O3 -ffp-contract=off -o a.c.o -c a.c"
    cuda = "nvcc -O3 -fmad=false -Xcompiler=-ffp-contract=off -o b.cu.o -c b.cu"

    def commands(*lines):
        entries = [{"directory": "/", "command": line, "file": "x"} for line in lines]
        return write("compile_commands.json", json.dumps(entries, indent=0))

    good("exact flags", "exact_flags.sh", commands(exact, cuda))
    good("only C", "exact_flags.sh", commands(exact))
    for flag in (
        "-ffast-math",
        "-Ofast",
        "-ffp-contract=fast",
        "-ffp-contract=on",
        "-march=native",
        "-fassociative-math",
    ):
        bad(
            flag, flag, "exact_flags.sh", commands(exact, exact.replace(" -o", f" {flag} -o"), cuda)
        )
    for flag in (
        "-use_fast_math",
        "--use_fast_math",
        "-fmad=true",
        "-ftz=true",
        "-prec-div=false",
        "-Xcompiler=-ffast-math",
    ):
        bad(flag, flag, "exact_flags.sh", commands(exact, cuda.replace(" -o", f" {flag} -o")))
    bad(
        "C without a flag",
        "without -ffp-contract=off",
        "exact_flags.sh",
        commands(exact, "cc -O3 -o c.o -c c.c", cuda),
    )
    bad(
        "CUDA without a flag",
        "without -fmad=false",
        "exact_flags.sh",
        commands(exact, cuda.replace("-fmad=false ", "")),
    )
    bad("nothing compiled", "no commands", "exact_flags.sh", commands())
    bad("no such file", "No such file", "exact_flags.sh", WORK / "nowhere.json")
    if platform.machine() == "x86_64":

        def kernel(contract):
            body = "double f(double a, double b, double c) { return a * b + c; }\n"
            made = compiled("kernel.o", body, "-c", "-O2", "-mfma", f"-ffp-contract={contract}")
            return commands(f"cc -ffp-contract=off -mfma -o {made} -c exact/globe_kernels.c")

        good("no multiply-add", "exact_flags.sh", kernel("off"))
        bad("a multiply-add", "fused in", "exact_flags.sh", kernel("fast"))


def library_manners():
    def archive(body):
        code = (
            "#include <assert.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "#include <syslog.h>\n#include <unistd.h>\n"
            'void polite(FILE *file, char *s) { fprintf(file, "%zu", strlen(s)); }\n'
            f"void work(int x) {{ {body}; }}\n"
        )
        one = compiled("one.o", code, "-w", "-c", "-D_GNU_SOURCE")
        made = WORK / "library.a"
        made.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", made, one], check=True)
        return made

    good("writes to a file it was given", "library_manners.sh", archive("malloc(x)"))
    for body, symbol in {
        'printf("%d", x)': "printf",
        'puts("x")': "puts",
        "putchar(x)": "putchar",
        'perror("x")': "perror",
        'fputs("x", stderr)': "stderr",
        'fputs("x", stdout)': "stdout",
        'dprintf(2, "%d", x)': "dprintf",
        'syslog(x, "x")': "syslog",
        "exit(x)": "exit",
        "_exit(x)": "_exit",
        "quick_exit(x)": "quick_exit",
        "abort()": "abort",
        "assert(x)": "__assert_fail",
        "raise(x)": "raise",
        "isatty(x)": "isatty",
        "signal(x, SIG_IGN)": "signal",
        'setenv("x", "x", x)': "setenv",
        "void GDALAllRegister(void); GDALAllRegister()": "GDALAllRegister",
        "void CPLSetErrorHandler(void *); CPLSetErrorHandler(0)": "CPLSetErrorHandler",
        "void GDALSetCacheMax64(long); GDALSetCacheMax64(x)": "GDALSetCacheMax64",
    }.items():
        bad(body, f" U {symbol}", "library_manners.sh", archive(body))
    bad(
        "the second of two libraries",
        "prints, exits, aborts or sets",
        "library_manners.sh",
        shutil.copy(archive("malloc(x)"), WORK / "first.a"),
        archive("abort()"),
    )
    bad("no such library", "No such file", "library_manners.sh", WORK / "nowhere.a")
    bad("no library", "not recognized", "library_manners.sh", write("text.a", "text"))


def exports():
    names = [f"gv_{number}" for number in range(10)]
    header = write(
        "header.h", "#define GV_API\n" + "".join(f"GV_API int {name}(void);\n" for name in names)
    )

    def library(*functions, more=""):
        code = "".join(f"int {name}(void) {{ return 1; }}\n" for name in functions) + more
        return compiled("library.so", code, "-shared", "-fPIC")

    good(
        "all and no more",
        "exports.sh",
        header,
        library(*names, more="static int gv_own; int *f(void);"),
    )
    bad("a function too many", "> gv_secret", "exports.sh", header, library(*names, "gv_secret"))
    bad(
        "a variable too many",
        "> gv_table",
        "exports.sh",
        header,
        library(*names, more="int gv_table[3] = {1};"),
    )
    bad("a function too few", "< gv_9", "exports.sh", header, library(*names[:-1]))
    bad("another name", "differ", "exports.sh", header, library(*names[:-1], "gv_x"))
    bad(
        "a power of the C library",
        "calls pow of",
        "exports.sh",
        header,
        library(
            *names[:-1],
            more=f"double pow(double, double);\nint {names[-1]}(void) {{ return (int)pow(gv_0(), 2.5); }}\n",
        ),
    )
    bad(
        "a header without functions",
        "hardly a function",
        "exports.sh",
        write("empty.h", ""),
        library(*names),
    )
    bad("no library", "not recognized", "exports.sh", header, write("text.so", "text"))


def abi():
    struct = "typedef struct gv_a {\n  size_t struct_size;\n  int b; /* c; */\n} gv_a;\n"
    fixed = "typedef struct gv_f {\n  int x, y[3];\n} gv_f;\n"
    numbers = "".join(f"  GV_NUMBER_{i} = {i},\n" for i in range(90))
    rest = (
        f"typedef enum gv_e {{ GV_ONE = 1, GV_TWO = 2 }} gv_e;\ntypedef enum gv_numbers {{\n{numbers}  GV_LAST = 99\n}} gv_numbers;\n"
        "#define GV_MOST 3\n#define GV_MORE 4\n#define GV_LEAST (-1)\n"
        + "".join(
            f"GV_API int gv_{i}(int x,\n   gv_a *a, gv_f *f, gv_numbers e);\n" for i in range(9)
        )
        + "static inline int gv_inline(int x,\n  int y) {\n  return x + y;\n}\n"
    )
    head = '#include <stddef.h>\n#define GV_API\n#define GV_VERSION_STRING "1.0.0-rc1"\n'
    header = write("gpuvoronoi.h", head + struct + fixed + rest)
    record = WORK / "record"
    arguments = ["abi.py", header, record, WORK / "probe", COMPILER]
    good("recording", *arguments, "--record")
    good("as recorded", *arguments)

    def changed(old, new):
        text = head + struct + fixed + rest
        assert old in text
        write("gpuvoronoi.h", text.replace(old, new))
        return arguments

    good("a field at the end", *changed("int b;", "int b; double c;"))
    good(
        "a new function", *changed("GV_API int gv_0", "GV_API void gv_new(void);\nGV_API int gv_0")
    )
    bad("a field before", "gv_a", *changed("int b;", "double c; int b;"))
    bad("a field of another size", "gv_a", *changed("int b;", "double b;"))
    bad("a field that is gone", "gv_f", *changed("int x, y[3];", "int x;"))
    bad("a field too many", "gv_f", *changed("y[3];", "y[3], z;"))
    bad("another constant", "GV_TWO", *changed("GV_TWO = 2", "GV_TWO = 3"))
    bad("another number", "GV_MOST", *changed("GV_MOST 3", "GV_MOST 4"))
    bad("a function that is gone", "gv_3", *changed("gv_3", "gv_10"))
    bad("another parameter", "gv_0", *changed("gv_0(int x", "gv_0(long x"))
    bad(
        "another parameter of an inline function",
        "gv_inline",
        *changed("gv_inline(int x", "gv_inline(long x"),
    )
    bad("another version", "record it anew", *changed("1.0.0", "2.0.0"))
    write("gpuvoronoi.h", head + struct + fixed + rest)
    other = write(
        "other.h", "typedef struct gv_o {\n  int p;\n} gv_o;\nGV_API int gv_of(gv_o *o);\n"
    )
    good("recording two headers", *arguments, "--record", other)
    good("two headers as recorded", *arguments, other)
    write("other.h", "typedef struct gv_o {\n  double p;\n} gv_o;\nGV_API int gv_of(gv_o *o);\n")
    bad("another header's field", "gv_o", *arguments, other)


def header_examples():
    def header(*codes):
        comments = [
            "/**\n * @code\n"
            + "".join(f" * {line}\n" for line in code.split("\n"))
            + " * @endcode\n */\n"
            if code
            else ""
            for code in codes
        ]
        functions = [
            "typedef struct gv_context gv_context;",
            "int gv_context_create(void *, gv_context **);",
            "void gv_context_destroy(gv_context *);",
            "const char *gv_context_message(gv_context *);",
            "int gv_x(void);",
        ]
        dashes = "-" * 30
        return write(
            "gpuvoronoi/gpuvoronoi.h",
            '#pragma once\n#define GV_API\n#define GV_OK 0\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
            + "".join(
                f"/* {dashes} group {i} */\n\n{comment}GV_API {function}\n"
                if i
                else f"/* {dashes} group 0 */\n{comment}{function}\nGV_API int gv_y(void);\n"
                for i, (comment, function) in enumerate(zip(comments, functions))
            )
            + "#ifdef __cplusplus\n}\n#endif\n",
        )

    code = (
        "struct gv_context { int x; };\nstatic struct gv_context one;\nint gv_context_create(void *o, struct gv_context **c) { (void)o; *c = &one; return 0; }\n"
        'void gv_context_destroy(struct gv_context *c) { (void)c; }\nconst char *gv_context_message(struct gv_context *c) { (void)c; return ""; }\n'
        "int gv_x(void) { return 1; }\nint gv_y(void) { return 0; }\n"
    )
    library = compiled("libx.so", code, "-shared", "-fPIC")
    fine = ["if (gv_y()) return 1;"] + ["int i = 3;\nif (i != 3) return 1;"] * 4
    arguments = [WORK / "work", library, COMPILER]
    good("examples", "header_examples.py", header(*fine), *arguments)
    bad(
        "one that fails",
        "failed: group 2",
        "header_examples.py",
        header(*fine[:2], "if (gv_x()) return 1;", *fine[3:]),
        *arguments,
    )
    bad(
        "one with a warning",
        "unused",
        "header_examples.py",
        header(*fine[:2], "int unused;", *fine[3:]),
        *arguments,
    )
    bad(
        "one that does not compile",
        "error",
        "header_examples.py",
        header(*fine[:2], "gv_none();", *fine[3:]),
        *arguments,
    )
    bad(
        "a group without",
        "no example in the groups: group 4",
        "header_examples.py",
        header(*fine[:4], ""),
        *arguments,
    )

    def header_for_mpi(*codes):
        dashes = "-" * 30
        return write(
            "gpuvoronoi/mpi.h",
            '#pragma once\n#include <mpi.h>\n#include "gpuvoronoi.h"\n'
            + "".join(
                f"/* {dashes} mpi {i} */\n/**\n * @code\n * {code}\n * @endcode\n */\nstatic inline int gv_mpi_{i}(void) {{ return {i}; }}\n"
                for i, code in enumerate(codes)
            ),
        )

    write(
        "mpi/mpi.h",
        "#define MPI_SUCCESS 0\nstatic inline int MPI_Init(void *a, void *b) { (void)a; (void)b; return 0; }\n"
        "static inline int MPI_Finalize(void) { return 0; }\n",
    )
    write("mpi/some.pc", f"Name: some\nDescription: x\nVersion: 1\nCflags: -I{WORK}/mpi\n")
    fine_mpi = [f"if (gv_mpi_{i}() != {i}) return 1;" for i in range(3)]
    header_for_mpi(*fine_mpi)
    good("a header for MPI is left out", "header_examples.py", header(*fine), *arguments)
    arguments = ["header_examples.py", "--mpi", "some", header(*fine), *arguments]
    good("examples with MPI", *arguments, PKG_CONFIG_PATH=f"{WORK}/mpi")
    check("no such MPI", 77, "skipped: mpi.h: no some", *arguments)
    header_for_mpi(*fine_mpi[:2], "if (gv_mpi_2() != 3) return 1;")
    bad("one that fails with MPI", "failed: mpi 2", *arguments, PKG_CONFIG_PATH=f"{WORK}/mpi")
    header_for_mpi(*fine_mpi[:2])
    bad(
        "hardly one with MPI", "no example in the groups", *arguments, PKG_CONFIG_PATH=f"{WORK}/mpi"
    )


def format():
    shutil.copy(SOURCE / ".clang-format", WORK)
    neat, messy = "int x(void) {\n  return 1;\n}\n", "int x(void)\n{\n return  1;\n}\n"
    files = (
        "docs/examples/a.c",
        "include/a.h",
        "src/room/a.c",
        "src/room/a.cu",
        "src/room/a.cuh",
        "tests/unit/a.c",
        "tools/a/a.c",
    )
    for name in files:
        write(name, neat)
    good("neat", "format.sh", WORK)
    for name in files:
        write(name, messy)
        bad(name, f"{name}:", "format.sh", WORK)
        write(name, neat)
    for name in files:
        (WORK / name).unlink()
    bad("nothing to look at", "no sources", "format.sh", WORK)


def tidy():
    def folder(name, code):
        file = write(f"{name}/file.c", "#include <stdlib.h>\n" + code)
        command = {"directory": str(file.parent), "file": str(file), "command": f"cc -c {file}"}
        write(f"{name}/compile_commands.json", json.dumps([command]))
        return file.parent, file

    good(
        "nothing to find",
        "tidy.sh",
        *folder("good", "int f(void);\nint f(void) { void *p = malloc(1); free(p); return 0; }\n"),
    )
    bad(
        "a leak",
        "Potential leak",
        "tidy.sh",
        *folder("leak", "int f(void);\nint f(void) { void *p = malloc(1); return p == NULL; }\n"),
    )
    bad(
        "a size of a pointer",
        "sizeof",
        "tidy.sh",
        *folder("size", "void *f(void);\nvoid *f(void) { int *p = malloc(sizeof p); return p; }\n"),
    )


def data():
    folder = WORK / "data"
    shutil.copytree(SOURCE / "data", folder)
    good("as generated", "data.sh", folder)
    for name in ("sphere_1000.csv", "plane_500.csv"):
        whole = (folder / name).read_text()
        write(folder / name, whole.replace("1", "2", 1))
        bad(f"another digit in {name}", f"{name} differ", "data.sh", folder)
        write(folder / name, whole[:-20])
        bad(f"{name} cut short", f"EOF on {name}", "data.sh", folder)
        write(folder / name, whole)
    script = folder / "make_generated_seeds.py"
    write(script, script.read_text() + "\nraise SystemExit('broken')\n")
    bad("a generator that fails", "broken", "data.sh", folder)


def data_timezones():
    folder = WORK / "data"
    shutil.copytree(SOURCE / "data", folder)
    zones = write(
        "zone.tab", "# zones\nDE\t+5230+01322\tEurope/Berlin\nFR\t+4852+00220\tEurope/Paris\n"
    )
    sum_of = subprocess.run(
        ["cksum"], stdin=zones.open(), capture_output=True, text=True, check=True
    ).stdout
    made = subprocess.run(
        [sys.executable, folder / "make_tz_seeds.py", zones],
        capture_output=True,
        text=True,
        check=True,
    )
    write(folder / "zone.tab.cksum", sum_of)
    write(folder / "timezones.csv", made.stdout)
    good("as made", "data_timezones.sh", folder, zones)
    write(folder / "timezones.csv", made.stdout.replace("Paris", "Pari", 1))
    bad("another name", "timezones.csv differ", "data_timezones.sh", folder, zones)


def programs(**scripts):
    """A folder of programs to find before all others."""
    for name, body in scripts.items():
        write(f"bin/{name}", f"#!/bin/bash\n{body}\n").chmod(0o755)
    return f"{WORK / 'bin'}:{os.environ['PATH']}"


def static_library():
    """With a cmake that only installs a file, and consumers that are content."""
    source = WORK / "source"
    for name in ("consumer_cmake.sh", "consumer_pkgconfig.sh"):
        write(source / "tests" / "project" / name, "true\n")
    path = programs(
        cmake='[[ $1 != --install ]] || { mkdir -p "$4/lib" && touch "$4/lib/$LIBRARY"; }'
    )
    arguments = ("static_library.sh", source, WORK / "work", COMPILER)
    good("an archive", *arguments, PATH=path, LIBRARY="libgpuvoronoi.a")
    bad(
        "a shared library",
        "installs shared libraries",
        *arguments,
        PATH=path,
        LIBRARY="libgpuvoronoi.so.0.1",
    )
    for name in ("consumer_cmake.sh", "consumer_pkgconfig.sh"):
        broken = write(source / "tests" / "project" / name, "echo not content; false\n")
        bad(f"{name} fails", "not content", *arguments, PATH=path, LIBRARY="libgpuvoronoi.a")
        broken.write_text("true\n")


def consumers():
    """With a library that has just what tests/consumer needs."""
    install = WORK / "install"
    shutil.copytree(SOURCE / "include", install / "include")
    header = install / "include" / "gpuvoronoi" / "gpuvoronoi.h"
    (install / "lib" / "pkgconfig").mkdir(parents=True)
    library = compiled(
        "install/lib/libgpuvoronoi.so",
        '#include "../include/gpuvoronoi/gpuvoronoi.h"\n'
        "gv_status gv_context_create(const gv_context_options *o, gv_context **c) { return GV_OK; }\n"
        "void gv_context_destroy(gv_context *c) {}\n"
        "const char *gv_version(void) { return GV_VERSION_STRING; }\n"
        "gv_status gv_device_count(gv_context *c, int *n) { return GV_OK; }\n"
        "int gv_context_threads(const gv_context *c) { return 1; }\n"
        'const char *gv_context_message(const gv_context *c) { return ""; }\n',
        "-w",
        "-shared",
        "-fPIC",
    )
    (install / "lib" / "libgpuvoronoi.so.c").unlink()

    def package(prefix):
        return write(
            install / "lib" / "pkgconfig" / "gpuvoronoi.pc",
            f"prefix={prefix}\nlibdir=${{prefix}}/lib\n"
            "includedir=${prefix}/include\nName: gpuvoronoi\nDescription: x\nVersion: 0.1.0\n"
            "Libs: -L${libdir} -lgpuvoronoi\nCflags: -I${includedir}\n",
        )

    arguments = ("consumer_pkgconfig.sh", SOURCE, install, WORK / "work", COMPILER)
    package("${pcfiledir}/../..")
    good("a package that can be moved", *arguments)
    package(install)
    bad("a package that stays where it was", "leads out of its tree", *arguments)
    made = package("${pcfiledir}/../..")
    text = header.read_text()
    header.write_text(
        text.replace(
            "#include <math.h>",
            "#include <math.h>\nstatic int gv_unused(int class) { return new; }",
        )
    )
    bad("a header that is not C", "error:", *arguments)
    header.write_text(
        text.replace(
            "#include <math.h>",
            "#include <math.h>\nstatic inline int gv_c(int new) { return new; }",
        )
    )
    bad("a header that is not C++", "error:", *arguments)
    header.write_text(text)
    library.rename(WORK / "hidden.so")
    bad("no library", "gpuvoronoi", *arguments)
    made.unlink()
    bad("no package", "no gpuvoronoi.pc", *arguments)

    cmake = 'if [[ $1 == -S ]]; then mkdir -p "$4"; echo "gpuvoronoi_DIR:PATH=$FOUND" >"$4/CMakeCache.txt"; fi'
    cmake += '\ncp "$(type -P "${CONSUMER:-true}")" "${@: -1}/consumer" 2>/dev/null || true'
    cmake += '\ncp "$(type -P "${TABLE:-true}")" "${@: -1}/device_table" 2>/dev/null || true'
    arguments = ("consumer_cmake.sh", SOURCE, install, WORK / "work", COMPILER)
    path = programs(cmake=cmake)
    good("its own package", *arguments, PATH=path, FOUND=f"{install}/lib/cmake")
    bad(
        "another package", "found another gpuvoronoi", *arguments, PATH=path, FOUND="/usr/lib/cmake"
    )
    bad(
        "a consumer that is not content",
        "",
        *arguments,
        PATH=path,
        FOUND=f"{install}/lib/cmake",
        CONSUMER="false",
    )
    bad(
        "a device's table that is wrong",
        "",
        *arguments,
        PATH=path,
        FOUND=f"{install}/lib/cmake",
        TABLE="false",
    )


def house():
    tree = WORK / "tree"
    exceptions = write("exceptions.txt", "# none\n")

    def function(lines, name="f"):
        return (
            f"int {name}(int x,\n      int y) {{\n"
            + "  x += y;\n" * (lines - 4)
            + "  return x;\n}\n"
        )

    def fresh(**more):
        """Rooms as they should be, and files more."""
        shutil.rmtree(tree, ignore_errors=True)
        write(tree / "src/core/core.h", "#define X \\\n  {\n")
        write(
            tree / "src/search/search.c",
            '#include "core/core.h"\n#include "gpuvoronoi/gpuvoronoi.h"\n#include "own.h"\n'
            + function(100),
        )
        write(tree / "src/search/own.h", "struct alignas(16) x {\n" + "  int y;\n" * 150 + "};\n")
        write(
            tree / "src/voronoi/voronoi.c",
            '#include "search/own.h"\nstatic int table[] = {\n' + "  1,\n" * 150 + "};\n",
        )
        write(
            tree / "src/cli/merge/merge.c",
            '#include "voronoi/cpu/x.h"\n' + "/* f(x) {\n" + "no code\n" * 150 + "*/\n",
        )
        write(tree / "src/voronoi/cpu/x.h", '#include "core/core.h"\n')
        write(tree / "tests/a.c", "//\n" * 700)
        for name in ("docs", "include"):
            (tree / name).mkdir()
        for name, text in more.items():
            write(tree / name, text)

    def fails(what, says, files, excepted=""):
        fresh(**files)
        exceptions.write_text(excepted)
        bad(what, says, "house.py", tree, exceptions)

    def passes(what, files, excepted=""):
        fresh(**files)
        exceptions.write_text(excepted)
        good(what, "house.py", tree, exceptions)

    passes("in order", {})
    fails("a long file", "file src/core/long.c: 701 lines", {"src/core/long.c": "int x;\n" * 701})
    fails(
        "a long test",
        "file tests/cli/test_long.py: 701 lines",
        {"tests/cli/test_long.py": "x\n" * 701},
    )
    items = "x = [\n" + "    1,\n" * 699 + "]\n"
    passes("a long list of a test", {"tests/cli/test_list.py": items + "x\n" * 690})
    fails(
        "a long list and a long test",
        "file tests/cli/test_list.py: 701 lines",
        {"tests/cli/test_list.py": items + "x\n" * 700},
    )
    fails("a long function", "function src/core/a.c:f: 101 lines", {"src/core/a.c": function(101)})
    fails(
        "a long kernel",
        "function src/core/a.cu:kernel: 120 lines",
        {
            "src/core/a.cu": "namespace gv {\ntemplate <int K>\n"
            + function(120, "kernel").replace("int", "__global__ void", 1)
        },
    )
    passes("40 files", {f"src/io/{i}.c": "" for i in range(40)})
    fails("41 files", "folder src/io: 41 files", {f"src/io/{i}.c": "" for i in range(41)})
    passes("25 files in voronoi", {f"src/voronoi/{i}.c": "" for i in range(24)})
    fails(
        "26 files in voronoi",
        "folder src/voronoi: 26 files",
        {f"src/voronoi/{i}.c": "" for i in range(25)},
    )
    alike = {f"src/core/{i}.c": "static int build(int x) {\n  return x;\n}\n" for i in range(2)}
    passes(
        "a name in two files",
        alike
        | {
            "src/core/2.c": "int build(void);\nint x = build();\n",
            "tests/b.c": alike["src/core/0.c"],
        },
    )
    fails(
        "a name in three files",
        "static build: 3 files",
        alike | {"tools/2.c": "static struct x *build(\n    int x) {\n}\n"},
    )
    fails(
        "a kernel's name in three files",
        "static build: 3 files",
        alike
        | {
            "src/core/2.cu": "template <int K>\n__global__ void __launch_bounds__(K) build(int x) {\n}\n"
        },
    )
    fails(
        "memory of GDAL's in a header",
        "memory src: 1",
        {"src/io/a.h": "/* Free with CPLFree. */\n"},
    )
    fails(
        "and in a structure",
        "memory src: 1",
        {"src/io/a.c": "void f(x *p) { CSLDestroy(p->list); }\n"},
    )
    passes("and in a function", {"src/io/a.c": "void f(char *p) { CPLFree(p); }\n"})
    paths = "src/io/transaction/"
    fails("paths with GDAL", f"gdal {paths}a.h: 1", {f"{paths}a.h": "#include <cpl_vsi.h>\n"})
    passes("objects with GDAL", {f"{paths}remote.c": "#include <cpl_vsi.h>\n"})
    fails("an unknown room", "src/cellar is no room", {"src/cellar/a.c": ""})
    fails("an arrow up", "upward core search: 1", {"src/core/a.c": '#include "search/own.h"\n'})
    fails(
        "an arrow up from a folder",
        "upward voronoi/cpu io/in: 1",
        {"src/voronoi/cpu/a.c": '# include "io/in/x.h"\n'},
    )
    fails(
        "an arrow sideways",
        "upward cells search: 1",
        {"src/cells/a.c": '#include "search/own.h"\n'},
    )
    fails(
        "a circle in a room",
        "circle voronoi voronoi/cpu: 2",
        {
            "src/voronoi/a.c": '#include "voronoi/cpu/x.h"\n',
            "src/voronoi/cpu/a.c": '#include "voronoi/y.h"\n',
        },
    )
    part = {"src/core/0.c": "typedef struct part {\n  int x;\n} part;\n"}
    passes(
        "types of one name with a reason, and of a test",
        part
        | {
            f"src/cli/{i}.c": "typedef gv_job_settings settings;\ntypedef struct settings {\n} settings;\n"
            for i in range(2)
        }
        | {"tests/b.c": part["src/core/0.c"], "src/core/1.c": "static struct part {\n} part;\n"},
    )
    fails(
        "types of one name",
        "type part: 2 files",
        part | {"tools/1.h": "typedef enum {\n  ONE\n} part;\n"},
    )
    fails(
        "a long circle",
        "circle io/in io/out io/overlay: 3",
        {
            f"src/io/{a}/a.c": f'#include "io/{b}/a.h"\n'
            for a, b in (("in", "out"), ("out", "overlay"), ("overlay", "in"))
        },
    )
    calls = {
        f"src/io/{a}.c": f"int gv_{a}(void) {{\n  return gv_{b}();\n}}\n"
        for a, b in ("ab", "bc", "ca")
    }
    fails("files that call each other", "files src/io/a.c src/io/b.c src/io/c.c: 3", calls)
    passes(
        "static functions of one name",
        {
            "src/io/a.c": calls["src/io/a.c"],
            "src/io/b.c": "static " + calls["src/io/b.c"],
            "src/io/c.c": calls["src/io/c.c"],
        },
    )
    fails(
        "headers that include each other",
        "files src/io/a.h src/io/b.h: 2",
        {f"src/io/{a}.h": f'#include "io/{b}.h"\n' for a, b in ("ab", "ba")},
    )
    passes("a known circle", calls, "files src/io/a.c src/io/b.c src/io/c.c: 3\n")
    long = {"src/core/long.c": "int x;\n" * 720}
    passes("a known exception", long, "file src/core/long.c: 720\n")
    passes("one that has shrunk", long, "file src/core/long.c: 730\n")
    fails(
        "one that has grown",
        "file src/core/long.c: 720 lines, more than 700; house_exceptions.txt allows 719",
        long,
        "file src/core/long.c: 719\n",
    )
    passes(
        "comments of the header",
        {"include/a.h": "int x;\n" * 690 + "/*\n" + " * x\n" * 90 + " */\n"},
    )
    fails("a long header", "file include/a.h: 720 lines", {"include/a.h": "int x;\n" * 720})
    fails(
        "one too many",
        "file src/core/core.h: no exception is needed",
        {},
        "file src/core/core.h: 720\n",
    )
    fails(
        "one of a file that has gone",
        "file src/core/gone.c: no exception is needed",
        {},
        "file src/core/gone.c: 720\n",
    )
    page = "docs/architecture.md"
    passes("a page", {page: "`core.h`, `core/core.h`, `src/X/y.c`, `*kernels.c`\n"})
    fails("a file of the page", f"{page}: core/ore.h does not exist", {page: "`core/ore.h`\n"})
    shutil.rmtree(tree)
    bad("no tree", "no sources", "house.py", tree, exceptions)


def figures():
    tree, program = WORK / "tree", "../../tools/bench/figures.py"
    data = json.loads((SOURCE / "tools/bench/figures.json").read_text(encoding="utf-8"))
    name, table = "processes", data["processes"]
    columns, rows = table["columns"], table["rows"]

    def page(text):
        (tree / "docs").mkdir(parents=True, exist_ok=True)
        write(tree / "README.md", text)
        return program, tree

    def lines(*cells):
        return "".join(
            f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in row)}|\n" for row in cells
        )

    head = lines(columns) + "|" + "---|" * len(columns) + "\n"
    whole, one = f"<!-- figures {name} -->\n\n", f"<!--figure {name}; {rows[0][0]}; ratio-->"
    fine = f"{whole}{head}{lines(*rows)}\n{one}{rows[0][3]}<!--/-->\n"
    good("as in the file", *page(fine), "--check")
    bad(
        "another figure",
        "README.md: figures differ",
        *page(fine.replace(rows[1][1], "1 s")),
        "--check",
    )
    bad("another cell", "README.md: figures differ", *page(f"{one}9<!--/-->\n"), "--check")
    bad("a row less", "README.md: figures differ", *page(whole + head + lines(rows[0])), "--check")
    good(
        "one row",
        *page(f"<!-- figures {name}; {rows[1][0]} -->\n\n{head}{lines(rows[1])}"),
        "--check",
    )
    bad("no marker", "table of times without a marker", *page(head + lines(*rows)), "--check")
    bad("unknown table", "unknown table (none)", *page("<!-- figures none -->\n\n"), "--check")
    bad(
        "unknown row",
        "0 rows or columns begin",
        *page(one.replace("-k", "-j") + "<!--/-->\n"),
        "--check",
    )
    good("written", *page(whole + one + "<!--/-->\n"))
    good("as written", program, tree, "--check")


def mirror():
    tree = WORK / "tree"
    for name in (
        "src/a/own.c",
        "src/a/command.c",
        "src/a/other.cu",
        "src/a/header.h",
        "tests/a/own.c",
        "tests/a/test_command.py",
        "tests/b/c.c",
    ):
        write(tree / name, "")

    def table(*rows):
        return write(
            "covered_by.txt", "# Head\n\n# a kernel\n" + "".join(row + "\n" for row in rows)
        )

    row = "src/a/other.cu: tests/b/c.c tests/a/own.c"
    good("own tests and a row", "mirror.py", tree, table(row))
    bad("no row", "src/a/other.cu: missing test", "mirror.py", tree, table())
    bad(
        "a test that is gone",
        "missing test tests/b/gone.c",
        "mirror.py",
        tree,
        table("src/a/other.cu: tests/b/gone.c"),
    )
    bad(
        "a file that is gone",
        "src/a/gone.c: missing file",
        "mirror.py",
        tree,
        table(row, "src/a/gone.c: tests/b/c.c"),
    )
    bad(
        "a row beside an own test",
        "src/a/own.c: has a test of its own",
        "mirror.py",
        tree,
        table(row, "src/a/own.c: tests/b/c.c"),
    )
    bad("two rows", "two rows", "mirror.py", tree, table(row, row))
    bad("no test in a row", "invalid row", "mirror.py", tree, table(row, "src/a/own.c:"))
    bad("no reason", "missing reason", "mirror.py", tree, write("covered_by.txt", row + "\n"))


def plain_language():
    tree = WORK / "tree"
    phrases = write(
        "phrases.txt",
        "# Head\nall | makes? no sense | invalid\nall | told | reports\nmessages | takes? no | unsupported\n"
        "messages docs | neighbors? | neighbour\nnames | answers? | result\n",
    )
    counts = write("counts.txt", "# none\n")
    clean = {
        "src/io/a.c": '/* "takes no neighbors" */\n#include "told"\nconst char *s = "invalid" "value"; int told;\n',
        "python/gpuvoronoi/a.py": 'told = 1  # neighbors\ndef f():\n    """Takes no neighbors."""\n    return "a"\n',
        "docs/a.md": "Text `told` [x](told.md) twofold.\n\n```\ntold\n```\n",
        "README.md": "# A\n",
    }

    def fresh(**more):
        shutil.rmtree(tree, ignore_errors=True)
        for name, text in {**clean, **more}.items():
            write(tree / name, text)

    def fails(what, says, name, text, allowed=""):
        fresh(**{name: clean.get(name, "") + text})
        counts.write_text(allowed)
        bad(what, says, "plain_language.py", tree, phrases, counts)

    fresh()
    good("clean", "plain_language.py", tree, phrases, counts)
    fails(
        "a comment",
        "src/io/a.c:4: 'makes no sense'; use: invalid",
        "src/io/a.c",
        "/* it makes\n * no sense */\n",
    )
    fails(
        "a line of comments",
        "src/io/a.c:4: 'make no sense'",
        "src/io/a.c",
        "// they make\n// no sense\n",
    )
    fails(
        "a message in two literals",
        "messages src/io: 1 forbidden phrases, allowed 0",
        "src/io/a.c",
        'f("a makes no"\n  " sense");\n',
    )
    fails("a message", "'takes no'; use: unsupported", "src/io/a.c", 'f("--x takes no value");\n')
    fails("a message with \\n", "'told'", "plugin/gdal/a.cpp", 'f("%s\\n told");\n')
    fails(
        "a message of Python",
        "messages python: 1",
        "python/gpuvoronoi/a.py",
        'raise ValueError("x takes no y")\n',
    )
    fails(
        "a formatted message of Python",
        "a.py:5: 'told'",
        "python/gpuvoronoi/a.py",
        'raise ValueError(f"{told} told")\n',
    )
    fails(
        "a docstring",
        "comments python: 1",
        "python/gpuvoronoi/a.py",
        'def g():\n    """Is told."""\n',
    )
    fails("a comment of a test", "comments tests/io: 1", "tests/io/a.c", "/* told */\n")
    fails("a page", "docs docs/a.md: 1", "docs/a.md", "The neighbors.\n")
    answer = "int gv_open_answer = 1; /* gv_open_answer */\n"
    fails("a name", "src/io/a.c:4: 'answer'; use: result", "src/io/a.c", answer)
    fails("a name of Python", "names python: 1", "python/gpuvoronoi/a.py", "class OpenAnswers: 1\n")
    fails("README", "docs README.md: 1", "README.md", "I was Told.\n")
    fails(
        "one more",
        "docs README.md: 2 forbidden phrases, allowed 1",
        "README.md",
        "I was told, told.\n",
        "docs README.md: 1\n",
    )
    fails("a clean room", "docs README.md: clean", "README.md", "", "docs README.md: 1\n")
    fresh(**{"README.md": "I was told.\n"})
    good(
        "as many as allowed",
        "plain_language.py",
        tree,
        phrases,
        write("counts.txt", "docs README.md: 1\n"),
    )
    bad("no sources", "no sources", "plain_language.py", WORK / "nowhere")
    bad(
        "phrases", "invalid line", "plain_language.py", tree, write("phrases.txt", "told\n"), counts
    )


def spelling():
    good(
        "US",
        "spelling.sh",
        write("README.md", "The neighbor's center, `neighbours`, is cancelled.\n").parent,
    )
    write("src/a.c", "int gv_centre_x;\n")
    bad("an identifier", "centre ==> center", "spelling.sh", WORK)
    write("src/a.c", "int gv_center_x;\n")
    write("README.md", "In grey.\n")
    bad("a page", "grey ==> gray", "spelling.sh", WORK)
    shutil.rmtree(WORK / "src")
    (WORK / "README.md").unlink()
    bad("nothing to look at", "no sources", "spelling.sh", WORK)


def gpu_gate():
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(SOURCE / "src", tree / "src")
    (tree / "tests" / "gpu").mkdir(parents=True)
    shutil.copy(SOURCE / "tests" / "gpu" / "run-all", tree / "tests" / "gpu")

    def result(**values):
        known = {
            "hash": sources,
            "card": "1 card",
            "date": "2026-01-01",
            "passed": 9,
            "failed": 0,
            **values,
        }
        return write(
            "last-run.txt",
            "# a run\n" + "".join(f"{name}: {value}\n" for name, value in known.items()),
        )

    sources = subprocess.run(
        [tree / "tests" / "gpu" / "run-all", "--hash"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert len(sources) == 64, sources
    good("a run of these sources", "gpu_gate.sh", tree, result())
    bad("no run", "missing", "gpu_gate.sh", tree, WORK / "gone.txt")
    bad("failed tests", "tests failed (2)", "gpu_gate.sh", tree, result(failed=2))
    bad("nothing run", "tests failed", "gpu_gate.sh", tree, result(passed=0))
    bad("a run of other sources", "outdated", "gpu_gate.sh", tree, result(hash="0" * 64))
    header = tree / "src" / "search" / "float_filter.h"  # included by files of the module
    code = header.read_text()
    header.write_text("/* other words */\n" + code)
    good("another comment", "gpu_gate.sh", tree, result())
    header.write_text(code + "enum { GV_PLANTED };\n")
    bad("another header", "outdated", "gpu_gate.sh", tree, result())


subject = {
    run.__name__: run
    for run in (
        abi,
        exact_flags,
        gpu_gate,
        header_examples,
        library_manners,
        exports,
        format,
        tidy,
        data,
        data_timezones,
        static_library,
        consumers,
        house,
        figures,
        mirror,
        plain_language,
        spelling,
        version,
        debian,
        portable,
        wheels,
        docker,
        cuda_wheel,
        conda_recipe,
    )
}[sys.argv[1]]
if WORK in (SOURCE, *SOURCE.parents) or (WORK / ".git").exists():
    sys.exit(f"checks_check.py: {WORK} has sources, and would be removed; name another folder")
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
subject()
print(f"{checks_tools.done} runs as expected")
