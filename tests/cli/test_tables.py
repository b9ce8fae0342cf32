"""The tables are the code's own."""

import json
import re

import pytest

from panegate.cli.app import invoke
from panegate.gate.policy import CONDITIONS, TABLE
from panegate.panes.states import TRANSITIONS
from panegate.terms import Intent, State


def tables(capsys: pytest.CaptureFixture[str]) -> dict[str, list[list[str]]]:
    assert invoke(["states", "--json"]) == 0
    found: dict[str, list[list[str]]] = json.loads(capsys.readouterr().out)["tables"]
    return found


def test_every_transition_is_printed(capsys: pytest.CaptureFixture[str]):
    head, *body = tables(capsys)["transitions"]
    printed = {(row[0], head[n]): row[n] for row in body for n in range(1, len(head))}
    assert printed == {(s.value, i.value): new.value for (s, i), new in TRANSITIONS.items()}


def test_every_cell_of_the_policy_is_printed(capsys: pytest.CaptureFixture[str]):
    head, *body = tables(capsys)["policy"]
    assert head == ["intent", *(state.value for state in State)]
    assert [row[0] for row in body] == [intent.value for intent in Intent]
    for row in body:
        for state, cell in zip(State, row[1:], strict=True):
            assert cell.startswith(TABLE[Intent(row[0]), state].verdict.name.lower())


def test_every_condition_is_printed(capsys: pytest.CaptureFixture[str]):
    assert [row[0] for row in tables(capsys)["conditions"][1:]] == [c.name for c in CONDITIONS]


def test_people_get_aligned_columns(capsys: pytest.CaptureFixture[str]):
    assert invoke(["states"]) == 0
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("silent ")]
    assert re.fullmatch(r"silent +busy +ready .*exited", rows[0])


def test_markdown_has_a_rule_under_each_heading(capsys: pytest.CaptureFixture[str]):
    assert invoke(["states", "--markdown"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n| --- |") == 3
    assert "| state | output |" in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_names_the_program(shell: str, capsys: pytest.CaptureFixture[str]):
    assert invoke(["completion", shell]) == 0
    assert f"_PANEGATE_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_another_shell_is_a_usage_error():
    assert invoke(["completion", "csh"]) == 2
