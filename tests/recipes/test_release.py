"""The workflow that publishes: what it may do, and the shell steps that guard it."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / ".github" / "workflows" / "release.yml"


def test_only_the_job_that_publishes_may_ask_for_a_token_and_no_secret_is_used():
    text = WORKFLOW.read_text()
    make, publish = text.split("\n  publish:\n")
    assert "id-token" not in make
    assert "permissions:\n  contents: read\n" in make
    assert "permissions:\n      id-token: write\n" in publish
    assert "checkout" not in publish
    assert "secrets." not in text
    assert "password" not in text.partition("name: Release")[2]


@pytest.mark.parametrize(("tag", "code"), [("v1.2", 0), ("v1.3", 1)])
def test_a_tag_of_another_version_publishes_nothing(steps, tmp_path, tag, code):
    (tmp_path / "dist" / "1.2").mkdir(parents=True)
    (tmp_path / "dist" / "1.2" / "SHA256SUMS").touch()
    script = steps(WORKFLOW)["Refuse a tag of another version"]
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env={"GITHUB_REF_NAME": tag}, check=False
    )
    assert done.returncode == code


@pytest.mark.parametrize("changed", [False, True])
def test_only_packages_whose_checksums_agree_are_handed_on(steps, tmp_path, changed):
    folder = tmp_path / "release" / "1.2"
    folder.mkdir(parents=True)
    names = ("a.whl", "a.tar.gz", "a-man.tar.xz", "a.cdx.json")
    for name in names:
        (folder / name).write_text(name)
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    if changed:
        (folder / "a.whl").write_text("b")
    script = steps(WORKFLOW)["Take the packages out of what was checked"]
    env = {"GITHUB_WORKSPACE": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    if changed:
        assert done.returncode == 1
        assert not (tmp_path / "packages").exists()
    else:
        assert sorted(path.name for path in (tmp_path / "packages").iterdir()) == ["a.tar.gz", "a.whl"]
