"""Turns with a commit: what is measured, and why it is not."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from steelyard.extensions.pytest.turns import Turns

OLD = """\
def test_it(steelyard, work):
    steelyard(work(1_000_000))
"""
NEW = OLD.replace("1_000_000", "1_200_000")
LONGER = r"1\.(1[7-9]\d*|2|2[0-3]\d*) × as long"
"""Noise of 1 % on either side is drawn anew in each process."""


def against(sessions, revision, *options):
    done = sessions.run("--steelyard-against", revision, "--steelyard-blocks", "3", *options)
    return done.returncode, " ".join(done.stdout.split())


def test_every_test_is_measured_with_a_commit_and_a_slower_one_fails(sessions):
    sessions.write(OLD)
    sessions.commit()
    sessions.write(NEW)
    sessions.commit()
    code, output = against(sessions, "HEAD~1")
    assert code == 1
    assert re.search(rf"test_it\.py::test_it: slower, {LONGER} in turns with", output)
    assert "2 pairs of processes" in output


def test_the_same_code_is_not_slower_than_itself(sessions):
    sessions.write(OLD)
    sessions.commit()
    code, output = against(sessions, "HEAD", "--steelyard-strict")
    assert code == 0, output
    assert "test_it.py::test_it: not resolved" in output


def test_tests_in_a_subdirectory_that_is_the_root_of_pytest_are_measured(sessions):
    sessions.write(OLD)
    (sessions.directory / "below").mkdir()
    for path in sessions.directory.iterdir():
        if path.is_file():
            path.rename(sessions.directory / "below" / path.name)
    sessions.commit()
    (sessions.directory / "below/test_it.py").write_text(NEW)
    done = sessions.run("--steelyard-against", "HEAD", "below", "--rootdir", "below")
    assert done.returncode == 1, done.stdout
    assert re.search(rf"test_it\.py::test_it: slower, {LONGER}", done.stdout)


@pytest.mark.parametrize("strict", [False, True])
def test_what_the_commit_does_not_have_is_not_judged(sessions, strict):
    sessions.write(OLD)
    commit = sessions.commit()
    sessions.write(OLD + OLD.replace("test_it", "test_new"))
    sessions.write(OLD, "test_other.py")
    code, output = against(sessions, "HEAD", *(("--steelyard-strict",) if strict else ()))
    assert code == int(strict)
    assert f"test_it.py::test_new: not judged; not measured in turns: it is not in {commit[:12]}" in output
    assert f"test_other.py::test_it: not judged; not measured in turns: {commit[:12]} has no" in output
    assert "test_it.py::test_it: not resolved" in output


def test_a_revision_that_is_none_is_named_and_fails_the_session(sessions):
    sessions.write(OLD)
    sessions.commit()
    code, output = against(sessions, "nosuch")
    assert code == 1
    assert "nothing was measured in turns with nosuch: 'nosuch' names no commit" in output
    assert against(sessions, "nosuch", "--steelyard-strict")[0] == 1


def test_a_commit_whose_tests_cannot_be_imported_is_named_with_the_error(sessions):
    sessions.write("import missing_module\n\n\n" + OLD)
    sessions.commit()
    sessions.write(NEW)
    code, output = against(sessions, "HEAD")
    assert code == 0
    assert "No module named 'missing_module'" in output


def test_code_that_comes_from_the_other_tree_is_not_taken_for_that_of_the_commit(sessions):
    """As of a package that is installed in editable mode: the commit would be compared with itself."""
    library = sessions.directory / "lib"
    library.mkdir()
    (library / "product.py").write_text("NS = 1_000_000\n")
    imports = f"import sys\n\nsys.path.insert(0, {str(library)!r})\nimport product\n\n\n"
    sessions.write(imports + OLD.replace("1_000_000", "product.NS"))
    sessions.commit()
    (library / "product.py").write_text("NS = 2_000_000\n")
    code, output = against(sessions, "HEAD", "--steelyard-strict")
    assert code == 1
    assert "import product from" in output
    assert "not its own" in output


def test_a_package_installed_beside_its_sources_is_not_taken_for_that_of_the_commit(
    sessions, tmp_path_factory, monkeypatch
):
    installed = tmp_path_factory.mktemp("installed")
    for place in (installed, sessions.directory / "src"):
        place.mkdir(exist_ok=True)
        (place / "product.py").write_text("NS = 1_000_000\n")
    monkeypatch.setenv("PYTHONPATH", str(installed))
    sessions.write("import product\n\n\n" + OLD.replace("1_000_000", "product.NS"))
    sessions.commit()
    output = against(sessions, "HEAD")[1]
    assert "import product from" in output


def test_a_test_that_fails_with_the_commit_alone_is_not_judged(sessions):
    sessions.write(OLD + "    assert 0, 'as it was'\n")
    sessions.commit()
    sessions.write(OLD)
    code, output = against(sessions, "HEAD")
    assert code == 0
    assert "not judged; not measured in turns: it gives no value in" in output


class Scripted(Turns):
    """Turns whose pairs of processes give these differences."""

    def __init__(self, tmp_path, **logs):
        super().__init__(SimpleNamespace(rootpath=tmp_path), tmp_path, tmp_path, "0f3c5a8e21b7")
        self._logs = logs
        (tmp_path / "test_it.py").touch()

    def _measure_pair(self, number, files):
        for test in files["test_it.py"]:
            log = self._logs[test.partition("::")[2]][number]
            self._differences.setdefault(test, []).append(log)

    def outcomes(self, *, screens):
        items = [SimpleNamespace(nodeid=f"test_it.py::{name}") for name in self._logs]
        turned = self.measure(items, screens=screens).turned
        return {name.partition("::")[2]: (test.pairs, test.outcome) for name, test in turned.items()}


ALTERNATING = [0.1, -0.1] * 9


def test_open_test_gets_more_pairs_while_it_looks_slower_and_may_be_decided(tmp_path):
    assert Scripted(
        tmp_path,
        shown=[0.1, 0.11] * 9,
        later=[log + 0.1 for log in ALTERNATING],
        equal=[log + 0.005 for log in ALTERNATING],
        hopeless=[log + 0.02 for log in ALTERNATING],
        faster=[-0.1, -0.11] * 9,
    ).outcomes(screens=True) == {
        "shown": (6, "slower"),
        "later": (18, "slower"),
        "equal": (2, "not_resolved"),
        "hopeless": (6, "not_resolved"),
        "faster": (2, "not_resolved"),
    }


def test_all_tests_against_a_commit_are_judged_in_both_directions(tmp_path):
    assert Scripted(tmp_path, faster=[-0.1, -0.11] * 9, equal=[log + 0.005 for log in ALTERNATING]).outcomes(
        screens=False
    ) == {"faster": (6, "faster"), "equal": (6, "not_resolved")}
