"""What is packed: complete, tidy, translated, and made for QGIS 3.22 to 4."""

import ast
import configparser
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

import pytest
from conftest import FOLDER, ROOT

SOURCE = ROOT / "plugin" / "qgis" / "gpuvoronoi_processing"


@pytest.fixture(scope="module")
def archive():
    (path,) = FOLDER.parent.glob("gpuvoronoi-qgis-*.zip")
    with zipfile.ZipFile(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(archive):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(archive.read("gpuvoronoi_processing/metadata.txt").decode("utf-8"))
    return parser["general"]


def test_archive(archive):
    names = [name for name in archive.namelist() if not name.endswith("/")]
    assert archive.testzip() is None
    assert {name.split("/")[0] for name in names} == {"gpuvoronoi_processing"}
    assert (
        "gpuvoronoi_processing/LICENSE" in names
        and archive.read("gpuvoronoi_processing/LICENSE") == (ROOT / "LICENSE").read_bytes()
    )
    assert sum(archive.getinfo(name).file_size for name in names) < 1000000
    for name in names:
        assert re.search(r"(\.py|\.svg|\.png|\.qm|metadata\.txt|LICENSE)$", name), name
        assert "__pycache__" not in name and not any(
            part.startswith(".") for part in name.split("/")
        )
        assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0, name


@pytest.mark.parametrize(
    "command",
    [
        ["bandit", "--quiet", "-r", "gpuvoronoi_processing"],
        [
            "flake8",
            "--isolated",
            "--extend-ignore=E203",
            "--max-line-length=120",
            "gpuvoronoi_processing",
        ],
        ["detect-secrets", "scan", "--all-files", "--exclude-files", r"metadata\.txt", "."],
    ],
    ids=lambda command: command[0],
)
def test_the_plugin_repository_finds_nothing(archive, tmp_path, command):
    """What it runs on the archive, with findings of all severities."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    archive.extractall(tmp_path)
    (tmp_path / "gpuvoronoi_processing" / "planted.py").write_text(
        "import pickle, os\nos.chmod('x', 0o777)\nkey = 'AKIAIOSFODNN7EXAMPLB'\n"
    )

    def found():
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return (
            str(json.loads(done.stdout)["results"] or "")
            if command[0] == "detect-secrets"
            else done.stdout
        )

    assert "planted.py" in found()
    (tmp_path / "gpuvoronoi_processing" / "planted.py").unlink()
    assert found().strip() == ""


def test_archive_is_the_same_bytes_every_time(archive, tmp_path):
    """Whatever the files' times, modes and order in their folder."""
    for number, names in enumerate((archive.namelist(), archive.namelist()[::-1])):
        for name in names:
            path = tmp_path / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
            path.chmod(0o600 + number)
            os.utime(path, (1e9 + number * 1e6, 1e9 + number * 1e6))
        subprocess.run(
            [
                sys.executable,
                ROOT / "packaging" / "zip.py",
                tmp_path / f"{number}.zip",
                tmp_path / str(number) / "gpuvoronoi_processing",
            ],
            check=True,
            env={
                **os.environ,
                "TZ": ("UTC", "Pacific/Apia")[number],
                "SOURCE_DATE_EPOCH": "1700000000",
            },
        )
    assert (tmp_path / "0.zip").read_bytes() == (tmp_path / "1.zip").read_bytes()


def test_archive_is_complete(archive):
    """Nothing of the source is forgotten in the list of plugin/CMakeLists.txt."""
    source = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    packed = {name.partition("/")[2] for name in archive.namelist() if not name.endswith("/")}
    assert source - packed == {path for path in source if path.endswith(".ts")}
    assert {path for path in packed - source if not path.endswith(".qm")} == {"LICENSE"}


def test_metadata(metadata):
    for key in (
        "name",
        "description",
        "about",
        "version",
        "author",
        "qgisMinimumVersion",
        "qgisMaximumVersion",
        "category",
        "tags",
        "icon",
        "license",
        "changelog",
    ):
        assert metadata[key].strip(), key
    assert "plugin" not in metadata["name"].lower()
    assert metadata["hasProcessingProvider"] == "yes"
    assert metadata["qgisMinimumVersion"] == "3.22" and metadata["qgisMaximumVersion"] == "4.99"
    assert metadata["supportsQt6"] == "yes"
    assert "external program gpuvoronoi" in metadata["about"]
    assert (SOURCE / metadata["icon"]).read_bytes().startswith(b"\x89PNG")
    header = (ROOT / "include" / "gpuvoronoi" / "gpuvoronoi.h").read_text()
    assert metadata["version"] == re.search(r'#define GV_VERSION_STRING "(.*)"', header).group(1)


def addresses(*arguments):
    done = subprocess.run(
        [sys.executable, ROOT / "packaging" / "addresses.py", *arguments],
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_addresses_are_in_one_place(metadata):
    """packaging/addresses.txt has them, and nothing of the plugin's source leads to the web."""
    for path in SOURCE.rglob("*"):
        if path.suffix in (".py", ".ts", ".txt"):
            assert "http" not in path.read_text(encoding="utf-8"), path
    given = dict(
        line.split("=", 1)
        for line in (ROOT / "packaging" / "addresses.txt").read_text().splitlines()
        if "=" in line
    )
    assert sorted(given) == ["email", "homepage", "repository", "tracker"]
    assert {key: metadata[key] for key in given} == given


ADDRESSES = "# comment\nhomepage=https://a.org\ntracker=https://a.org/t\nrepository=https://a.org/r\nemail=me@a.org\n"


@pytest.mark.parametrize(
    "old,new,said",
    [
        ("", "", None),
        ("https://a.org/t", "", "addresses.txt:3: tracker: empty address; fill in this line"),
        ("me@a.org", "", "addresses.txt:5: email: empty address"),
        ("me@a.org", "me", "addresses.txt:5: email: invalid address (me); expected a mail address"),
        (
            "https://a.org/r",
            "http://a.org/r",
            "addresses.txt:4: repository: invalid address (http://a.org/r); expected https",
        ),
        (
            "https://a.org/r",
            "https://a.example/r",
            "addresses.txt:4: repository: invalid address (https://a.example/r)",
        ),
        ("email=", "mail=", "addresses.txt:5: invalid line (mail=me@a.org)"),
        ("email=me@a.org\n", "", "missing line; add email="),
    ],
)
def test_addresses_are_checked(tmp_path, old, new, said):
    path = tmp_path / "addresses.txt"
    path.write_text(ADDRESSES.replace(old, new))
    status, text = addresses("--check", "--file", path)
    assert (status, text) == (0, "") if said is None else status == 1 and said in text


def test_repository_archive_needs_the_addresses():
    """Without them the build's target fails with the line to fill in, and leaves no archive."""
    status, text = addresses("--check")
    made = subprocess.run(
        ["cmake", "--build", FOLDER.parents[1], "--target", "qgis-plugin-repository"],
        capture_output=True,
        text=True,
    )
    assert (made.returncode != 0) == (status != 0) and text.strip() in made.stdout + made.stderr
    assert bool(list(FOLDER.parent.glob("gpuvoronoi_processing.*.zip"))) == (status == 0)


WANTED = [
    "nearest facility",
    "distance to coast",
    "thiessen",
    "euclidean allocation",
    "service area",
]


def test_found_by_the_words_of_others(session, metadata):
    """In the plugin repository by its tags, in the toolbox by those of the algorithms."""
    assert set(WANTED) <= set(metadata["tags"].split(","))
    for words in WANTED:
        assert any(words in made.tags() for made in session.provider.algorithms()), words


def test_icons():
    for path in (SOURCE / "icons").glob("*.svg"):
        assert xml.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def trees():
    for path in SOURCE.rglob("*.py"):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_imports():
    """
    Qt only through qgis.PyQt, which is there for Qt 5 and 6; beyond QGIS only GDAL and the standard library. What computes
    by the Python package has that, too, with numpy and geopandas; no other module imports these modules when it is loaded.
    """
    for path, tree in trees():
        computes = path.parent.name == "package" and path.name != "__init__.py"
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module]
            else:
                continue
            for module in modules:
                top = module.split(".")[0]
                known = (
                    "qgis",
                    "osgeo",
                    "processing",
                    *(("numpy", "pandas", "geopandas", "gpuvoronoi") if computes else ()),
                )
                assert top in sys.stdlib_module_names or top in known, (path, module)


def test_enums_are_named_in_full():
    """QgsProcessing.TypeVectorPoint is gone with Qt 6; QgsProcessing.SourceType.TypeVectorPoint is in all versions."""
    short = re.compile(
        r"^(Type|Flag|Origin|Writer|WKT_|Point$|Polygon$|LineString$|Double$|Integer$|Any$|Numeric$|NoGeometry$)"
    )
    for path, tree in trees():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id.startswith("Qgs")
            ):
                assert not short.match(node.attr) or node.attr in (
                    "Type",
                    "Flag",
                    "Flags",
                    "WriterError",
                ), (path, node.attr)


def short_enums(path, tree):
    """Members of enums that are named as their class's own, of the classes that a file imports; Qt 6 has them in their enum only."""
    classes = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.startswith("qgis."):
            module = importlib.import_module(node.module)
            classes.update(
                {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
            )
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and inspect.isclass(classes.get(node.value.id))
        ):
            value = getattr(classes[node.value.id], node.attr, None)
            if isinstance(value, int) and type(value) not in (int, bool):
                yield path.name, node.lineno, f"{node.value.id}.{node.attr}"


def test_enums_are_named_in_full_by_what_they_are(session):
    """As above, asked of this QGIS's own classes."""
    planted = ast.parse(
        "from qgis.PyQt.QtCore import Qt, QVariant\nx = Qt.Checked, QVariant.Int, Qt.CheckState.Checked\n"
    )
    assert [name for _, _, name in short_enums(SOURCE / "planted.py", planted)] == [
        "Qt.Checked",
        "QVariant.Int",
    ]
    # What field_types.py has for versions of QGIS before QMetaType.
    assert [
        found
        for path, tree in trees()
        for found in short_enums(path, tree)
        if found[0] != "field_types.py"
    ] == []


def test_no_windows_and_no_shell():
    for path, tree in trees():
        text = path.read_text(encoding="utf-8")
        assert ("QtWidgets" in text) == (path.name in ("offer.py", "widgets.py"))
        assert ".exec_(" not in text  # gone with Qt 6
        assert "shell=True" not in text and "os.system" not in text and "print(" not in text


def test_translations_are_complete():
    done = subprocess.run(
        [sys.executable, ROOT / "plugin" / "qgis" / "update_translations.py", "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_language_can_be_begun(tmp_path):
    """All texts are present, unfinished, and the script lists them."""
    shutil.copytree(
        ROOT / "plugin" / "qgis", tmp_path / "qgis", ignore=shutil.ignore_patterns("__pycache__")
    )
    script = [sys.executable, tmp_path / "qgis" / "update_translations.py"]
    made = subprocess.run([*script, "--new", "fr"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    texts = list(
        xml.parse(tmp_path / "qgis" / "gpuvoronoi_processing" / "i18n" / "gpuvoronoi_fr.ts")
        .getroot()
        .iter("message")
    )
    assert len(texts) > 100 and all(
        text.find("translation").get("type") == "unfinished" for text in texts
    )
    checked = subprocess.run([*script, "--check"], capture_output=True, text=True)
    assert (
        checked.returncode == 1
        and f"gpuvoronoi_fr.ts: 0 of {len(texts)} texts translated" in checked.stdout
    )
    assert "gpuvoronoi_fr.ts: not translated: Seeds\n" in checked.stdout
    assert f"gpuvoronoi_de.ts: {len(texts)} of {len(texts)} texts translated" in checked.stdout
    assert (
        subprocess.run([*script, "--new", "fr"], capture_output=True).returncode != 0
    )  # it is there already


def test_translations_keep_their_places():
    """Placeholders and HTML of a text are those of its translation."""
    for path in (SOURCE / "i18n").glob("*.ts"):
        for message in xml.parse(path).getroot().iter("message"):
            texts = message.findtext("source"), message.findtext("translation")
            for pattern in (r"\{\w*\}", r"</?\w+>"):
                assert sorted(re.findall(pattern, texts[0])) == sorted(
                    re.findall(pattern, texts[1])
                ), texts


def test_translation_is_used(session):
    from gpuvoronoi_processing.i18n import CONTEXT, FOLDER as TRANSLATIONS
    from qgis.PyQt.QtCore import QCoreApplication, QTranslator

    if not (TRANSLATIONS / "gpuvoronoi_de.qm").exists():
        pytest.skip("built without lrelease")
    translator = QTranslator()
    assert translator.load(str(TRANSLATIONS / "gpuvoronoi_de.qm"))
    assert translator.translate(CONTEXT, "Seeds") == "Objekte"
    assert QCoreApplication.translate(CONTEXT, "Seeds") == "Seeds"
