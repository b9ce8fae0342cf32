"""What commands find out about panes before they do anything."""

from pathlib import Path

import pytest

from panegate.cli.remembering import profile_reference


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        ("bash", "bash"),
        ("mine.toml", "{cwd}/mine.toml"),
        ("sub/mine.toml", "{cwd}/sub/mine.toml"),
        (Path("mine"), "{cwd}/mine"),
        ("/a/mine.toml", "/a/mine.toml"),
        ("~/mine.toml", "{home}/mine.toml"),
    ],
)
def test_a_profile_is_named_so_that_another_folder_finds_it(
    given: str | Path | None, kept: str | None
):
    places = {"cwd": Path.cwd(), "home": Path.home()}
    assert profile_reference(given) == (kept.format(**places) if kept else None)
