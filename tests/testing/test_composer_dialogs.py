"""The composer's questions: when they open, what keys do to them, what the log says."""

import itertools
import os
import random
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

Start = Callable[..., Any]

SHOWN = b"\x1b[?25h"
"""A frame ends with the caret shown."""


def _open(composer: Start, **options: object) -> Any:
    """Start a composer whose dialog is open."""
    program = composer(dialog_on_signal=True, **options)
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_painted")
    return program


def test_the_log_has_the_dialog_before_its_first_byte_is_written(composer: Start) -> None:
    """Otherwise a guard that ran in between could not be judged."""
    program = composer(dialog_on_signal=True)
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait_output("Do you want")
    seen_s = time.monotonic()
    opened = program.log.events("dialog_opened")
    assert len(opened) == 1
    assert opened[0]["at"] < seen_s
    assert program.wait("dialog_painted")["at"] > opened[0]["at"]
    names = program.names()
    assert names.index("dialog_opened") < names.index("dialog_painted")


def test_the_log_is_written_while_the_terminal_takes_nothing(composer: Start) -> None:
    """The order holds by construction: the paint can not pass a full terminal, the log can."""
    size = {"rows": 500, "columns": 500}
    program = composer(dialog_on_signal=True, dialog_commands=["x" * 120_000], **size)
    program.stop_draining()
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_opened")
    assert b"Bash command" not in program.output
    assert program.log.events("dialog_painted") == []
    program.go_on_draining()
    program.wait("dialog_painted")
    program.wait_output("Bash command")


def test_it_shows_the_command_and_three_ways_to_answer(composer: Start) -> None:
    """Word for word what the log says."""
    program = _open(composer, dialog_commands=["git push --force"])
    for words in ("git push --force", "❯ 1. Yes", "2. Yes, and don't ask again", "3. No, and tell"):
        program.wait_output(words)
    opened = program.wait("dialog_opened")
    assert opened["command"] == "git push --force"
    assert opened["question"] == "Do you want to run this command?"
    assert len(opened["options"]) == 3
    assert opened["pending_bytes"] == 0


@pytest.mark.parametrize(
    ("keys", "event", "option", "by"),
    [
        ("\r", "approved", 1, "option"),
        ("2", "approved", 2, "option"),
        ("no, stop\r", "approved", 1, "option"),
        ("ticket 3071", "declined", 3, "option"),
        ("\x1b[B\x1b[B\r", "declined", 3, "option"),
        ("\x1b", "declined", 0, "escape"),
        ("\x03", "declined", 0, "interrupt"),
        ("\x1b[200~say 2\x1b[201~", "approved", 2, "option"),
    ],
)
def test_keys_answer_as_they_do_in_real_programs(
    composer: Start, keys: str, event: str, option: int, by: str
) -> None:
    """C01, C02, B04: an Enter approves whatever was typed before it; a digit acts at once."""
    program = _open(composer)
    program.send(keys)
    answer = program.wait(event)
    assert (answer["option"], answer["by"]) == (option, by)
    assert program.wait("dialog_closed")["by"] == by
    program.wait("ready_painted", 2)


def test_hotkeys_act_before_any_enter_and_the_rest_goes_to_the_box(composer: Start) -> None:
    """`please continue` becomes a lasting approval and `lease continue`."""
    program = _open(composer, hotkeys=True)
    program.send("please continue\r")
    assert program.wait("approved")["option"] == 2
    assert program.wait("submit")["text"] == "lease continue"
    assert [e["key"] for e in program.log.events("dialog_key")] == ["p"]


def test_every_key_a_dialog_gets_is_in_the_log_with_its_time(composer: Start) -> None:
    """Also those that do nothing."""
    program = _open(composer)
    program.send("ab\x1b[B\x7f")
    program.wait("dialog_key", 4)
    keys = program.log.events("dialog_key")
    assert [event["key"] for event in keys] == ["a", "b", "Down", "BSpace"]
    assert all(event["at"] > program.log.events("dialog_painted")[0]["at"] for event in keys)
    assert program.log.events("approved", "declined", "submit") == []


def test_a_dialog_opens_after_a_submit_and_pauses_the_turn(composer: Start) -> None:
    """H04: a second Enter would approve it."""
    program = composer(ask_after_submit=30, work=90, dialog_closes_after=120)
    program.send("go\r")
    ended = program.wait("turn_ended")
    submit, opened = program.wait("submit"), program.wait("dialog_opened")
    assert opened["at"] - submit["at"] >= 0.03
    assert ended["at"] - program.wait("dialog_closed")["at"] >= 0.03
    assert ended["cut"] is False


def test_declining_ends_the_turn(composer: Start) -> None:
    """As agent programs do."""
    program = composer(ask_after_submit=10, work=60_000)
    program.send("go\r")
    program.wait("dialog_painted")
    program.send("3")
    assert program.wait("turn_ended")["cut"] is True
    program.wait("ready_painted", 2)


def test_a_dialog_may_open_between_a_text_and_its_enter(composer: Start) -> None:
    """The draft is back after the answer."""
    program = composer(ask_after_text=1)
    program.send("draft")
    program.wait("dialog_painted")
    program.send("3")
    program.wait("ready_painted", 2)
    program.send("\r")
    assert program.wait("submit")["text"] == "draft"


def test_dialogs_open_at_the_times_asked_for_and_close_by_themselves(composer: Start) -> None:
    """Q03: boxes that need nobody."""
    program = composer(dialog_at=[30, 90], dialog_closes_after=20)
    program.wait("dialog_closed", 2)
    assert [e["by"] for e in program.log.events("dialog_closed")] == ["itself", "itself"]
    first, second = program.log.events("dialog_opened")
    assert second["at"] - first["at"] == pytest.approx(0.06, abs=0.05)
    program.wait("ready_painted", 3)


@pytest.mark.slow
def test_random_times_are_the_same_for_the_same_seed(composer: Start) -> None:
    """A failed run can be run again."""
    gaps = []
    for _ in range(2):
        program = composer(dialog_random=[10, 60], seed=7, dialog_closes_after=1)
        program.wait("dialog_opened", 3)
        times = [e["at"] for e in program.log.events("dialog_opened")]
        gaps.append([b - a for a, b in itertools.pairwise(times)])
    draw = random.Random(7).uniform
    draw(0.01, 0.06)
    wanted = [draw(0.01, 0.06), draw(0.01, 0.06)]
    for gap in gaps:
        assert gap[0] >= wanted[0] - 0.01
        assert gap[1] >= wanted[1] - 0.01


def test_a_chain_asks_about_each_command_in_a_row(composer: Start) -> None:
    """One Enter too many answers the next question."""
    program = composer(
        dialog_on_signal=True, dialog_chain=3, dialog_commands=["one", "two", "three"]
    )
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_painted")
    program.send("\r\r")
    program.wait("dialog_painted", 3)
    assert [e["command"] for e in program.log.events("approved")] == ["one", "two"]
    program.send("3")
    assert program.wait("declined")["command"] == "three"


def test_a_chain_may_work_between_its_questions(composer: Start) -> None:
    """F05: works, asks, works, asks."""
    program = composer(dialog_on_signal=True, dialog_chain=2, dialog_gap=40)
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_painted")
    program.send("\r")
    program.wait("approved")
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_painted", 2)
    second = program.wait("dialog_opened", 2)
    assert program.log.events("dialog_skipped")
    assert second["at"] - program.wait("approved")["at"] >= 0.04
    states = [e["state"] for e in program.log.events("state")]
    assert states[-3:] == ["dialog", "busy", "dialog"]


def test_keys_may_be_dropped_while_a_dialog_draws(composer: Start) -> None:
    """Q01: the answer is gone, the question stays."""
    program = _open(composer, dialog_deaf=60_000)
    program.send("\r1")
    program.wait("dialog_key_dropped", 2)
    assert program.log.events("dialog_key", "approved") == []


def test_one_dialog_of_a_chain_may_drop_keys(composer: Start) -> None:
    """Q01: the third page draws, and its Enter is swallowed."""
    program = _open(composer, dialog_chain=3, dialog_deaf=60_000, dialog_deaf_only=3)
    program.send("\r\r\r")
    program.wait("dialog_key_dropped")
    assert len(program.log.events("approved")) == 2


def test_work_may_follow_an_answer(composer: Start) -> None:
    """G03: the rest of the turn is no longer a question."""
    program = _open(composer, work_after_answer=50)
    program.send("1")
    program.wait("ready_painted", 2)
    ended = program.wait("turn_ended")
    assert ended["at"] - program.wait("approved")["at"] >= 0.05


def test_an_open_dialog_ends_with_the_program(composer: Start) -> None:
    """G02: the fifth way a question can end."""
    program = _open(composer)
    program.process.terminate()
    program.wait_exit()
    assert program.wait("dialog_closed")["by"] == "exit"
    assert program.log.events("approved", "declined") == []


def test_a_dialog_is_not_opened_twice(composer: Start) -> None:
    """A second signal does not disturb the question that stands."""
    program = _open(composer)
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_skipped")
    assert len(program.log.events("dialog_opened")) == 1


def test_an_open_dialog_may_be_painted_again_and_again(composer: Start) -> None:
    """Q02: the same question, not a new one."""
    program = _open(composer, dialog_redraw=10)
    program.wait_until(lambda: program.output.count(b"Do you want") >= 4)
    assert len(program.log.events("dialog_opened")) == 1


@pytest.mark.parametrize("keys", ["1", "\r"])
def test_trust_comes_before_the_box(run: Start, keys: str) -> None:
    """B04: the default is yes."""
    program = run("composer", trust_first=True)
    program.wait("dialog_painted")
    program.wait_output("1. Yes, I trust this folder")
    assert "│" not in program.text()
    program.send(keys)
    program.wait("ready_painted")
    program.wait_output("│")


def test_not_trusting_ends_the_program(run: Start) -> None:
    """With status 1."""
    program = run("composer", trust_first=True)
    program.wait("dialog_painted")
    program.send("\x1b")
    assert program.wait_exit() == 1
    assert program.wait("declined")["by"] == "escape"


def test_one_bare_letter_trusts_and_an_enter_too_many_is_an_empty_submit(run: Start) -> None:
    """C04: the Return goes to the next screen."""
    program = run("composer", trust_first="key")
    program.wait_output("Hit t to trust this, Esc to leave")
    program.send("t")
    program.wait("ready_painted")
    program.send("\r")
    program.wait("empty_submit")
    assert [e["key"] for e in program.log.events("dialog_key")] == ["t"]


def test_any_wording_can_be_asked_in(composer: Start) -> None:
    """F01 to F03: none of it is known to a reader of screens."""
    program = _open(
        composer,
        dialog_title="操作の確認",
        dialog_question="続けますか？",
        dialog_options=["はい", "いいえ"],
        dialog_footer="",
        dialog_bare=True,
        dialog_commands=[""],
        dialog_glyph="›",
    )
    for words in ("操作の確認", "続けますか？", "› はい", "いいえ"):
        program.wait_output(words)
    program.send("2\x1b[B\r")
    assert program.wait("declined")["label"] == "いいえ"


def test_titles_and_marks_say_that_it_waits(composer: Start) -> None:
    """For programs that tell the terminal."""
    program = _open(composer, titles=True, marks="7501")
    program.wait_output("✋ Action Required (work)")
    program.wait_output("7501;state=blocked:app=composer:kind=permission")


@pytest.mark.slow
def test_a_waiting_title_may_blink(composer: Start) -> None:
    """Output in a prompt, for ever."""
    program = _open(composer, titles="blink")
    program.wait_output("[ ! ] Action Required")
    program.wait_output("[ . ] Action Required")


def test_a_dialog_drawn_over_the_transcript_leaves_the_box_and_the_cursor(composer: Start) -> None:
    """And still takes every key."""
    program = composer(dialog_on_signal=True, dialog_over=5, footer="stays")
    program.wait_until(lambda: b"stays" in program.output and program.output.endswith(SHOWN))
    before = len(program.output)
    os.kill(program.process.pid, signal.SIGUSR1)
    program.wait("dialog_painted")
    program.wait_until(lambda: program.output[before:].endswith(SHOWN))
    painted = program.output[before:]
    assert b"Esc to cancel" in painted
    assert b"\x1b[7;1H\x1b[2K \x1b[1mBash command" in painted
    assert b"stays" not in painted
    program.send("2")
    program.wait("approved")
