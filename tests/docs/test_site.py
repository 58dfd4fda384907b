"""The site is built without a warning, from pages that are all reached."""

from __future__ import annotations

import subprocess
import sys

import pytest

from docs import ROOT


def test_the_site_is_built_without_a_warning_and_has_the_schemas(tmp_path):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: ./dev docs --site cannot build the site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(tmp_path / "trees"), "docs", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert (site / "tutorials" / "two-binaries.html").is_file()
    assert (site / "spec.schema.json").is_file()
    schemas = {each.name for each in (ROOT / "docs").rglob("*.schema.json")}
    assert {"comparison.schema.json", "history.schema.json"} < schemas
    assert {each.name for each in site.glob("*.schema.json")} == schemas
