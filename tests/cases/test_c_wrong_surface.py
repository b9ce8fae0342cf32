"""C. Text that ends in a dialog, a menu, a password field, a pager, an editor or a bare shell."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.questions import until_asked
from tests.journeys.staging import (
    KERNEL,
    NO_HISTORY,
    WITHIN_S,
    open_stage,
    until_shown,
    until_state,
)

import panegate as pg
from panegate.runtime.recording import RecordingWriter
from panegate.testing.programs import program_argv
from panegate_transports.recording import RecordingHeader

from . import naive
from .asking import held_back, next_event
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PROFILES = ("standin", "generic")
HEADER = RecordingHeader(tmux_version="3.3a", width=120, height=40, started_utc="")
SECRET = "hunter2-XYZ"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_c01_a_message_behind_a_dialog_approves_nothing(tmp_path: Path, profile: str) -> None:
    asking = {"ask_after_submit": 100, "dialog_options": ["Yes", "No"]}
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, **asking)
        await program.pane.send("the first", within_s=WITHIN_S)
        prompt = await until_asked(program.pane)
        refused = await held_back(
            program.pane, "the second", pg.Reason.PROMPTING, program.truth.received_bytes
        )
        assert refused.state is pg.State.PROMPTING
        assert refused.prompt is not None
        assert refused.prompt.id == prompt.id
        assert "rm -rf ./build" in "\n".join(refused.prompt.rows)
        assert program.truth.submits() == ["the first"]
        assert program.said("dialog_key", "approved", "declined") == []

        plain = await naive.started(stage, "composer", **asking)
        await plain.send("the first")
        await plain.truth.wait_for("dialog_painted", WITHIN_S)
        await plain.send("the second")
        await plain.truth.wait_for("approved", WITHIN_S)
        assert plain.truth.submits() == ["the first"]


@pytest.mark.asyncio
async def test_c02_digits_of_a_message_choose_nothing_in_a_menu(tmp_path: Path) -> None:
    message = "ticket 3071 and 926"
    async with open_stage(tmp_path) as stage:
        program = await stage.program("menu", after="again")
        assert (await until_asked(program.pane)).kind is pg.PromptKind.MENU
        refused = await held_back(
            program.pane, message, pg.Reason.PROMPTING, program.truth.received_bytes
        )
        assert refused.state is pg.State.PROMPTING
        assert program.truth.received_bytes() == b""

        plain = await naive.started(stage, "menu", until="dialog_painted", after="again")
        await plain.send(message)
        await plain.truth.wait_for("chosen", WITHIN_S, count=6)
        assert [e["option"] for e in plain.said("chosen")][:6] == [3, 7, 1, 9, 2, 6]


@pytest.mark.asyncio
async def test_c03_a_pickers_mark_that_looks_like_a_caret_is_no_composer(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """Also where the picker stands in a composer with the same glyph."""
    alike = {
        "dialog_bare": True,
        "dialog_glyph": ">",
        "dialog_question": "Which one?",
    }
    rows = ["North wing", "East wing", "South wing"]
    soon = str(profile_with("generic", timing={"settle_s": 0.5}))
    async with open_stage(tmp_path) as stage:
        picker = await stage.program("menu", profile=soon, arrows=True, glyph=">", labels=rows)
        inside = await stage.program(
            "composer", profile=soon, ask_after_submit=50, dialog_options=rows, **alike
        )
        await inside.pane.send("ask me", within_s=WITHIN_S)
        for program in (picker, inside):
            prompt = await until_asked(program.pane)
            assert [option.label for option in prompt.options] == rows
            assert program.pane.draft == ""
            await held_back(
                program.pane, "North wing", pg.Reason.PROMPTING, program.truth.received_bytes
            )
            receipt = await program.pane.answer(prompt.id, option="East wing", by="tester")
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            await program.truth.wait_for("dialog_closed", WITHIN_S)
            keys = [event["key"] for event in program.said("dialog_key")]
            assert keys == ["Down", "Enter"]

        plain = await naive.started(
            stage, "menu", until="dialog_painted", arrows=True, glyph=">", labels=rows
        )
        await plain.send("East wing")
        await plain.truth.wait_for("chosen", WITHIN_S)
        assert plain.said("chosen")[0]["label"] == "North wing"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_c04_one_key_answers_without_an_enter(tmp_path: Path, profile: str) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, trust_first="key", within_s=None)
        prompt = await until_asked(program.pane)
        assert "Hit t to trust this, Esc to leave" in prompt.question
        receipt = await program.pane.answer(prompt.id, option="t", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.attempts == 0
        await until_state(program.pane, pg.State.READY)
        assert program.pane.prompt is None
        assert program.truth.received_bytes() == b"t"
        assert program.said("empty_submit") == []

        plain = await naive.started(stage, "composer", until="dialog_painted", trust_first="key")
        await plain.send("t")
        await plain.truth.wait_for("empty_submit", WITHIN_S)


@pytest.mark.asyncio
async def test_c05_a_pane_in_copy_mode_is_written_to_only_afterwards(tmp_path: Path) -> None:
    """The default is to wait: a person is reading, and the mode is left to that person."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        stage.tmux("copy-mode", "-t", program.pane.id)
        refused = await held_back(
            program.pane, "hello", pg.Reason.COPY_MODE, program.truth.received_bytes
        )
        assert "copy" in str(refused)
        assert program.truth.received_bytes() == b""
        events = stage.ctl.events()
        sending = asyncio.create_task(program.pane.send("hello again", within_s=WITHIN_S))
        assert (await next_event(events, pg.WriteHeld)).reason is pg.Reason.COPY_MODE
        stage.tmux("send-keys", "-t", program.pane.id, "-X", "cancel")
        receipt = await sending
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["hello again"]

        plain = await naive.started(stage, "composer")
        stage.tmux("copy-mode", "-t", plain.pane_id)
        await plain.send("hello")
        stage.tmux("send-keys", "-t", plain.pane_id, "-X", "cancel")
        await plain.send("seen")
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == ["seen"]


@pytest.mark.asyncio
async def test_c06_no_piece_of_a_message_comes_out_of_copy_mode(tmp_path: Path) -> None:
    message = "query about plan"
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        stage.tmux("set-option", "-g", "mode-keys", "vi")
        stage.tmux("copy-mode", "-t", program.pane.id)
        await held_back(program.pane, message, pg.Reason.COPY_MODE, program.truth.received_bytes)
        assert stage.tmux("display", "-p", "-t", program.pane.id, "#{pane_in_mode}") == "1\n"
        stage.tmux("send-keys", "-t", program.pane.id, "-X", "cancel")
        receipt = await program.pane.send(message, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [message]

        plain = await naive.started(stage, "composer")
        stage.tmux("copy-mode", "-t", plain.pane_id)
        for character in message:  # in one piece, tmux 3.3a takes all of it and fails
            stage.types(plain.pane_id, character)
        await plain.enter()
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == ["uery about plan"]


@pytest.mark.asyncio
async def test_c07_a_pager_gets_no_command_and_its_screen_is_no_reply(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = str(profile_with("generic", timing={"settle_s": 0.4, "react_within_s": 1.0}))
    async with open_stage(tmp_path) as stage:
        program = await stage.program("repl", profile=profile, launch={"composer": "$"})
        result = await program.pane.run("log", within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert (result.state, result.status) == (pg.State.PROMPTING, None)
        assert program.pane.prompt is not None
        assert program.pane.prompt.kind is pg.PromptKind.PAGER
        await held_back(program.pane, "status", pg.Reason.PROMPTING, program.truth.received_bytes)
        assert program.said("pager_key") == []
        await program.pane.answer(program.pane.prompt.id, cancel=True, by="tester")
        after = await program.pane.run("status", within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert (after.text, after.complete) == ("ran: status", True)

        plain = await naive.started(stage, "repl", until="state")
        await plain.truth.wait_for(lambda all_: all_[-1].get("state") == "ready", WITHIN_S)
        await plain.send("log")
        await plain.truth.wait_for("pager_opened", WITHIN_S)
        await plain.send("status")
        await plain.truth.wait_for("pager_key", WITHIN_S, count=7)
        assert "".join(str(e["key"]) for e in plain.said("pager_key")) == "status\r"
        assert "commit 20" in plain.screen()


@pytest.mark.asyncio
async def test_c08_a_command_does_not_become_text_of_an_open_file(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.txt", tmp_path / "theirs.txt"
    async with open_stage(tmp_path) as stage:
        program = await stage.program("editor", file=str(mine), within_s=None)
        pane = program.pane
        async with until_shown(pane, "-- INSERT --"):
            pass
        with pytest.raises(pg.Refused):
            await pane.nudge("make deploy")
        with pytest.raises(pg.NotReady) as refused:
            await pane.send("make deploy", within_s=2.0)
        assert refused.value.state is not pg.State.READY
        assert refused.value.screen is not None
        assert "-- INSERT --" in refused.value.screen.rows[-1]
        assert mine.read_bytes() == program.truth.received_bytes() == b""

        plain = await naive.started(stage, "editor", until="state", file=str(theirs))
        await plain.send("make deploy")
        await plain.truth.wait_for(lambda _: theirs.read_bytes().endswith(b"\r"), WITHIN_S)
        assert theirs.read_bytes() == b"make deploy\r"


@pytest.mark.parametrize("how", ["adopted", "launched"])
@pytest.mark.asyncio
async def test_c09_a_message_for_an_agent_that_is_gone_is_run_by_no_shell(
    tmp_path: Path, how: str
) -> None:
    """Without the kernel's word a shell is not named as such; it has no box, so it gets nothing."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    message = f"rm -rf {scratch} && echo gone"
    async with open_stage(tmp_path) as stage:
        truth = stage.truth()
        argv = program_argv(
            "shell-then-agent", log=truth.path, agent_options="--exit-after 1 --work 100"
        )
        if how == "adopted":
            pane_id = stage.session(*argv)
            await truth.wait_for("ready_painted", WITHIN_S)
            pane = await stage.ctl.adopt(pane_id, profile="standin")
        else:
            pane = await stage.ctl.launch(
                argv, profile="standin", within_s=WITHIN_S, env=NO_HISTORY
            )
        await until_state(pane, pg.State.READY)
        await pane.send("the only one", within_s=WITHIN_S)
        await truth.wait_for("exit", WITHIN_S)
        if KERNEL:
            await until_state(pane, pg.State.EXITED)
        with pytest.raises(pg.Refused) as refused:
            await pane.send(message, within_s=1.0)
        if KERNEL:
            assert refused.value.reason is pg.Reason.SHELL_LEFT_BEHIND
        with pytest.raises(pg.Refused):
            await pane.nudge(message)
        await stage.person_runs(pane, "true")
        assert scratch.is_dir()
        assert truth.submits() == ["the only one"]

        plain_log = stage.truth()
        options = "--exit-after 1 --work 100"
        argv = program_argv("shell-then-agent", log=plain_log.path, agent_options=options)
        plain = naive.Naive(stage, stage.session(*argv), plain_log)
        await plain_log.wait_for("ready_painted", WITHIN_S)
        await plain.send("the only one")
        await plain_log.wait_for("exit", WITHIN_S)
        await plain.send(f"{message}; tmux -S {stage.socket} wait-for -S done")
        await asyncio.to_thread(stage.tmux, "wait-for", "done")
        assert not scratch.exists()


@contextlib.contextmanager
def debug_log(path: Path) -> Iterator[None]:
    """Write all that is logged to a file."""
    root, handler = logging.getLogger(), logging.FileHandler(path)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


@pytest.mark.asyncio
async def test_c11_a_secret_is_in_no_file_that_was_written(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    journal = files / "journal.db"
    with debug_log(files / "debug.log"), (files / "recording").open("wb") as recording:
        recorder = RecordingWriter(recording, HEADER)
        async with open_stage(tmp_path, journal=journal, recorder=recorder) as stage:
            trackers = stage.ctl.engine.pump.trackers
            recorder.profile_of = lambda pane_id: trackers[pane_id].profile
            program = await stage.program("hidden-input")
            prompt = await until_asked(program.pane)
            assert prompt.secret
            receipt = await program.pane.answer(prompt.id, secret=SECRET, by="tester")
            await program.truth.wait_for("secret", WITHIN_S)
            assert program.said("secret")[0]["n_bytes"] == len(SECRET)
            assert (receipt.n_bytes, receipt.text_digest) == (len(SECRET) + 1, "")
            row = await stage.ctl.journal.kept(receipt.write_id)
            assert row is not None
    written = {path.name: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    assert all(written[name] for name in ("debug.log", "recording", "journal.db"))
    assert receipt.write_id.encode() in written["journal.db"]
    for name, data in written.items():
        assert SECRET.encode() not in data, name
        assert b"hunter2" not in data, name
    assert b"hunter2" not in program.truth.path.read_bytes()


@pytest.mark.parametrize("probe", ["full", "none"])
@pytest.mark.asyncio
async def test_c12_a_stopped_program_gets_no_enter_and_nothing_twice(
    tmp_path: Path, profile_with: ProfileWith, monkeypatch: pytest.MonkeyPatch, probe: str
) -> None:
    """The kernel names it; without that word the echo is missing, and comes when it goes on."""
    if probe == "full" and not KERNEL:
        pytest.skip("the kernel does not tell here")
    monkeypatch.setenv("PANEGATE_PROBE", probe)
    profile = profile_with("standin", timing={"echo_within_s": 0.6})
    async with open_stage(tmp_path) as stage:
        truth, number = stage.truth(), tmp_path / "pid"
        agent = " ".join(program_argv("composer", log=truth.path))
        # Under a shell: tmux itself continues a pane's own process.
        argv = ["bash", "-c", f"(echo $BASHPID > {number}; exec {agent}); true"]
        pane = await stage.ctl.launch(argv, profile=str(profile), within_s=WITHIN_S)
        pid = int(number.read_text())
        os.kill(pid, signal.SIGSTOP)
        if probe == "full":
            refused = await held_back(
                pane, "are you there", pg.Reason.STOPPED, truth.received_bytes
            )
            assert "stopped" in str(refused)
            os.kill(pid, signal.SIGCONT)
            receipt = await pane.send("welcome back", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            assert truth.submits() == ["welcome back"]
            return
        receipt = await pane.send("are you there", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.NO_ECHO)
        assert (receipt.attempts, receipt.left_behind) == (0, "are you there")
        async with until_shown(pane, "> are you there"):
            os.kill(pid, signal.SIGCONT)
        assert truth.received_bytes().count(b"are you there") == 1
        assert truth.submits() == []


@pytest.mark.asyncio
async def test_c12_the_plain_way_fills_a_stopped_program_up(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        truth, number = stage.truth(), tmp_path / "pid"
        agent = " ".join(program_argv("composer", log=truth.path))
        argv = ["bash", "-c", f"(echo $BASHPID > {number}; exec {agent}); true"]
        plain = naive.Naive(stage, stage.session(*argv), truth)
        await truth.wait_for("ready_painted", WITHIN_S)
        pid = int(number.read_text())
        os.kill(pid, signal.SIGSTOP)
        for _ in range(2):
            await plain.send("are you there", pause_s=0.1)
        os.kill(pid, signal.SIGCONT)
        await truth.wait_for("submit", WITHIN_S)
        assert truth.received_bytes().count(b"are you there") == 2


@pytest.mark.skipif(not KERNEL, reason="only the kernel proves that such a program reads")
@pytest.mark.asyncio
async def test_c12_a_terminal_that_was_halted_by_a_key_gets_no_enter(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """Nobody can tell this from a program that reads; the missing echo does."""
    profile = profile_with("lines", timing={"echo_within_s": 0.6})
    async with open_stage(tmp_path) as stage:
        program = await stage.program("lines", profile=str(profile))
        pane = program.pane
        stage.tmux("send-keys", "-t", pane.id, "C-s")
        receipt = await pane.send("are you there", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.NO_ECHO)
        assert (receipt.attempts, receipt.left_behind) == (0, "are you there")
        async with until_shown(pane, "are you there"):
            stage.tmux("send-keys", "-t", pane.id, "C-q")
        with pytest.raises(pg.Refused) as refused:
            await pane.send("another", within_s=0.6)
        assert refused.value.reason is pg.Reason.LEFT_BEHIND
        assert program.truth.received_bytes() == b""
        await pane.clear()
        receipt = await pane.send("another", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["another"]
