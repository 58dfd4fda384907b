"""What a repository has besides code: workflows, forms and hooks that say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(
    set((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) - {ROOT / ".github/ISSUE_TEMPLATE/config.yml"}
)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_scripts_that_a_workflow_starts_exist(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    lines = [
        line for job in jobs.values() for step in job["steps"] for line in step.get("run", "").splitlines()
    ]
    scripts = [line.split()[0] for line in lines if re.match(r"\.(/|ci/)", line.strip()) if line.split()]
    for script in scripts:
        assert (ROOT / script).is_file(), script
    commands = [line.split()[1] for line in lines if line.startswith("./dev ")]
    text = (ROOT / "dev").read_text(encoding="utf-8")
    for command in commands:
        assert f"\ndef {command}(" in text, command


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_of_an_issue_asks_for_the_version_and_the_command(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert {"command", "version"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_hooks_before_a_commit_have_the_versions_that_lint_has():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    locked = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    for repository, package in (("ruff-pre-commit", "ruff"), ("mirrors-clang-format", "clang-format")):
        (rev,) = (repo["rev"] for repo in hooks["repos"] if repo["repo"].endswith(repository))
        assert re.search(rf"^{package}==(\S+)", locked, re.MULTILINE)[1] == rev.removeprefix("v")


def test_the_hook_of_a_subject_refuses_73_characters_and_no_long_body():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (hook,) = (hook for repo in hooks["repos"] for hook in repo["hooks"] if hook["id"] == "subject")
    pattern = re.compile(hook["entry"], re.MULTILINE)
    assert pattern.search("x" * 73)
    assert not pattern.search("x" * 72 + "\n\n" + "y" * 100)


def test_the_citation_names_the_version_and_has_what_the_format_requires():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    version = re.search(
        r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert citation["version"] == version[1]
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference), reference["title"]
        assert all(set(author) & {"family-names", "name"} for author in reference["authors"])
