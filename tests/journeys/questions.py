"""What a real program asks, how a person answers it, and the record that must agree.

The tables are in ``questions_in_lines.py`` (programs that ask in a row) and
``questions_on_screens.py`` (dialogs, menus, pagers). A program's record is what it did or
wrote by itself: a file that is gone, a key that opens with the passphrase, its output.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
import pytest

import panegate as pg
from panegate.session.events import Prompt
from panegate.terms import PromptKind

from .recorders import Started, find
from .staging import KERNEL, WITHIN_S, Stage, until_state
from .unprofiled import home

__all__ = ["PYTHON", "Ask", "Question", "answer_all", "bash", "record_of", "require", "written"]

RECORD: Final = "record"
"""The file that most programs of the tables write what they were told to."""
PYTHON: Final = [sys.executable, "-I"]


@attrs.frozen(kw_only=True)
class Ask:
    """One question of a program and its answer."""

    kind: PromptKind
    question: str
    """Word for word."""
    options: Sequence[str] = ()
    """The labels, word for word and in order."""
    keys: Sequence[str] = ()
    """What chooses them; none where only the arrows do."""
    context: str | None = None
    """What it asks about, word for word; None where that differs from run to run."""
    about: str = ""
    """A part of the context."""
    default: str | None = None
    highlighted: str | None = None
    ticked: Sequence[str] = ()
    secret: bool = False
    many: bool = False
    answer: Mapping[str, object]
    """How `Pane.answer` is called."""
    opened_by: str = ""
    """A message that the program is sent before, while it is ready."""


@attrs.frozen(kw_only=True)
class Question:
    """A program, everything that it asks, and what it must have been told in the end."""

    name: str
    needs: Sequence[str]
    """Programs that must be installed."""
    modules: Sequence[str] = ()
    """Modules of this Python that must be installed."""
    kernel: bool = False
    """Without the kernel's word its questions are not known for what they are."""
    root: bool = False
    """It needs a file system of its own, which root alone can make."""
    argv: Sequence[str] | Callable[[Path], Sequence[str]] = ()
    start: Callable[[Path], Started] | None = None
    """Instead of ``argv``: it needs a server, whose tables are its record."""
    asks: Sequence[Ask]
    before: Callable[[Path], None] | None = None
    then: str = ""
    """A message to it when everything is answered, and it is ready."""
    shows: str = ""
    """The row that it answers that with."""
    record: Callable[[Path], object] = lambda _: None
    agrees: object = None
    size: tuple[int, int] = (100, 30)
    profile: str | None = "generic"
    reads: bool = False
    """It is a shell or REPL, so it is ready between its questions."""
    ends: pg.State = pg.State.EXITED
    """Its state when it has done what it was told."""


def bash(code: str) -> list[str]:
    """Return a bash that runs *code*."""
    return ["bash", "--norc", "--noprofile", "-c", code]


def record_of(folder: Path) -> str:
    """Return what the program wrote down."""
    return (folder / RECORD).read_text()


def written(*lines: str) -> str:
    """Return the record of these lines."""
    return "".join(f"{line}\n" for line in lines)


def missing(question: Question) -> str:
    """Return why it cannot be asked here, or nothing."""
    for program in question.needs:
        if find(program) is None:
            return f"needs {program}, which is not on this machine's PATH"
    for module in question.modules:
        try:
            __import__(module)
        except ImportError:
            return f"needs {module}, which is not installed for this Python"
    if question.root and os.geteuid() != 0:
        return "needs root for a file system of its own"
    return ""


def require(question: Question) -> None:
    """Skip what cannot be asked here; in a full run fail, but for want of rights."""
    if question.kernel and not KERNEL:
        pytest.skip("only the kernel knows whether this reads a key, a line or a secret")
    why = missing(question)
    if not why:
        return
    full = os.environ.get("PANEGATE_REQUIRE_ALL") == "1"
    if full and not why.startswith("needs root"):
        pytest.fail(f"{why} (PANEGATE_REQUIRE_ALL=1)")
    pytest.skip(why)


async def answer_all(stage: Stage, question: Question) -> list[str]:
    """Launch a program, answer everything it asks, and return what was not as expected."""
    folder = stage.folder / "".join(c if c.isalnum() else "-" for c in question.name)
    folder.mkdir()
    if question.before is not None:
        await asyncio.to_thread(question.before, folder)
    argv = question.argv(folder) if callable(question.argv) else question.argv
    env, record = home(stage.folder), lambda: question.record(folder)
    if question.start is not None:
        started = await asyncio.to_thread(question.start, folder)
        argv, env, record = started.argv, started.env, started.taken
    try:
        return await _answer_all(stage, question, folder, argv, env, record)
    finally:
        if question.start is not None:
            await asyncio.to_thread(started.close)


async def _answer_all(
    stage: Stage,
    question: Question,
    folder: Path,
    argv: Sequence[str],
    env: Mapping[str, str],
    record: Callable[[], object],
) -> list[str]:
    async with stage.ctl.events() as events:
        pane = await stage.ctl.launch(
            argv,
            profile=question.profile,
            env=env,
            cwd=folder,
            size=question.size,
            within_s=None,
        )
        wrong: list[str] = []
        known = ""
        for ask in question.asks:
            if ask.opened_by:
                await until_state(pane, pg.State.READY)
                await pane.send(ask.opened_by, within_s=WITHIN_S)
            prompt = await until_asked(pane, known)
            known = prompt.id
            wrong += differences(ask, prompt)
            wrong += await let_through(pane)
            receipt = await pane.answer(prompt.id, by="tester", **ask.answer)
            if receipt.fate is not pg.Fate.LANDED:
                wrong.append(f"{ask.question!r}: {receipt.fate.value}, {receipt.words}")
        await until_state(pane, question.ends)
        if question.then:
            await pane.run(question.then, within_s=WITHIN_S, turn_within_s=WITHIN_S)
        shown = await pane.read()
        found = await asyncio.to_thread(record)
        await pane.close()
        opened = await _asked(events, pane)
    states = [change.new for change in pane.tracker.history]
    if pg.State.READY in states and not question.reads:
        wrong.append("it read as ready: " + ", ".join(state.value for state in states))
    if opened != len(question.asks):
        wrong.append(f"{opened} questions were told of, not {len(question.asks)}")
    if question.shows and question.shows not in [row.strip() for row in shown.rows]:
        wrong.append(f"it does not show {question.shows!r}")
    if found != question.agrees:
        wrong.append(f"its record is {found!r}, not {question.agrees!r}")
    if wrong:
        wrong.append("\n".join(row for row in shown.rows if row.strip()))
    return wrong


async def until_asked(pane: pg.Pane, known: str = "") -> Prompt:
    """Wait for a question that is not the *known* one."""
    try:
        async with asyncio.timeout(WITHIN_S):
            while True:
                prompt = pane.prompt
                if prompt is not None and prompt.id != known and pane.confirmed:
                    return prompt
                if pane.state is pg.State.EXITED:
                    break
                await pane.next_touch()
    except TimeoutError:
        pass
    rows = "\n".join((await pane.read()).rows).rstrip()
    raise AssertionError(f"nothing is asked: {pane.state} {pane.explain().words}\n{rows}")


async def let_through(pane: pg.Pane) -> list[str]:
    """Try what must never reach a question; return what went out all the same."""
    out = []
    tries = {
        "message": lambda: pane.send("not wanted", within_s=0.2),
        "nudge": lambda: pane.nudge("not wanted"),
        "interrupt": lambda: pane.interrupt(within_s=0.2),
        "keys": lambda: pane.keys("y", "Enter", within_s=0.2),
    }
    for name, write in tries.items():
        try:
            receipt = await write()
        except pg.Refused:
            continue
        out.append(f"a {name} went through: {receipt.words}")
    return out


def differences(ask: Ask, prompt: Prompt) -> list[str]:
    """Compare a prompt with what the program really asks."""
    options = prompt.options
    pairs: list[tuple[str, object, object]] = [
        ("kind", prompt.kind, ask.kind),
        ("question", prompt.question, ask.question),
        ("options", [option.label for option in options], list(ask.options)),
        ("keys", [option.key for option in options if option.key], list(ask.keys)),
        ("default", prompt.default, ask.default),
        ("secret", prompt.secret, ask.secret),
        ("many", prompt.many, ask.many),
        ("ticked", [option.label for option in options if option.ticked], list(ask.ticked)),
        (
            "highlighted",
            [option.label for option in options if option.highlighted],
            [ask.highlighted] if ask.highlighted is not None else [],
        ),
    ]
    if ask.context is not None:
        pairs.append(("context", prompt.context, ask.context))
    wrong = [
        f"{ask.question!r}: {name} is {found!r}, not {wanted!r}"
        for name, found, wanted in pairs
        if found != wanted
    ]
    if ask.about not in prompt.context:
        wrong.append(f"{ask.question!r}: {ask.about!r} is not in {prompt.context!r}")
    if not prompt.where:
        wrong.append(f"{ask.question!r}: nothing says where to answer")
    return wrong


async def _asked(events: pg.EventStream, pane: pg.Pane) -> int:
    """Count the questions that were told of until the pane's end."""
    n = 0
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if getattr(event, "pane", None) != pane.id:
                continue
            if isinstance(event, pg.PromptOpened | pg.PromptChanged):
                n += 1
            if isinstance(event, pg.PaneExited):
                return n
    return n
