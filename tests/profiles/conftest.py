"""A user's profile folder of the test's own."""

from pathlib import Path

import pytest

from panegate import profiles


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that stands for the user's own profiles."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = profiles.user_folder()
    folder.mkdir(parents=True)
    assert tmp_path in folder.parents
    return folder
