"""The files of a folder, in the order of their numbers."""

from __future__ import annotations

from steelyard.files.folders import list_files


def test_files_come_in_the_order_of_their_numbers_without_hidden_ones(tmp_path):
    for name in ("run10.json", "run9.json", ".state", ".git/config", "b/run1.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [str(path.relative_to(tmp_path)) for path in list_files(tmp_path)] == [
        "b/run1.json",
        "run9.json",
        "run10.json",
    ]
