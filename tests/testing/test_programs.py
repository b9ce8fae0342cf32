"""The other stand-ins, each driven through a raw terminal."""

import hashlib
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from panegate.testing.programs import PROGRAMS, program_argv
from panegate.testing.programs._truth import process_start

Start = Callable[..., Any]


def test_options_become_arguments_by_one_rule(tmp_path: Path) -> None:
    """Flags, values, numbers, texts and paths."""
    argv = program_argv(
        "slow_boot",
        log=tmp_path / "l",
        boot=20,
        flush=True,
        marks=False,
        prompt=None,
        some_numbers=[1, 2.5],
        some_texts=("a b", "c"),
        some_path=tmp_path,
    )
    assert argv[0] == sys.executable
    assert argv[argv.index("slow-boot") :] == [
        "slow-boot", f"--log={tmp_path}/l", "--boot=20", "--flush",
        "--some-numbers=1,2.5", "--some-texts=a b;;c", f"--some-path={tmp_path}",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no stand-in program 'nano'"):
        program_argv("nano")


def test_the_programs_need_nothing_but_the_standard_library() -> None:
    """They start under -S, and share no code with what reads screens."""
    code = (
        "import sys; sys.path.append(sys.argv[1]); before = set(sys.modules)\n"
        "from panegate.testing import programs\n"
        "from importlib import import_module\n"
        "for m in set(programs.PROGRAMS.values()): import_module(f'{programs.__name__}.{m}')\n"
        "print(*sorted(n for n in sys.modules if n.startswith('panegate')))\n"
    )
    root = str(Path(program_argv("lines")[3]).parents[3])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, root], capture_output=True, text=True, check=True
    )
    names = done.stdout.split()
    assert "panegate.testing.programs.composer" in names
    assert all(
        name in ("panegate", "panegate.testing") or name.startswith("panegate.testing.programs")
        for name in names
    )


def test_an_unknown_program_or_option_is_a_usage_error() -> None:
    """A misspelt option must not pass for a program without the habit."""
    argv = program_argv("composer", ignore_cr_withn=3)
    for command in (argv, argv[:4], [*argv[:4], "nano"]):
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 2
        assert b"usage" in done.stderr


def test_they_run_as_a_module_too() -> None:
    """For people at a shell."""
    done = subprocess.run(
        [sys.executable, "-m", "panegate.testing.programs", "composer", "--help"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(program_argv("lines")[3]).parents[3])},
        check=False,
    )
    assert done.returncode == 0
    assert b"--ignore-cr-within" in done.stdout


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - {"shell-then-agent", "show"}))
def test_each_program_ends_and_restores_the_terminal_when_told_to(run: Start, name: str) -> None:
    """SIGTERM in its usual state; no stand-in outlives its test."""
    program = run(name)
    program.wait("size" if name not in ("lines", "yes-no", "hidden-input", "silent-worker")
                 else lambda events: bool(events))  # fmt: skip
    if name == "silent-worker":
        program.wait("child")
    program.process.terminate()
    program.wait_exit()
    wanted = termios.ICANON | termios.ECHO
    assert program.local_modes() & wanted == wanted


def test_lines_logs_what_a_line_mode_program_reads(run: Start) -> None:
    """The kernel edits and echoes; the program gets whole lines."""
    program = run("lines", prompt="> ", exit_after=2, status=4)
    program.wait_output("> ")
    program.send("helo\x7flo\r")
    assert program.wait("submit")["text"] == "hello"
    program.wait_output("got: hello")
    program.send("bye\n")
    assert program.wait_exit() == 4
    assert program.log.received_bytes() == b"hello\nbye\n"


def test_slow_boot_is_silent_then_prompts(run: Start) -> None:
    """B01: the line typed too early was echoed and is gone; the one at the prompt counts."""
    program = run("slow-boot", boot=120, flush=True)
    program.wait("size")
    assert program.local_modes() & termios.ECHO
    program.send("early\r")
    program.wait_output("early")
    program.wait_output("$ ")
    assert program.wait("flushed")["n_bytes"] == 6
    program.send("late\r")
    assert program.wait("submit")["text"] == "late"
    states = program.log.events("state")
    assert states[1]["at"] - states[0]["at"] >= 0.12


def test_without_flush_early_lines_run_at_the_prompt(run: Start) -> None:
    """Shells take the line feed that the kernel made of an early Enter."""
    program = run("slow-boot", boot=80)
    program.wait("size")
    program.send("early\r")
    assert program.wait("submit")["text"] == "early"


def test_the_repl_owns_the_terminal_only_at_its_prompt(run: Start) -> None:
    """Raw while it edits, line mode while a command runs, with its marks around."""
    program = run("repl", cycle=True, marks=True)
    program.wait_output("$ ")
    assert not program.local_modes() & termios.ICANON
    program.send("sleep 60\r")
    program.wait("submit")
    program.wait_output("133;C")
    assert program.local_modes() & termios.ICANON
    program.wait_output("133;D;0")
    program.send("exit 7\r")
    assert program.wait_exit() == 7
    order = ["?2004h", "133;A", "$ ", "133;B", "sleep 60", "?2004l", "133;C", "133;D;0", "133;A"]
    rest = program.output
    for wanted in order:
        _, found, rest = rest.partition(wanted.encode())
        assert found, wanted


def test_the_repl_keeps_type_ahead_for_its_next_prompt(run: Start) -> None:
    """As shells do."""
    program = run("repl")
    program.wait_output("$ ")
    program.send("sleep 80\r")
    program.wait("submit")
    program.send("next\r")
    assert program.wait("submit", 2)["text"] == "next"


def test_the_repls_pager_eats_keys_until_q(run: Start) -> None:
    """C07: the next command goes into the pager."""
    program = run("repl")
    program.wait_output("$ ")
    program.send("log\r")
    program.wait_output("\x1b[?1049h")
    program.wait_output("commit 20")
    program.send("stat")
    program.wait("pager_key", 4)
    program.send("q")
    program.wait("pager_closed")
    program.send("status\r")
    assert program.wait("submit", 2)["text"] == "status"


def test_the_repls_password_is_nowhere_in_the_log(run: Start) -> None:
    """C10, C11: its length and digest are."""
    program = run("repl")
    program.wait_output("$ ")
    program.send("up\r")
    program.wait_output("[sudo] password for u: ")
    assert program.local_modes() & (termios.ICANON | termios.ECHO) == termios.ICANON
    program.send("hunter2-XYZ\r")
    secret = program.wait("secret")
    assert secret["n_bytes"] == 11
    assert secret["sha256"] == hashlib.sha256(b"hunter2-XYZ").hexdigest()
    program.wait("state", 4)
    assert b"hunter2" not in program.log.path.read_bytes() + program.output
    assert b"hunter2".hex().encode() not in program.log.path.read_bytes()


def test_the_repls_question_wants_a_line(run: Start) -> None:
    """A cooked y/n in the middle of a raw shell."""
    program = run("repl")
    program.wait_output("$ ")
    program.send("ask\r")
    program.wait_output("Allow? [y/n]: ")
    program.send("please continue\r")
    assert program.wait("declined")["text"] == "please continue"


def test_hidden_input_asks_again_and_logs_no_secret(run: Start) -> None:
    """Each try by its length and digest."""
    program = run("hidden-input", tries=2)
    program.wait_output("[sudo] password for u: ")
    assert program.local_modes() & (termios.ICANON | termios.ECHO) == termios.ICANON
    program.send("s3cret\n")
    program.wait_output("Sorry, try again.")
    program.wait("dialog_painted", 2)
    program.send("other!!\n")
    assert program.wait_exit() == 0
    assert [e["n_bytes"] for e in program.log.events("secret")] == [6, 7]
    assert program.log.received_bytes() == b""
    assert b"s3cret" not in program.log.path.read_bytes() + program.output


def test_yes_no_asks_before_each_round_and_then_rests(run: Start) -> None:
    """G01: the old questions stay on the screen."""
    program = run("yes-no", work=10, rounds=2)
    for number, answer in enumerate(("y", "yes, go on"), start=1):
        program.wait("dialog_painted", number)
        program.send(f"{answer}\r")
        program.wait("approved", number)
        program.wait("state", 2 * number)
        program.send("next\r")
    program.wait("submit", 2)
    program.wait("state", 5)
    program.send("rest\r")
    assert program.wait("submit", 3)["text"] == "rest"
    assert program.text().count("Allow? [y/n]: ") == 2
    assert len(program.log.events("dialog_closed")) == 2


def test_raw_reader_logs_exactly_what_arrives(run: Start) -> None:
    """Every byte value, at most so many at a time."""
    program = run("raw-reader", bracketed_paste=True, prompt="% ", read_size=7, echo=True)
    program.wait_output("\x1b[?2004h% ")
    data = bytes(range(256))
    program.send(data)
    program.wait(lambda events: sum(e.get("n_bytes", 0) for e in events) >= 256)
    assert program.log.received_bytes() == data
    assert max(e["n_bytes"] for e in program.log.events("bytes")) == 7
    program.wait_output(data[-7:])


def test_a_menu_takes_digits_at_once(run: Start) -> None:
    """C02: a message with digits is a row of choices."""
    program = run("menu", after="again")
    program.wait_output("9. Here")
    program.send("ticket 3071 and 926")
    program.wait("chosen", 6)
    assert [e["option"] for e in program.log.events("chosen")] == [3, 7, 1, 9, 2, 6]


def test_an_arrow_menu_has_the_composers_caret_and_no_numbers(run: Start) -> None:
    """C03, F07: its first row looks like an input row."""
    program = run("menu", arrows=True, labels=["North", "East", "South", "West"])
    program.wait_output("❯ North")
    program.send("2\x1b[B\r")
    assert program.wait("chosen")["label"] == "East"
    assert program.wait_exit() == 0


def test_leaving_a_menu_is_no_choice(run: Start) -> None:
    """Esc ends it with status 1."""
    program = run("menu")
    program.wait_output("9. Here")
    program.send("\x1b")
    assert program.wait_exit() == 1
    assert program.wait("dialog_closed")["by"] == "escape"


def test_a_pager_logs_each_key_and_leaves_at_q(run: Start) -> None:
    """Nothing else ends it."""
    program = run("pager")
    program.wait_output("commit 20 a change of some kind\r\n:")
    assert b"\x1b[?1049h" in program.output
    program.send("statu\rq")
    assert program.wait_exit() == 0
    assert "".join(e["key"] for e in program.log.events("pager_key")) == "statu\r"


def test_an_editor_appends_every_byte_to_its_file(run: Start, tmp_path: Path) -> None:
    """C08: a command becomes text."""
    file = tmp_path / "text"
    program = run("editor", file=file)
    program.wait_output("-- INSERT --")
    program.send("make test\r\x1b\x03")
    program.wait(lambda events: sum(e.get("n_bytes", 0) for e in events) == 12)
    program.wait_output("make test")
    assert file.read_bytes() == b"make test\r\x1b\x03"
    assert file.read_bytes() == program.log.received_bytes()


def test_show_paints_anything_and_waits_for_a_key(run: Start, tmp_path: Path) -> None:
    """For screens nobody has seen before."""
    file = tmp_path / "screen"
    file.write_bytes(b"\x1b[5GWords\x1b[3Capart \xff")
    program = run("show", file=file, keys="t", alternate=True, hide_cursor=True)
    program.wait_output(b"\x1b[5GWords\x1b[3Capart \xff")
    program.send("xt")
    assert program.wait_exit() == 0
    assert [e["key"] for e in program.log.events("dialog_key")] == ["x", "t"]


def test_show_may_exit_at_once_with_a_status(run: Start) -> None:
    """B07: the only line is the error."""
    program = run("show", text="E42 no licence", exit=3)
    assert program.wait_exit() == 3
    program.wait_output("E42 no licence")


@pytest.mark.parametrize("style", ["spinner", "bar"])
def test_a_spinner_turns_until_its_time_is_over(run: Start, style: str) -> None:
    """D01: one row, rewritten."""
    program = run("spinner", style=style, every=10, **{"for": 60}, then="prompt")
    program.wait_output("\r")
    program.wait_output("done")
    program.wait_output("$ ")
    assert program.output.count(b"\r") >= 4
    program.send("x\r")
    assert program.wait("submit")["text"] == "x"


def test_a_silent_worker_says_nothing_while_its_child_works(run: Start) -> None:
    """D02: then the result."""
    program = run("silent-worker", **{"for": 150}, then="prompt")
    program.wait_output("running")
    child = program.wait("child")
    assert process_start(child["pid"]) == child["started"]
    assert program.text() == "running\r\n"
    program.wait_output("result: 42")
    assert program.wait("output_over")["at"] - child["at"] >= 0.14
    program.wait_output("$ ")


def test_a_clock_repaints_by_itself(run: Start) -> None:
    """Output without being busy."""
    program = run("clock", every=10)
    program.wait_until(lambda: program.output.count(b"tasks 3") >= 3)
    program.send("xq")
    assert program.wait_exit() == 0
    assert program.log.received_bytes() == b"xq"


@pytest.mark.parametrize("options", [{}, {"line_bytes": 9}, {"no_newlines": True}])
def test_a_flood_prints_at_full_speed_and_ends(run: Start, options: dict[str, Any]) -> None:
    """M07, P10: long lines, short lines, or one without an end."""
    program = run("flood", **{"for": 60}, **options)
    program.wait_output("flood over")
    assert program.wait("flooded")["n_bytes"] > 10_000
    body = program.output.partition(b"\r\nflood over")[0]
    lines = body.split(b"\r\n")
    assert (len(lines) == 1) is bool(options.get("no_newlines"))
    if not options.get("no_newlines"):
        assert {len(line) + 1 for line in lines[1:-1]} == {options.get("line_bytes", 80)}


def test_a_flood_nobody_drains_can_still_be_ended(run: Start) -> None:
    """It is blocked in a write then."""
    program = run("flood")
    program.wait_output("flood")
    program.stop_draining()
    program.process.terminate()
    assert program.wait_exit() == -signal.SIGTERM


def test_a_sleeper_prints_nothing_and_reads_nothing(run: Start) -> None:
    """Quiet without evidence of anything."""
    program = run("sleeper")
    program.wait("state")
    program.send("hello\r")
    program.wait_output("hello")
    program.process.send_signal(signal.SIGWINCH)
    program.wait("size", 2)
    assert program.text() == "hello\r\n"
    assert program.log.received_bytes() == b""


def test_log_lines_look_like_questions_and_end_at_a_prompt(run: Start) -> None:
    """E01, B06: a burst first, then one by one."""
    program = run("log-lines", first="listening on 127.0.0.1:7", burst=300, every=5, loops=2)
    program.wait_output("Are you sure about this one?")
    program.wait_output("❯")
    assert len(program.log.events("printed")) == 6
    assert program.text().startswith("listening on 127.0.0.1:7\r\nlog line 1 of 300\r\n")
    program.send("go\r")
    assert program.wait("submit")["text"] == "go"


@pytest.mark.parametrize(("sequence", "opener"), [("osc", b"\x1b]2;"), ("dcs", b"\x1bP")])
@pytest.mark.parametrize("end", [False, True])
def test_an_unterminated_sequence_is_left_open(
    run: Start, sequence: str, opener: bytes, end: bool
) -> None:
    """M08: what follows may be swallowed."""
    program = run("unterminated", sequence=sequence, after=30, end=end)
    output = program.wait_output("after it")
    tail = output.partition(opener)[2].partition(b"after it")[0]
    assert (b"\x1b\\" in tail) is end
    assert b"\x07" not in tail


def test_a_shell_is_left_behind_when_its_agent_exits(run: Start, tmp_path: Path) -> None:
    """C09: text for the agent is run by the shell."""
    program = run("shell-then-agent", agent_options="--exit-after=1 --work=1 --inline")
    program.wait("ready_painted")
    agent = os.tcgetpgrp(program._master)
    shell = program.wait("shell")["pid"]
    assert shell == program.process.pid != agent
    program.send("hello\r")
    assert program.wait("submit")["text"] == "hello"
    program.wait("exit")
    program.wait_until(lambda: program.text().rstrip(" ").endswith("$"))
    program.send(f"touch {tmp_path}/ran; exit\n")
    assert program.wait_exit() == 0
    assert (tmp_path / "ran").exists()
    assert program.log.submits() == ["hello"]
