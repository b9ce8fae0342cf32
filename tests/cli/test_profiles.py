"""Profiles on the command line."""

import json
from pathlib import Path

import pytest

from panegate.cli.app import invoke
from panegate.profiles import names


@pytest.mark.parametrize("words", [["profiles", "--json"], ["profiles", "list", "--json"]])
def test_all_profiles_are_listed(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert invoke(words) == 0
    found = json.loads(capsys.readouterr().out)["profiles"]
    assert [profile["name"] for profile in found] == names()


def test_a_profile_is_shown_as_its_file(capsys: pytest.CaptureFixture[str]):
    assert invoke(["profiles", "show", "bash"]) == 0
    assert 'family = "shell"' in capsys.readouterr().out


def test_a_profile_is_shown_as_what_it_adds_up_to(capsys: pytest.CaptureFixture[str]):
    assert invoke(["profiles", "show", "--json", "bash"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["profile"]["family"] == "shell"
    assert document["profile"]["submit"]["key"] == "\r"
    assert document["path"].endswith("bash.toml")


def test_a_name_that_no_profile_has_is_a_usage_error(capsys: pytest.CaptureFixture[str]):
    assert invoke(["profiles", "show", "nope"]) == 2
    assert "there is no profile 'nope'" in capsys.readouterr().err


def test_every_problem_of_a_file_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "mine.toml"
    path.write_text('colour = 1\nfamily = "tree"\n')
    assert invoke(["profiles", "check", str(path)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}:1: ")
    assert second.startswith(f"{path}:2: ")


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert invoke(["profiles", "check", "--json", str(tmp_path / "no.toml")]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert "cannot be read" in problem["message"]


@pytest.mark.tmux
def test_a_right_file_is_right(
    tmp_path: Path, tmux_server: object, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "mine.toml"
    path.write_text('extends = "standin"\n')
    assert invoke(["profiles", "check", str(path)]) == 0
    assert capsys.readouterr().out == "1 profile is right\n"


@pytest.mark.tmux
def test_a_veto_that_tmux_cannot_find_is_a_problem(
    tmp_path: Path, tmux_server: object, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "mine.toml"
    path.write_text("[[vetoes]]\nregex = '''\\d+ more'''\nsample = '3 more'\n")
    assert invoke(["profiles", "check", str(path)]) == 1
    assert "does not find its sample" in capsys.readouterr().out


def test_a_wrong_profile_is_one_short_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    assert invoke(["profiles"]) == 0
    widest = max(len(row) for row in capsys.readouterr().out.splitlines())
    own = tmp_path / "panegate" / "profiles" / "mine.toml"
    own.parent.mkdir(parents=True)
    own.write_text('words = "a"\nunknown = 1\nfamily = "none"\n')
    assert invoke(["profiles"]) == 0
    rows = capsys.readouterr().out.splitlines()
    (mine,) = [row for row in rows if row.startswith("mine")]
    assert mine.split("  ")[-1] == str(own)
    assert "wrong, line 2: see profiles check" in mine
    assert max(len(row.removesuffix(str(own)).rstrip()) for row in rows) <= widest
    assert invoke(["profiles", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["profiles"]
    assert "unknown key" in next(p["problem"] for p in found if p["name"] == "mine")
