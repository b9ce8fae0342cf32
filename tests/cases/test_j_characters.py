"""J. Characters that something on the way would change."""

import asyncio
import subprocess
import unicodedata
from pathlib import Path

import pytest
from tests.cases import naive
from tests.journeys.staging import KERNEL, WITHIN_S, Program, Stage, open_stage

import panegate as pg

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

SEMICOLONS = ("ls;", "a;b;", ";", "x\\;", "; kill-server ;")
DASHES = ("---- list ----", "-t %0", "--", "-l")
BLANKS = ("ls -l", "  two  before", "after  ", "a    b", " x ")
DOLLARS = (
    "cost $HOME and $NOPE",
    "`touch x` $(touch x)",
    "${X} ${HOME}",
    "~",
    "#{pane_id} #(id) %H",
)


async def composer(stage: Stage, **options: bool) -> Program:
    """Start a composer whose turns are over at once and say so."""
    return await stage.program("composer", profile="standin", marks=True, work=1, **options)


@pytest.mark.parametrize("bracketed", [True, False], ids=["pasted", "typed"])
@pytest.mark.parametrize(
    "texts",
    [SEMICOLONS, DASHES, BLANKS, DOLLARS],
    ids=["j01_semicolons", "j02_dashes", "j03_blanks", "j04_dollars"],
)
@pytest.mark.asyncio
async def test_text_arrives_byte_for_byte(
    tmp_path: Path, texts: tuple[str, ...], bracketed: bool
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await composer(stage, no_bracketed_paste=not bracketed)
        for text in texts:
            receipt = await program.pane.send(text, within_s=WITHIN_S, literal=True)
            assert receipt.fate is pg.Fate.LANDED, (text, receipt.words)
        assert program.truth.submits() == list(texts)
        start, end = (b"\x1b[200~", b"\x1b[201~") if bracketed else (b"", b"")
        expected = b"".join(start + text.encode() + end + b"\r" for text in texts)
        assert program.truth.received_bytes() == expected


def plain_tmux(stage: Stage, *words: str, stdin: str = "") -> int:
    """Run a tmux command without a thought for what its parser makes of it."""
    argv = ["tmux", "-u", "-S", str(stage.socket), *words]
    done = subprocess.run(argv, input=stdin, text=True, capture_output=True, check=False)
    return done.returncode


@pytest.mark.asyncio
async def test_the_plain_way_changes_what_it_types(tmp_path: Path) -> None:
    """J01, J02 and J04: an end cut off with status 0, an error, and expanded variables."""
    async with open_stage(tmp_path) as stage:
        plain = await naive.started(stage, "raw-reader", until="state")

        async def typed(*words: str, stdin: str = "") -> bytes:
            before = len(plain.truth.received_bytes())
            at = ("-t", plain.pane_id)
            status = await asyncio.to_thread(
                plain_tmux,
                stage,
                *(w for word in words for w in ((word,) if word else at)),
                stdin=stdin,
            )
            assert await asyncio.to_thread(plain_tmux, stage, "send-keys", *at, "Enter") == 0
            await plain.truth.wait_for(
                lambda _: plain.truth.received_bytes()[before:].endswith(b"\r"), WITHIN_S
            )
            return b"%d " % status + plain.truth.received_bytes()[before:-1]

        assert await typed("send-keys", "", "-l", "ls;") == b"0 ls"
        assert await typed("send-keys", "", "-l", "---- list ----") == b"1 "
        line = f'send-keys -t "{plain.pane_id}" -l "cost $HOME and $NOPE"\n'
        changed = await typed("source-file", "-", stdin=line)
        assert b"$" not in changed


@pytest.mark.asyncio
async def test_j05_names_that_look_like_commands_are_expanded_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nasty = "d'$(touch MARK)'#{pane_id}#(touch MARK)%H"
    folder = tmp_path / nasty
    folder.mkdir()
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash(cwd=folder)
        result = await bash.pane.run("pwd", within_s=WITHIN_S)
        assert result.text == str(folder)
        assert (
            await asyncio.to_thread(
                stage.tmux, "display-message", "-p", "-t", bash.pane.id, "#{pane_current_path}"
            )
            == f"{folder}\n"
        )
        program = await stage.program("composer", profile="standin")
        receipt = await program.pane.send(nasty, within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == [nasty]
        with pytest.raises(pg.LaunchFailed, match="not a usable name"):
            await stage.ctl.launch(["bash"], name=nasty, within_s=None)
        # somebody else's names are shown as they are, and lead to their panes
        quoted = nasty.replace("#", "##")
        listed = await asyncio.to_thread(
            stage.tmux, "new-session", "-dP", "-F", "#{pane_id}", "-n", quoted, "cat"
        )
        adopted = await stage.ctl.adopt(listed.strip())
        assert adopted.id == listed.strip()
        assert marks(tmp_path) == []
        make = ("new-session", "-dP", "-F", "#{pane_current_path}", "-c", str(folder), "cat")
        plain = await asyncio.to_thread(stage.tmux, *make)
        assert plain.strip() != str(folder)


def marks(folder: Path) -> list[Path]:
    """Return what a shell command hidden in a name has left."""
    return list(folder.rglob("MARK"))


@pytest.mark.asyncio
async def test_j06_a_tab_completes_nothing(tmp_path: Path) -> None:
    (folder := tmp_path / "folder").mkdir()
    (folder / "a-file").touch()
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash(cwd=folder)
        receipt = await bash.pane.send("echo\tx", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        inputrc = tmp_path / "inputrc"
        inputrc.write_text("set enable-bracketed-paste off\n")
        argv = ["bash", "--norc", "--noprofile"]
        old = await stage.ctl.launch(
            argv,
            env={"INPUTRC": str(inputrc)},
            trust="" if KERNEL else "timing",
            within_s=WITHIN_S,
        )
        with pytest.raises(pg.Refused) as refused:
            await old.send("echo\tx", within_s=WITHIN_S)
        assert refused.value.reason is pg.Reason.CONTROL_CHARACTERS
        assert await bash.told() == ["echo\tx"]

        plain = await naive.shell(stage, tmp_path)
        await plain.send(f"cd {folder}")
        await plain.send("echo a\tx > ../said")
        await plain.send(f"tmux -S {stage.socket} wait-for -S done")
        await asyncio.to_thread(stage.tmux, "wait-for", "done")
        assert (tmp_path / "said").read_text() == "a-file x\n"


def code_points() -> list[str]:
    """Return 300 emoji and wide characters, spread over their blocks."""
    blocks = [
        (0x2600, 0x27BF),
        (0x1F300, 0x1F64F),
        (0x1F680, 0x1F6C5),
        (0x1F900, 0x1F9FF),
        (0x4E00, 0x9FFF),
        (0xAC00, 0xD7A3),
        (0x3041, 0x30FF),
        (0xFF01, 0xFF60),
        (0x20000, 0x2A6DF),
        (0xA1, 0x17F),
    ]
    found: list[str] = []
    for first, last in blocks:
        usable = [
            c
            for c in map(chr, range(first, last))
            if unicodedata.category(c) in ("So", "Lo", "Ll", "Po", "Sk")
        ]
        found += usable[:: len(usable) // 30][:30]
    return found


@pytest.mark.asyncio
async def test_j07_each_of_300_code_points_arrives(tmp_path: Path) -> None:
    """The one that a version broke among them, U+1F4AF; several to a message, for speed."""
    characters = [*code_points(), "\U0001f4af", "\u2764\ufe0f", "\U0001f469\u200d\U0001f4bb"]
    assert len(characters) >= 300
    async with open_stage(tmp_path) as stage:
        program = await composer(stage)
        messages = [" ".join(characters[n : n + 25]) for n in range(0, len(characters), 25)]
        for message in messages:
            receipt = await program.pane.send(message, within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, (message, receipt.words)
        assert program.truth.submits() == messages
