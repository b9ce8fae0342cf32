"""Every way out of a command line: its status, its words, its document."""

import json

import pytest

from panegate.cli.app import invoke
from panegate.cli.command_line import Interrupted
from panegate.cli.exits import Exit
from panegate.errors import NoSuchPane, TmuxTooOld


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]):
    assert invoke(["verdicts"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "No such command 'verdicts'" in said.err


def test_a_usage_error_is_a_document_with_json(capsys: pytest.CaptureFixture[str]):
    assert invoke(["send", "--json", "w1"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["error"]["code"] == "usage"
    assert "TEXT" in document["error"]["message"]
    assert document["error"]["fix"] == "panegate send --help lists what it takes"


def test_json_behind_two_dashes_is_text(capsys: pytest.CaptureFixture[str]):
    assert invoke(["wat", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_a_server_named_twice_is_a_usage_error(capsys: pytest.CaptureFixture[str]):
    assert invoke(["ls", "-L", "a", "-S", "/b"]) == 2
    assert "once" in capsys.readouterr().err


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch):
    def make(error: BaseException):
        def fail(*_args: object, **_options: object) -> None:
            raise error

        monkeypatch.setattr("panegate.cli.tables.render_table", fail)

    return make


def test_an_error_is_said_with_what_to_do(raising, capsys: pytest.CaptureFixture[str]):
    raising(NoSuchPane("no pane 'x'", fix="panegate ls"))
    assert invoke(["states"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "panegate: no pane 'x'\n  what to do: panegate ls\n"


def test_an_error_is_a_document_with_json(raising, capsys: pytest.CaptureFixture[str]):
    raising(NoSuchPane("no pane 'x'", fix="panegate ls"))
    assert invoke(["--json", "states"]) == 4
    said = capsys.readouterr()
    assert said.err == ""
    assert json.loads(said.out) == {
        "schema": 1,
        "error": {"code": "no_such_pane", "message": "no pane 'x'", "fix": "panegate ls"},
    }


def test_a_tmux_that_is_missing_is_said_in_one_line(raising, capsys: pytest.CaptureFixture[str]):
    raising(TmuxTooOld("tmux is not installed", fix="install it: brew install tmux"))
    assert invoke(["states"]) == 1
    line = "panegate: tmux is not installed; install it: brew install tmux\n"
    assert capsys.readouterr().err == line


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Interrupted(Exit.INTERRUPTED), 130),
        (Interrupted(Exit.TERMINATED), 143),
        (KeyboardInterrupt(), 130),
    ],
)
def test_a_signal_gives_the_status_that_shells_give(raising, error: BaseException, status: int):
    raising(error)
    assert invoke(["states"]) == status


def test_an_interrupted_command_is_a_document_with_json(
    raising, capsys: pytest.CaptureFixture[str]
):
    raising(Interrupted(Exit.INTERRUPTED))
    assert invoke(["states", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "interrupted"
