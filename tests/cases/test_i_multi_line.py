"""I. Several lines, pastes and long texts."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from tests.cases import naive
from tests.cases.conftest import ProfileWith
from tests.journeys.staging import KERNEL, WITHIN_S, open_stage

import panegate as pg

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

FIVE_LINES = "first\n\tsecond\n\nfourth; $HOME\n  fifth"


def words(n_chars: int) -> str:
    """Return a text of exactly so many characters in which every word is another one."""
    return " ".join(f"w{n:05d}" for n in range(n_chars // 7 + 1))[:n_chars].rstrip() + "."


@pytest.mark.asyncio
async def test_i01_several_lines_are_one_message(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", lf="submit")
        receipt = await program.pane.send(FIVE_LINES, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [FIVE_LINES]
        assert program.said("empty_submit") == []

        plain = await naive.started(stage, "composer", lf="submit", work=1)
        await plain.send(FIVE_LINES)
        await plain.truth.wait_for("submit", WITHIN_S, count=2)
        assert plain.truth.submits()[0] == "first"


@pytest.mark.asyncio
async def test_i02_a_newline_at_the_end_submits_nothing(tmp_path: Path) -> None:
    """It is dropped, as documented: files and pipes end with one."""
    async with open_stage(tmp_path) as stage:
        for bracketed in (True, False):
            options = {"lf": "submit", "no_bracketed_paste": not bracketed}
            program = await stage.program("composer", profile="standin", **options)
            pane = program.pane
            receipt = await pane.send("abc\n", submit=False, within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            assert pane.draft == "abc"
            assert program.said("submit", "empty_submit") == []
            await pane.clear()
            if not bracketed:
                with pytest.raises(pg.Refused) as refused:
                    await pane.send("abc\ndef\n", submit=False, within_s=WITHIN_S)
                assert refused.value.reason is pg.Reason.MULTI_LINE
                assert b"def" not in program.truth.received_bytes()

        plain = await naive.started(stage, "composer", lf="submit")
        await asyncio.to_thread(stage.types, plain.pane_id, "abc\n")
        await plain.truth.wait_for("submit", WITHIN_S)


NINETY_LINES = "\n".join(f"line {n} of a large paste" for n in range(1, 91))


@pytest.mark.parametrize("gap_s", [0.6, 0.05])
@pytest.mark.asyncio
async def test_i03_a_collapsed_paste_is_pasted_once(
    tmp_path: Path, profile_with: ProfileWith, gap_s: float
) -> None:
    """How long the box needs after a large paste is the profile's word.

    Where that is wrong and the Enter is ignored, the fate is unknown; nothing goes again.
    """
    profile = profile_with("standin", submit={"gap_s": gap_s}, timing={"react_within_s": 0.8})
    habits = {"collapse_over_lines": 5, "collapsed": "[block {n}: {lines} rows]"}
    habits |= {"ignore_cr_within": 400}
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), **habits)
        receipt = await program.pane.send(NINETY_LINES, within_s=WITHIN_S)
        [paste] = program.said("paste")
        assert paste["n_lines"] == 90
        assert receipt.attempts == 1
        if gap_s > 0.4:
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            assert receipt.proof is not None
            assert "empty" in receipt.proof.words
            assert program.truth.submits() == [NINETY_LINES]
            assert program.said("cr_ignored") == []
        else:
            assert (receipt.fate, receipt.reason) == (pg.Fate.UNKNOWN, pg.Reason.NO_REACTION)
            assert "[block 1: 90 rows]" in "\n".join(receipt.after)
            assert program.truth.submits() == []
            assert len(program.said("cr_ignored")) == 1


@pytest.mark.asyncio
async def test_i03_the_plain_way_comes_too_early(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        plain = await naive.started(stage, "composer", ignore_cr_within=1000)
        await plain.send("one line will do")
        await plain.truth.wait_for("cr_ignored", WITHIN_S)
        assert plain.truth.submits() == []


@pytest.mark.parametrize("n_chars", [1204, 1022 + 900, 2044 + 950])
@pytest.mark.asyncio
async def test_i04_a_text_without_its_head_gets_no_enter(
    tmp_path: Path, profile_with: ProfileWith, n_chars: int
) -> None:
    """Also where the rest fills many rows, as in a box that shows only a long text's end."""
    profile = profile_with("standin", timing={"echo_within_s": 0.5})
    text = words(n_chars)
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), keep_last_read=True)
        receipt = await program.pane.send(text, within_s=WITHIN_S)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.NOT_LANDED, 0), receipt.words
        assert receipt.reason is pg.Reason.ECHO_DIFFERS
        assert program.said("submit", "empty_submit") == []
        assert b"\r" not in program.truth.received_bytes()

        plain = await naive.started(stage, "composer", keep_last_read=True)
        await plain.send(text)
        await plain.truth.wait_for("submit", WITHIN_S)
        [submitted] = plain.truth.submits()
        assert submitted != text
        assert text.endswith(submitted)


@pytest.mark.asyncio
async def test_i04_a_slow_reader_gets_all_of_it_once(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The time for the echo grows with the text: the profile's alone would be too short."""
    profile = profile_with("standin", timing={"echo_within_s": 0.2})
    text = words(1204)
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), slow_read="64:20")
        receipt = await program.pane.send(text, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [text]


@pytest.mark.asyncio
async def test_i05_a_long_command_is_an_argument_and_a_long_line_is_refused(
    tmp_path: Path,
) -> None:
    long = words(6000)
    async with open_stage(tmp_path) as stage:
        said = tmp_path / "said"
        script = 'printf %s "$1" > "$2"; exec sleep 1000'
        argv = ["sh", "-c", script, "sh", long, str(said)]
        await stage.ctl.launch(argv, within_s=None)
        trust = {} if KERNEL else {"trust": "timing"}
        program = await stage.program("lines", profile="lines", launch=trust)
        for text, reason in (
            (long, pg.Reason.TEXT_TOO_LONG),
            ("é" * 2100, pg.Reason.LINE_TOO_LONG),
        ):
            with pytest.raises(pg.Refused) as refused:
                await program.pane.send(text, within_s=WITHIN_S)
            assert refused.value.reason is reason
        assert program.truth.received_bytes() == b""
        receipt = await program.pane.send(long[:3900], within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [long[:3900]]
        assert said.read_text() == long

        plain = await naive.started(stage, "lines", until="state")
        await plain.send(long)
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == [long[:4095]]


@pytest.mark.parametrize(
    ("n_chars", "slow_read"), [(10_000, "200:10"), (150_000, "4000:10")], ids=["10k", "150k"]
)
@pytest.mark.asyncio
async def test_i06_enter_comes_after_the_end_of_a_long_text(
    tmp_path: Path, n_chars: int, slow_read: str
) -> None:
    text = words(n_chars)
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", slow_read=slow_read)
        receipt = await program.pane.send(text, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.ms["echoed"] < receipt.ms["submitted"]
        assert program.truth.submits() == [text]
        last, enter = program.said("bytes")[-2:]
        assert (last["hex"][-14:], enter["hex"]) == (b".\x1b[201~".hex(), b"\r".hex())


@pytest.mark.asyncio
async def test_i06_a_text_over_the_limit_is_refused_whole(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        with pytest.raises(pg.Refused) as refused:
            await program.pane.send("x" * 1_000_001, within_s=WITHIN_S)
        assert refused.value.reason is pg.Reason.TEXT_TOO_LONG
        assert program.truth.received_bytes() == b""
        with pytest.raises((OSError, AssertionError, subprocess.SubprocessError)):
            stage.types(program.pane, "x" * 150_000)


@pytest.mark.asyncio
async def test_i07_a_text_that_the_box_wraps_by_words_is_seen_whole(tmp_path: Path) -> None:
    text = " ".join(f"a{'b' * (n % 11)}c" for n in range(60))[:300].strip()
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer", profile="standin", layout="narrow", launch={"size": (37, 30)}
        )
        receipt = await program.pane.send(text, submit=False, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        captured = stage.tmux("capture-pane", "-p", "-J", "-t", program.pane.id)
        assert text not in captured
        assert text not in captured.replace("\n", " ")
        await program.pane.clear()
        receipt = await program.pane.send(text, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [text]
