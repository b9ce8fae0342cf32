"""M. The control-mode stream: floods, strange bytes, huge lines, a server's own words.

M04 and M05, the order of lines that no tmux here makes, are replayed in tests/wire:
``test_connection.py`` has ``test_notifications_inside_a_block`` and
``test_text_after_an_error_block_is_stray``. Limits of a line (M07) are in ``test_lines.py``.
"""

import asyncio
import contextlib
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.cases.conftest import ConfiguredServer, ProfileWith
from tests.journeys.staging import (
    WITHIN_S,
    Stage,
    open_stage,
    python,
    until_shown,
    until_state,
)

import panegate as pg
from panegate.testing.programs import program_argv
from panegate.testing.truth import TruthLog
from panegate.wire.commands import command

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

FLOOD_THEN_ASK = textwrap.dedent("""
    import os, sys
    line, n_bytes = b"flood " * 20 + b"\\n", 0
    while n_bytes < 2_000_000 or not os.path.exists(sys.argv[1]):
        n_bytes += os.write(1, line * 100)
    os.write(1, b"\\n")  # the last of them may have been cut
    print(n_bytes, file=open(sys.argv[2], "w"))
    answer = input("Delete everything? [y/n] ")
    print(answer, file=open(sys.argv[3], "w"))
""")


@contextlib.asynccontextmanager
async def connected(stage: Stage) -> AsyncIterator[None]:
    """Check that the control clients at the end are those of the beginning."""
    before = list(stage.ctl.link.clients.values())
    async with stage.ctl.events() as events:
        yield
        assert stage.ctl.reachable
        clients = list(stage.ctl.link.clients.values())
        assert all(client.alive for client in before)
        assert set(map(id, before)) <= set(map(id, clients))
        events.close()
        async for event in events:
            assert not isinstance(event, pg.ServerLost)


async def landed(pane: pg.Pane, text: str) -> None:
    receipt = await pane.send(text, within_s=WITHIN_S)
    assert receipt.fate is pg.Fate.LANDED, receipt.words


@pytest.mark.asyncio
async def test_m01_a_slow_reader_and_a_flood_hide_no_question(tmp_path: Path) -> None:
    enough, said, answer = tmp_path / "enough", tmp_path / "said", tmp_path / "answer"
    async with open_stage(tmp_path) as stage:
        other = await stage.program("composer", profile="standin", marks=True, work=1)
        n_before = stage.ctl.statistics()["events"]
        slow = stage.ctl.events(maxsize=3)
        async with connected(stage):
            script = python("-c", FLOOD_THEN_ASK, str(enough), str(said), str(answer))
            flood = await stage.ctl.launch(script, within_s=None)
            async with until_shown(flood, "flood flood"):
                pass
            for n in range(3):  # nobody else waits for the flood
                await landed(other.pane, f"message {n}")
            assert not said.exists()
            enough.touch()
            await until_state(flood, pg.State.PROMPTING)
            assert flood.prompt is not None
            assert flood.prompt.question == "Delete everything? [y/n]"
            kept = [await anext(slow) for _ in range(4)]
            assert isinstance(kept[0], pg.Dropped)
            assert kept[0].count == kept[1].seq - 1 - n_before
            assert isinstance(kept[-1], pg.PromptOpened | pg.StateChanged)
            # much more than a second of it could be kept anywhere
            assert int(said.read_text()) > 1_000_000
        receipt = await flood.answer(flood.prompt.id, text="n", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(flood, pg.State.EXITED)
        assert answer.read_text() == "n\n"


SCREENS = textwrap.dedent("""
    import os, sys, time
    ends_s, n = time.monotonic() + 1.5, 0
    os.write(1, b"\\x1b[?1049h")
    while time.monotonic() < ends_s:
        rows = (f"\\x1b[{r};1H\\x1b[38;2;{n * 7 % 256};{r * 6};90m\\U0001f680 \\u65e5\\u672c "
                f"\\x1b]8;;http://example.invalid/{n}\\x1b\\\\link\\x1b]8;;\\x1b\\\\ {n}\\x1b[0m"
                for r in range(1, 30))
        os.write(1, "".join(rows).encode())
        n += 1
        time.sleep(0.03)
    os.write(1, b"\\x1b[?1049l\\x1bP1$qm\\x1b\\\\\\x1b_nobody\\x1b\\\\\\xff\\xfe\\x80 raw\\n")
""")


@pytest.mark.asyncio
async def test_m02_a_picture_of_escapes_and_high_bytes_ends_no_connection(
    tmp_path: Path,
) -> None:
    script = tmp_path / "screens.py"
    script.write_text(SCREENS)
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        async with connected(stage):
            result = await bash.pane.run(" ".join(python(str(script))), within_s=WITHIN_S)
            assert result.text.endswith("raw")
            result = await bash.pane.run("printf '%s\\n' done", within_s=WITHIN_S)
            assert result.text == "done"


@pytest.mark.asyncio
async def test_m02_a_sixel_without_end_ends_no_connection(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        other = await stage.program("composer", profile="standin", marks=True, work=1)
        async with connected(stage):
            started = await stage.program("unterminated", sequence="dcs", within_s=None)
            await started.truth.wait_for("state", WITHIN_S)
            await landed(other.pane, "still here")
            assert started.pane.state is not pg.State.READY


ODD = (
    "back\\slash \\015\\012 \\033[0m",
    "%end 1 2 3",
    "%begin 1 2 3",
    "%output %0 no",
    "%exit",
    "one\ttab",
    "nul\0 here",
    "%%",
)


@pytest.mark.asyncio
async def test_m03_text_that_looks_like_the_protocol_is_text(tmp_path: Path) -> None:
    """M04 too: rows of a reply that begin with a percent sign are not lost."""
    odd = tmp_path / "odd"
    odd.write_bytes("\n".join(ODD).encode() + b"\nover\r\n" + b"first\rSECOND\n")
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        async with connected(stage):
            result = await bash.pane.run(f"cat {odd}", within_s=WITHIN_S)
        shown = [row.replace("\t", " ").replace("\0", "") for row in ODD]
        rows = [" ".join(row.split()) for row in result.text.split("\n")]
        assert rows == [*shown, "over", "SECOND"]
        screen = await bash.pane.read()
        assert "%end 1 2 3" in screen.rows
        odd_rows = "\n".join(row for row in ODD if row.startswith("%"))
        answer = await stage.ctl.link.ask(
            command("set-buffer", "-b", "odd", "--", odd_rows), command("show-buffer", "-b", "odd")
        )
        assert answer.text(1) == odd_rows


@pytest.mark.asyncio
async def test_m06_keys_meant_for_a_pane_in_view_mode_are_held(tmp_path: Path) -> None:
    """Up to 3.3a errors in a configuration open a view in the first pane, which eats keys."""
    log = TruthLog(tmp_path / "log")
    config = tmp_path / "tmux.conf"
    config.write_text("set\n")
    async with ConfiguredServer(config) as server:
        argv = program_argv("composer", log=log.path, marks=True, work=1)
        pane_id = server.start_program(argv)
        await log.wait_for("ready_painted", WITHIN_S)
        async with pg.Controller.open(socket_path=server.socket_path) as ctl:
            pane = await ctl.adopt(pane_id, profile="standin")
            if server.run("display-message", "-p", "-t", pane_id, "#{pane_in_mode}").strip() == "0":
                server.run("copy-mode", "-t", pane_id)  # later ones only say it
            with pytest.raises(pg.NotReady) as refused:
                await pane.send("hello", within_s=1)
            assert refused.value.reason is pg.Reason.COPY_MODE
            await server.run_async("send-keys", "-t", pane_id, "-l", "swallowed")
            assert log.received_bytes() == b""
            await server.run_async("send-keys", "-t", pane_id, "-X", "cancel")
            await landed(pane, "hello")
        assert log.submits() == ["hello"]


@pytest.mark.asyncio
async def test_m06_our_own_server_takes_no_configuration_but_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".tmux.conf").write_text("set\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", marks=True, work=1)
        await landed(program.pane, "hello")
        assert program.truth.submits() == ["hello"]


@pytest.mark.asyncio
async def test_m07_a_line_far_over_64_kib_is_read_whole(tmp_path: Path) -> None:
    huge = "0123456789" * 30_000
    async with open_stage(tmp_path) as stage:
        (tmp_path / "huge").write_text(huge)
        await asyncio.to_thread(stage.tmux, "load-buffer", "-b", "huge", str(tmp_path / "huge"))
        bash = await stage.bash()
        async with connected(stage):
            answer = await stage.ctl.link.ask(command("show-buffer", "-b", "huge"))
            got = answer.text()
            assert (len(got), got == huge) == (len(huge), True)
            result = await bash.pane.run("printf '%0200000d\\n' 7", within_s=WITHIN_S)
            assert result.complete
            got = result.text.replace("\n", "")
            assert (len(got), got.strip("0")) == (200_000, "7")


@pytest.mark.parametrize("sequence", ["osc", "dcs"])
@pytest.mark.asyncio
async def test_m08_output_behind_an_open_sequence_proves_nothing(
    tmp_path: Path, profile_with: ProfileWith, sequence: str
) -> None:
    """The prompt that the program believes to have shown is in nobody's screen."""
    profile = str(profile_with("generic", timing={"silence_s": 1.0}))
    async with open_stage(tmp_path) as stage:
        open_ended = await stage.program(
            "unterminated", profile=profile, sequence=sequence, after=300, within_s=None
        )
        await open_ended.truth.wait_for("state", WITHIN_S)
        await until_state(open_ended.pane, pg.State.SILENT)
        with pytest.raises(pg.Refused):
            await open_ended.pane.send("hello", within_s=0.5)
        with pytest.raises(pg.Refused):
            await open_ended.pane.nudge("hello")
        ended = await stage.program(
            "unterminated", profile=profile, sequence=sequence, after=300, end=True
        )
        assert ended.pane.state is pg.State.READY
