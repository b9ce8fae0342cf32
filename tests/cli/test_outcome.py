"""Why a session ended, from the command line; alone and through a service."""

from __future__ import annotations

import pytest
from tests.cli.conftest import BOTH_WAYS, Cli

from panegate.cli.outcome import exit_of_outcome, outcome_words
from panegate.terms import OutcomeKind
from panegate.testing.servers import PrivateServer

tmux = pytest.mark.tmux


def test_each_kind_has_the_status_of_its_position() -> None:
    statuses = [exit_of_outcome(kind.value) for kind in OutcomeKind]
    assert statuses == [0, *range(21, 34)]


@tmux
@BOTH_WAYS
def test_an_open_question_is_said_with_the_way_there(cli: Cli) -> None:
    asks = 'printf "Delete everything? [y/N] "; read x'
    assert cli("launch", "--name", "q", "--", "sh", "-c", asks).status == 0
    done = cli("outcome", "q")
    assert done.status == 0
    assert "q: blocked_on_prompt so far" in done.out
    assert "Delete everything? [y/N]" in done.out
    assert "attach -t =q" in done.out
    assert done.out.rstrip().endswith("advice    escalate")
    coded = cli.json("outcome", "q", "--exit-code")
    assert coded.status == 27
    found = coded.document["outcome"]
    assert (found["name"], found["kind"], found["over"]) == ("q", "blocked_on_prompt", False)
    assert found["evidence"][0]["grade"] == "screen"


@tmux
@BOTH_WAYS
def test_a_retained_pane_says_how_its_program_ended(cli: Cli, server: PrivateServer) -> None:
    asks = 'printf "Sure? [y/N] "; read x; exit 5'
    assert cli("launch", "--name", "gone", "--retain", "--", "sh", "-c", asks).status == 0
    server.run("set-hook", "-g", "pane-died", "wait-for -S died")
    server.run("send-keys", "-t", "=gone:", "y", "Enter", ";", "wait-for", "died")
    cli("wait", "gone", "exited", "--within", "8")
    done = cli.json("outcome", "gone", "--exit-code")
    found = done.document["outcome"]
    assert found["facts"]["ending"]["status"] == 5
    assert found["over"] is True
    assert (done.status, found["kind"]) == (21, "exited")  # a person has answered


@tmux
@pytest.mark.parametrize("way", ["served"], indirect=True)
def test_a_service_that_saw_it_end_tells_of_a_pane_that_is_gone(cli: Cli) -> None:
    assert cli("launch", "--name", "gone", "--", "sh", "-c", "read x; exit 7").status == 0
    cli("close", "gone")
    found = cli.json("outcome", "gone").document["outcome"]
    assert (found["name"], found["over"]) == ("gone", True)
    assert found["facts"]["ending"]["by"] == "us"


@tmux
@BOTH_WAYS
def test_nothing_is_known_of_a_pane_that_never_was(cli: Cli) -> None:
    done = cli("outcome", "nobody", "--exit-code")
    assert done.status == 4
    assert done.out == ""


def test_the_words_name_the_end_of_a_limit() -> None:
    found = {
        "name": "w",
        "kind": "limited",
        "over": False,
        "advice": "pause",
        "words": "Its error stands.",
        "evidence": [{"grade": "screen", "words": "an error row"}],
        "reset": {"words": "resets at 5:10pm", "at_utc": "2026-03-04T16:10:00Z"},
        "prompt": None,
    }
    assert "ends      resets at 5:10pm (2026-03-04T16:10:00Z)" in outcome_words(found)
