"""What ``./dev release`` takes from the repository, and writes beside the packages."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import release
from wheels.failures import WheelError

ROOT = Path(__file__).parents[2]
CHANGELOG = """\
# Changelog

## 1.10.0 – 2026-01-02

- Newer.

## 1.1 – 2026-01-01

### run

- Older.

## 1.0 – 2025-01-01

- Oldest.
"""


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    assert release.find_changes((ROOT / "CHANGELOG.md").read_text(), release.read_version())


def test_a_version_that_differs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.1"\n')
    (tmp_path / "CMakeLists.txt").write_text("project(a VERSION 1.0 LANGUAGES NONE)")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    with pytest.raises(WheelError, match=r"^CMakeLists\.txt has another version than .*, which has 1\.1$"):
        release.read_version()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.1", "## 1.1 – 2026-01-01\n\n### run\n\n- Older.\n"),
        ("1.0", "## 1.0 – 2025-01-01\n\n- Oldest.\n"),
    ],
)
def test_the_changes_of_a_version_end_where_another_begins(version: str, expected: str) -> None:
    assert release.find_changes(CHANGELOG, version) == expected


def test_a_version_without_changes_is_refused() -> None:
    with pytest.raises(WheelError, match=r"^CHANGELOG\.md has no section of 1\.2$"):
        release.find_changes(CHANGELOG, "1.2")


def test_of_a_lock_only_packages_that_are_compiled_in_are_taken() -> None:
    lock = "# head\nclick==1 \\\n    --hash=sha256:00\nziglang==2 \\\n    --hash=sha256:01\n    # via x\n"
    assert release.select_locked(lock, ["ziglang"]).startswith("ziglang==2 \\\n    --hash=sha256:01\n")
    assert "click" not in release.select_locked(lock, ["ziglang"])


def test_every_package_that_is_compiled_in_is_locked() -> None:
    lock = (ROOT / "requirements" / "release.txt").read_text()
    assert all(release.select_locked(lock, [name]) for name in release.COMPILED_IN)


def test_checksums_are_read_by_sha256sum_and_find_a_change(tmp_path: Path) -> None:
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("no sha256sum, which is the witness")
    (tmp_path / "a.whl").write_bytes(b"a")
    (tmp_path / "b.tar.gz").write_bytes(b"b")
    release.write_checksums(tmp_path)
    release.write_checksums(tmp_path)
    check = [program, "--check", "--strict", "SHA256SUMS"]
    assert (
        subprocess.run(check, cwd=tmp_path, capture_output=True, check=True).stdout
        == b"a.whl: OK\nb.tar.gz: OK\n"
    )
    (tmp_path / "a.whl").write_bytes(b"c")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1
