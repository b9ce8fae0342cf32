"""The composer's boot, turns and animations, driven through a raw terminal."""

import os
import resource
import signal
import termios
from collections.abc import Callable
from typing import Any

import pytest

from panegate.testing.programs._truth import process_start

Start = Callable[..., Any]


def _at(program: Any, event: str, **fields: object) -> float:
    """Return the time of the first such event."""
    return next(
        float(e["at"])
        for e in program.log.events(event)
        if all(e[key] == value for key, value in fields.items())
    )


def test_a_silent_boot_is_in_line_mode_and_keeps_what_was_typed(run: Start) -> None:
    """B03: early keys are echoed by the kernel, and read later as input."""
    program = run("composer", boot=150, boot_text="loading", work=1)
    program.wait_output("loading")
    assert program.local_modes() & termios.ICANON
    assert program.local_modes() & termios.ECHO
    program.send("early")
    program.wait_output("early")
    program.wait("ready_painted")
    assert not program.local_modes() & (termios.ICANON | termios.ECHO)
    program.send("\r")
    assert program.wait("submit")["text"] == "early"
    assert _at(program, "state", state="ready") - _at(program, "state", state="boot") >= 0.15


def test_a_flushing_boot_throws_away_what_was_typed(run: Start) -> None:
    """B01: the echo was seen, the text is gone."""
    program = run("composer", boot=100, flush=True, work=1)
    program.wait("size")
    program.send("early")
    program.wait_output("early")
    assert program.wait("flushed")["n_bytes"] >= 0
    program.wait("ready_painted")
    program.send("late\r")
    assert program.wait("submit")["text"] == "late"


def test_a_box_may_stand_before_keys_are_read(run: Start) -> None:
    """The screen looks ready; the program is not."""
    program = run("composer", paint_early=120, work=1)
    program.wait("state", 2)
    program.wait_output("│")
    program.send("one\r")
    program.wait("submit")
    assert _at(program, "bytes") - _at(program, "state", state="painted") >= 0.12
    assert _at(program, "state", state="ready") <= _at(program, "bytes")


def test_a_complete_box_may_turn_into_a_question(run: Start) -> None:
    """Quiet and complete is not ready: what was typed goes to the menu."""
    program = run("composer", paint_early=80, trust_first=True)
    program.wait("state", 2)
    program.send("2")
    assert program.wait("dialog_opened")["pending_bytes"] == 1
    assert program.wait("declined")["option"] == 2
    assert program.wait_exit() == 1


@pytest.mark.parametrize(("how", "events"), [("queue", ["one", "two", "three"])])
def test_type_ahead_is_queued_and_sent_when_the_turn_ends(
    composer: Start, how: str, events: list[str]
) -> None:
    """Each queued text is a submit of its own, in order."""
    program = composer(work=60, busy_enter=how)
    program.send("one\rtwo\rthree\r")
    program.wait_output("queued: two")
    program.wait("submit", 3)
    assert program.log.submits() == events
    assert [e["queued"] for e in program.log.events("submit")] == [False, True, True]


@pytest.mark.slow
def test_a_queued_text_may_stay_in_the_box_and_be_queued_again(composer: Start) -> None:
    """H02: a second Enter sends it twice."""
    program = composer(work=200, queue_while_busy=True)
    program.send("one\r")
    program.wait("state", 3)
    program.send("two\r")
    program.wait("queued")
    program.send("\r")
    program.wait("queued", 2)
    program.wait("submit", 3)
    assert program.log.submits() == ["one", "two", "two"]


def test_an_enter_while_busy_may_cut_the_turn(composer: Start) -> None:
    """The running turn never ends by itself."""
    program = composer(work=60_000, busy_enter="interrupt")
    program.send("one\r")
    program.wait("turn_began")
    program.send("two\r")
    assert program.wait("submit", 2)["text"] == "two"
    assert program.wait("turn_ended")["cut"] is True
    program.send("\x1b")
    program.wait("turn_ended", 2)
    program.wait("ready_painted", 2)


def test_an_enter_while_busy_may_be_ignored(composer: Start) -> None:
    """Text typed ahead stays in the box."""
    program = composer(work=100, busy_enter="ignore")
    program.send("one\r")
    program.wait("turn_began")
    program.send("two\r")
    assert program.wait("cr_ignored")["rule"] == "busy"
    program.wait("ready_painted", 2)
    program.send("\r")
    assert program.wait("submit", 2)["text"] == "two"


def test_a_deaf_turn_reads_nothing_and_then_submits_each_line(composer: Start) -> None:
    """H01: what was typed twice is done twice."""
    program = composer(work=80, deaf_while_busy=True)
    program.send("one\r")
    program.wait("turn_began")
    program.send("two\rtwo\r")
    program.wait("submit", 3)
    assert program.log.submits() == ["one", "two", "two"]
    reads = program.log.events("bytes")
    assert reads[1]["at"] >= _at(program, "turn_ended")


def test_keys_read_before_a_deaf_turn_wait_for_its_end(composer: Start) -> None:
    """They were in the same read as the Enter that began it."""
    program = composer(work=60, deaf_while_busy=True)
    program.send("one\rtwo")
    program.wait("ready_painted", 2)
    program.wait_output("│ \x1b[0m> two")
    program.send("\r")
    assert program.wait("submit", 2)["text"] == "two"


def test_keys_read_before_a_dialog_are_its_type_ahead(composer: Start) -> None:
    """Nobody can stop them: they were in the program already."""
    program = composer(work=60_000, deaf_while_busy=True, ask_after_submit=20)
    program.send("one\r\r")
    assert program.wait("type_ahead")["n_keys"] == 1
    assert program.wait("approved")["option"] == 1


def test_a_turn_lasts_as_long_as_asked_and_answers_in_turn(composer: Start) -> None:
    """Replies go round."""
    program = composer(work=50, reply=["first", "second\nwith two rows"])
    program.send("a\r")
    program.wait("ready_painted", 2)
    program.send("b\r")
    program.wait("ready_painted", 3)
    program.wait_output("with two rows")
    ended, began = program.log.events("turn_ended"), program.log.events("turn_began")
    assert all(e["at"] - b["at"] >= 0.05 for b, e in zip(began, ended, strict=True))
    assert program.text().index("● first") < program.text().index("● second")


def test_a_child_lives_during_a_turn_and_only_then(composer: Start) -> None:
    """A call that runs is not a question."""
    program = composer(work=60_000, work_child=True)
    program.send("a\r")
    child = program.wait("child")
    assert process_start(child["pid"]) == child["started"]
    program.send("\x1b")
    program.wait("turn_ended")
    assert process_start(child["pid"]) != child["started"] or child["started"] is None


def test_a_helper_outlives_the_program(composer: Start) -> None:
    """D03: it does not mean work, and it is left over at the end."""
    program = composer(child=True, exit_after=1, status=5)
    child = program.wait("child")
    program.send("bye\r")
    assert program.wait_exit() == 5
    assert process_start(child["pid"]) == child["started"]
    program.log.end_children()


@pytest.mark.parametrize("inline", [False, True])
def test_an_idle_composer_writes_nothing(composer: Start, inline: bool) -> None:
    """Its ready screen is still, unless an animation is asked for."""
    program = composer(inline=inline)
    program.send("a\r")
    program.wait("ready_painted", 2)
    program.wait_until(lambda: program.text().count("Done.") == 1)
    for number in (1, 2):
        program.process.send_signal(signal.SIGUSR1)
        program.send("\x1b[I")
        program.wait("unknown_key", number)
    before = program.output
    program.process.terminate()
    program.wait_exit()
    program.wait_until(lambda: b"?2004l" in program.output)
    assert program.output.removeprefix(before).startswith(b"\x1b[?2004l")
    assert before.endswith(b"\x1b[?25h")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"clock": 20}, ["up 0.0s", "up 0.1s", "up 0.2s"]),
        ({"blink": 10}, ["\x1b[?25l", "\x1b[?25h", "\x1b[?25l", "\x1b[?25h"]),
        ({"blink": 10, "cursor": "hidden"}, ["\x1b[7m", "\x1b[7m", "\x1b[7m"]),
        ({"footer_rewrite": 10}, ["standing by"] * 4),
        ({"titles": "words"}, ["\x1b]2;◇ Ready (work)\x1b\\"]),
        ({"hint": "Try this"}, ["\x1b[2mTry this\x1b[0m"]),
        ({"banner": "new: kit (esc to interrupt)"}, ["new: kit (esc to interrupt)"]),
        ({"footer": "permissions: bypass"}, ["permissions: bypass"]),
        ({"marks": True}, ["]133;A", "]133;B", "]7501;state=idle"]),
    ],
)
def test_what_moves_or_stands_at_ready(
    composer: Start, options: dict[str, Any], wanted: list[str]
) -> None:
    """D04 and its kin: output that means nothing, and text that says nothing."""
    program = composer(**options)
    program.wait(lambda events: True)
    _wait_in_order(program, wanted)
    assert program.names("size", "state", "ready_painted") == []


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"spinner": True, "spinner_every": 10}, ["⠋ Working", "⠙ Working", "⠹ Working"]),
        ({"busy_row": "running"}, ["running"]),
        ({"stream": 10, "reply": "alpha beta"}, ["alpha", "beta", "alpha"]),
        ({"titles": "words"}, ["]2;✦ Working… (work)"]),
        ({"titles": "glyph"}, ["]2;✳ composer", "]2;⠂ composer"]),
        ({"marks": "133,9"}, ["]133;B", "]133;C", "]9;4;3"]),
        ({"marks": "7501"}, ["]7501;state=idle", "]7501;state=working"]),
    ],
)
def test_what_moves_while_busy(composer: Start, options: dict[str, Any], wanted: list[str]) -> None:
    """Each sign of work by its option."""
    program = composer(work=60_000, **options)
    program.send("go\r")
    program.wait("turn_began")
    _wait_in_order(program, wanted)


def test_marks_and_titles_follow_a_whole_turn(composer: Start) -> None:
    """In the order a terminal would see them."""
    program = composer(marks="133,7501,9", titles=True)
    program.send("go\r")
    program.wait("ready_painted", 2)
    program.process.terminate()
    assert program.wait_exit() == 128 + signal.SIGTERM
    _wait_in_order(
        program,
        [
            "Ready", "133;A", "133;B", "7501;state=idle", "133;C", "7501;state=working", "9;4;3",
            "Working", "133;D;0", "7501;state=done", "9;4;0", "Ready", "133;A", "133;B",
            "7501;state=clear",
        ],
    )  # fmt: skip
    assert program.output.count(b"7501;state=idle") == 1


def test_a_resize_is_logged_and_repainted(composer: Start) -> None:
    """D07: a redraw that means nothing."""
    program = composer()
    program.resize(30, 50)
    assert (program.wait("size", 2)["rows"], program.wait("size", 2)["columns"]) == (30, 50)
    program.wait_output("\x1b[30;1H")
    assert "╭" + "─" * 48 + "╮" in program.text()


def test_the_terminal_is_restored_at_the_end(composer: Start) -> None:
    """Whoever has the terminal next finds it as it was."""
    program = composer()
    before = program.local_modes()
    program.process.terminate()
    assert program.wait_exit() == 128 + signal.SIGTERM
    program.wait_output("\x1b[?1049l")
    assert b"\x1b[?2004l" in program.output
    assert not before & termios.ICANON
    assert program.log.events()[-1]["event"] == "exit"


@pytest.mark.slow
def test_start_up_is_quick(run: Start) -> None:
    """Processor time of a whole run, best of three: load on the machine does not count."""
    taken_s = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        program = run("composer")
        program.wait("ready_painted")
        program.process.terminate()
        program.wait_exit()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken_s.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken_s) < 0.06


def _wait_in_order(program: Any, wanted: list[str]) -> None:
    """Wait until the output has all of *wanted*, one after the other."""

    def there() -> bool:
        rest = program.output
        for text in wanted:
            _, found, rest = rest.partition(text.encode())
            if not found:
                return False
        return True

    program.wait_until(there)


def test_a_stopped_program_goes_on_after_it_is_continued(composer: Start) -> None:
    """C12: keys wait in the terminal; nothing is lost."""
    program = composer()
    os.kill(program.process.pid, signal.SIGSTOP)
    program.send("late\r")
    os.kill(program.process.pid, signal.SIGCONT)
    assert program.wait("submit")["text"] == "late"


def test_a_turn_may_open_with_prose(composer: Start) -> None:
    """E04: a list and a question above a spinner."""
    program = composer(opening="1. this\n2. that\nDo you want both?", spinner=True, work=60_000)
    program.send("go\r")
    program.wait_output("Do you want both?")
    program.wait_output("esc to interrupt")


def test_a_paint_may_be_cut_inside_an_escape_sequence(composer: Start) -> None:
    """E05: what reads it in between sees half of the change."""
    program = composer(split_paint=40, work=1)
    program.send("go")
    program.wait_output("go")
    program.send("\r")
    program.wait_until(lambda: program.output.endswith(b"\x1b[2"))
    program.wait("ready_painted", 2)
    assert program.log.submits() == ["go"]
    program.wait_output("\x1b[2K> go")


def test_a_small_window_is_not_drawn_in(composer: Start) -> None:
    """R03: it waits for a size, and takes no keys."""
    program = composer(min_rows=30)
    program.wait_output("window too small: it needs 30 rows")
    program.send("x")
    program.wait("key_ignored")
    program.resize(30, 80)
    program.wait_output("standing by")
    program.send("y\r")
    assert program.wait("submit")["text"] == "y"
