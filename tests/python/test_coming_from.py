"""docs/coming-from.md: its examples run."""

import doctest
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))
NEEDED = {
    "scipy": ["scipy.spatial"],
    "scikit-learn": ["sklearn.neighbors"],
    "GeoPandas": ["geopandas"],
    "pykdtree": [],
    "xarray-spatial": ["xarray"],
    "pyresample": [],
}


def test_every_section_is_run():
    assert set(SECTIONS) == set(NEEDED)


@pytest.mark.parametrize("name", SECTIONS)
def test_examples(name):
    for module in NEEDED[name]:
        pytest.importorskip(module)
    examples = "\n".join(re.findall(r"^```pycon\n(.*?)^```", SECTIONS[name], flags=re.M | re.S))
    test = doctest.DocTestParser().get_doctest(examples, {}, name, "docs/coming-from.md", 0)
    assert len(test.examples) >= 5
    told = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        test, out=told.append
    )
    assert failed == 0, "".join(told)
