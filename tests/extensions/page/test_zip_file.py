import hashlib
import zipfile

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.page.zip_file import read_members, write_archive

MEMBERS = {"b.txt": b"two", "a/x.bin": b"\x00one"}


def test_an_archive_holds_its_members_below_one_directory_and_their_checksums(tmp_path):
    write_archive(tmp_path / "x.zip", "root", MEMBERS)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.namelist() == ["root/SHA256SUMS", "root/a/x.bin", "root/b.txt"]
        assert archive.read("root/a/x.bin") == b"\x00one"
        sums = archive.read("root/SHA256SUMS").decode().splitlines()
    assert sums == [f"{hashlib.sha256(MEMBERS[name]).hexdigest()}  {name}" for name in sorted(MEMBERS)]


def test_the_same_members_make_the_same_bytes(tmp_path):
    for name in ("x.zip", "y.zip"):
        write_archive(tmp_path / name, "root", MEMBERS)
    assert (tmp_path / "x.zip").read_bytes() == (tmp_path / "y.zip").read_bytes()


def test_members_are_the_regular_files_of_a_directory_and_no_link_leads_out_of_it(tmp_path):
    (tmp_path / "secret").write_text("outside")
    record = tmp_path / "record"
    (record / "journal").mkdir(parents=True)
    for name in ("a", "journal/1", "lock"):
        (record / name).write_text(name)
    (record / "link").symlink_to(tmp_path / "secret")
    assert read_members(record, leave_out=("lock",)) == {"a": b"a", "journal/1": b"journal/1"}


def test_an_archive_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_archive(tmp_path / "nowhere" / "x.zip", "root", MEMBERS)
