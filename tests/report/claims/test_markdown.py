"""Verdicts as Markdown for a comment."""

from __future__ import annotations

import pytest

from steelyard.report.claims import markdown


def test_a_document_without_claims_says_so():
    assert markdown.render([], strict=False) == "### ✓ Steelyard: no claims\n"


def test_what_could_not_be_judged_fails_and_its_text_is_shown_as_it_is():
    text = markdown.render([], {"it.toml": "unknown key *x* | @someone\n<img src=x>"}, strict=False)
    assert text.startswith("### ✗ Steelyard: 1 could not be judged\n")
    assert r"unknown key \*x\* \| &#64;someone \<img src=x\>" in text


@pytest.mark.extensions("growth")
@pytest.mark.parametrize(
    ("strict", "headline"),
    [
        (False, "? Steelyard: nothing was decided: this gate let everything pass"),
        (True, "✗ Steelyard: nothing was decided"),
    ],
)
def test_what_is_open_fails_only_under_strict(steelyard_cli, tmp_path, strict, headline):
    (tmp_path / "it.toml").write_text(
        'name = "sleeping"\n[program]\ncommand = ["sleep", "{seconds}"]\n'
        "[factors]\nseconds = [0.001, 0.002]\n[design]\nblocks = 3\n"
        '[[claims]]\nlimit = "rss_bytes"\nat = { seconds = 5 }\nmax = "1 GB"\n'
    )
    done = steelyard_cli(
        "check", "it.toml", "--github", "--markdown", "out.md", *(["--strict"] if strict else [])
    )
    kind, title = headline[2:].replace("Steelyard: ", "").replace(":", "%3A"), "sleeping%3A "
    assert f"::{'error' if strict else 'warning'} title={title}{kind}::1 claim open" in done.stderr
    assert done.stdout.startswith(f"? {headline.split('Steelyard: ')[1]}\n")
    assert done.returncode == (3 if strict else 0), done.stderr
    text = (tmp_path / "out.md").read_text()
    assert text.startswith(f"### {headline}, 1 not judged\n\n**sleeping**\n")
    assert r"| – | rss\_bytes at most 1.00 GB at seconds = 5: not judged" in text


def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(steelyard_cli, tmp_path):
    (tmp_path / "it.toml").write_text(
        '[program]\ncommand = ["true"]\n[[claims]]\nlimit = "wall_s"\nmax = 1\n'
    )
    done = steelyard_cli("check", "it.toml", "--markdown", "nowhere/out.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --markdown nowhere/out.md: cannot be written")
    assert not (tmp_path / "it.lab").exists()
