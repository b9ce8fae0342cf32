"""Installing the hook from the command line: shown first, asked, and taken back."""

import json
from pathlib import Path

import pytest

from panegate.cli.app import app, invoke


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "model": "x"\n}\n')
    return path


def test_a_dry_run_shows_the_change_and_makes_none(file: Path, capsys: pytest.CaptureFixture[str]):
    before = file.read_text()
    assert invoke(["hook", "install", "claude", "--file", str(file), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert '+    "Stop": [' in out
    assert file.read_text() == before


def test_it_asks_and_a_no_changes_nothing(file: Path):
    from click.testing import CliRunner

    before = file.read_text()
    args = ["hook", "install", "claude", "--file", str(file)]
    said = CliRunner().invoke(app, args, input="n\n")
    assert "Change it?" in said.output
    assert said.output.index('"Stop"') < said.output.index("Change it?")
    assert file.read_text() == before
    CliRunner().invoke(app, args, input="y\n")
    assert "panegate" in file.read_text()


def test_installed_and_taken_out_again(file: Path, capsys: pytest.CaptureFixture[str]):
    before = file.read_text()
    where = ["claude", "--file", str(file), "--yes"]
    assert invoke(["hook", "install", *where]) == 0
    assert invoke(["hook", "install", *where]) == 0
    assert "is there already" in capsys.readouterr().out
    assert invoke(["hook", "uninstall", *where]) == 0
    assert file.read_text() == before
    assert invoke(["hook", "uninstall", *where]) == 0
    assert "is not there" in capsys.readouterr().out


def test_json_never_asks(file: Path, capsys: pytest.CaptureFixture[str]):
    args = ["hook", "install", "claude", "--file", str(file), "--json"]
    assert invoke(args) == 2
    capsys.readouterr()
    assert invoke([*args, "--yes"]) == 0
    document = json.loads(capsys.readouterr().out)["hook"]
    assert (document["program"], document["changed"]) == ("claude", True)
    assert Path(document["backup"]).exists()


def test_a_file_that_cannot_be_changed_is_an_error(file: Path, capsys: pytest.CaptureFixture[str]):
    file.write_text("nonsense")
    assert invoke(["hook", "install", "claude", "--file", str(file), "--yes"]) == 1
    assert str(file) in capsys.readouterr().err
    assert file.read_text() == "nonsense"


def test_the_users_own_file_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert invoke(["hook", "install", "codex", "--yes"]) == 0
    assert (tmp_path / "codex" / "config.toml").read_text().startswith("notify = [")
