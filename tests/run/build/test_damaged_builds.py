"""What was built and is no longer as it was built."""

from __future__ import annotations

import os
import shutil
import time

import pytest


@pytest.mark.parametrize("damage", ["changed", "deleted", "directory gone", "marker garbage", "marker gone"])
def test_a_damaged_directory_is_built_again_and_said(workshop, damage):
    workshop.write("x", "")
    built = workshop.shell("mkdir {build}/sub; echo 1 > {build}/sub/f").build({})
    file, marker = built.directory / "sub/f", built.directory.with_suffix(".complete")
    reasons = {
        "changed": (lambda: file.write_text("2\n"), "its file sub/f is no longer as it was built"),
        "deleted": (file.unlink, "its file sub/f is no longer as it was built"),
        "directory gone": (
            lambda: shutil.rmtree(built.directory),
            "its file sub/f is no longer as it was built",
        ),
        "marker garbage": (lambda: marker.write_bytes(b'{"format":"steely'), "its marker cannot be read"),
        "marker gone": (marker.unlink, "not built before"),
    }
    harm, reason = reasons[damage]
    time.sleep(0.02)  # into the next tick of the file system's clock
    harm()
    again = workshop.shell("mkdir {build}/sub; echo 1 > {build}/sub/f").build({})
    assert (again.fresh, again.reason, again.directory) == (True, reason, built.directory)
    assert file.read_text() == "1\n"


def test_a_directory_of_another_key_that_begins_alike_is_built_again(workshop):
    workshop.write("x", "")
    built = workshop.shell("echo 1 > {build}/f").build({})
    marker = built.directory.with_suffix(".complete")
    key = built.key[:-1] + ("0" if built.key[-1] != "0" else "1")
    marker.write_text(marker.read_text().replace(built.key, key))
    assert workshop.shell("echo 1 > {build}/f").build({}).reason == "its marker is of another version or key"


def test_touched_and_added_files_do_no_harm(workshop):
    workshop.write("x", "")
    built = workshop.shell("echo 1 > {build}/f").build({})
    os.utime(built.directory / "f", (1, 1))
    (built.directory / "output of a trial").touch()
    assert not workshop.shell("echo 1 > {build}/f").build({}).fresh


@pytest.mark.parametrize("target", ["one", ".", r"$(printf '\377')"])
def test_a_link_that_leads_elsewhere_than_it_was_built_is_noticed(workshop, target):
    workshop.write("x", "")
    script = f"echo > {{build}}/one; ln -s {target} {{build}}/program"
    built = workshop.shell(script).build({})
    assert not workshop.shell(script).build({}).fresh
    (built.directory / "program").unlink()
    (built.directory / "program").symlink_to("two")
    again = workshop.shell(script).build({})
    assert again.reason == "its file program is no longer as it was built"


def test_names_that_are_no_utf_8_are_taken_as_they_are(workshop):
    name = os.fsdecode(b"x\xff")
    workshop.write(name, "")
    script = r"cp x* {build}/$(printf 'out\377')"
    assert workshop.shell(script).build({}).fresh
    assert not workshop.shell(script).build({}).fresh
