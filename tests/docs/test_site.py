"""The site is built without a warning, from pages that are all reached, and its links lead somewhere."""

from __future__ import annotations

import pytest
from documentation import site

from docs import ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: ./dev site cannot build the site")
    place = tmp_path_factory.mktemp("built") / "site"
    process = site.build(ROOT, place)
    assert process.returncode == 0, process.stderr
    return place


def test_the_site_has_pages_a_search_and_the_schemas(built):
    assert (built / "tutorials" / "two-binaries.html").is_file()
    assert (built / "search.html").is_file()
    assert "gate" in (built / "searchindex.js").read_text(encoding="utf-8")
    assert (built / "spec.schema.json").is_file()
    schemas = {path.name for path in (ROOT / "docs").rglob("*.schema.json")}
    assert {"comparison.schema.json", "history.schema.json"} < schemas
    assert {item.name for item in built.glob("*.schema.json")} == schemas


def test_every_link_of_the_site_leads_to_a_page_and_a_place_on_it(built):
    assert list(site.broken_links(built)) == []


def test_links_to_no_file_and_to_no_place_are_found(tmp_path):
    (tmp_path / "one.html").write_text(
        '<h1 id="top"><a href="two.html#there">x</a><a href="two.html#gone">x</a><a href="three.html">x</a>'
        '<a href="#top">x</a><a href="https://example.org/none">x</a><img src="none.svg">',
        encoding="utf-8",
    )
    (tmp_path / "two.html").write_text('<p id="there">', encoding="utf-8")
    assert list(site.broken_links(tmp_path)) == [
        "one.html: the link two.html#gone leads to no place on that page",
        "one.html: the link three.html leads to no file",
        "one.html: the link none.svg leads to no file",
    ]
