from __future__ import annotations

from pathlib import Path

import pytest

from crossfair.errors import InputError
from crossfair.files import write_text


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    write_text(target, "ε")
    assert target.read_bytes() == "ε".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new, but then \ud800")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_keeps_pointing_at_its_file(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    write_text(tmp_path / "out", "")
    assert (tmp_path / "out").stat().st_mode == plain.stat().st_mode


def test_a_device_is_written_to_as_it_is() -> None:
    write_text("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be a file to write to, not a folder"):
        write_text(tmp_path, "")


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"folder of the file must exist; got '.*absent/out'\. Create it"):
        write_text(tmp_path / "absent" / "out", "")
