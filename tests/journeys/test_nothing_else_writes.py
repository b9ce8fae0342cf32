"""Nothing but an answer by its id writes to a pane that asks: every way in is walked."""

import ast
import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import panegate as pg
from panegate.gate.plan import WriteRequest
from panegate.session.inputs import Written
from panegate.terms import Intent

from .staging import KERNEL, WITHIN_S, Program, Stage, open_stage, until_state, until_write

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PACKAGE: Final = Path(pg.__file__).parent
SHORT_S: Final = 0.3
STALE: Final = "%0.77.ffffffff"
Call = Callable[[pg.Pane], Awaitable[object]]

WRITES: Final[Mapping[str, Call]] = {
    "send": lambda pane: pane.send("y1", within_s=SHORT_S),
    "run": lambda pane: pane.run("y1", within_s=SHORT_S, turn_within_s=SHORT_S),
    "nudge": lambda pane: pane.nudge("y1"),
    "steer": lambda pane: pane.steer("y1", within_s=SHORT_S),
    "interrupt": lambda pane: pane.interrupt(within_s=SHORT_S),
    "keys": lambda pane: pane.keys("y", "1", "Enter", within_s=SHORT_S),
    "clear": lambda pane: pane.clear(within_s=SHORT_S),
    "answer": lambda pane: pane.answer(STALE, text="y", by="tester", within_s=SHORT_S),
}
"""Every method that may write."""
MORE_ANSWERS: Final[Mapping[str, Call]] = {
    "of an older question": lambda pane: pane.answer(STALE, option="1", by="tester"),
    "of another pane": lambda pane: pane.answer(
        pane.prompt.id.replace(pane.id, "%999"), option="1", by="tester"
    ),
    "of the next episode": lambda pane: pane.answer(
        f"{pane.id}.{pane.prompt.episode + 1}.{pane.prompt.id[-8:]}", text="y", by="tester"
    ),
    "that no option is": lambda pane: pane.answer(
        pane.prompt.id, option="no such option", by="tester"
    ),
}
QUIET: Final = frozenset(
    "check_server claim confirmed ctl draft exit explain held hold id judgement last_screen "
    "launched libtmux name next_touch nudge_policy outcome profile prompt queue read record "
    "release session since_s started state target touched tracker verdict wait where "
    "withdraw".split()
)
"""They only read, or change what the controller keeps."""
ENDS: Final = frozenset({"close", "respawn"})
"""They end the program; no byte of theirs goes to it."""

ASKING: Final[Mapping[str, Mapping[str, Any]]] = {
    "composer": {"profile": "standin", "dialog_at": 100},
    "menu": {"profile": "generic"},
    "yes-no": {"profile": "generic"},
    "hidden-input": {"profile": "generic"},
    "pager": {"profile": "generic"},
}


def words_of(node: ast.AST) -> Iterator[str]:
    """Yield the names and texts in a piece of source."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def files_that_say(*wanted: str) -> set[str]:
    """Return the product's files in which one of these names or texts is used."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith("testing/"):
            continue
        if set(wanted) & set(words_of(ast.parse(path.read_text()))):
            found.add(name)
    return found


def test_one_module_makes_the_commands_that_write_and_one_sends_them() -> None:
    """What is typed is made in one place, and leaves through the guard or not at all."""
    assert files_that_say("send-keys", "paste-buffer", "set-buffer") == {"gate/keystrokes.py"}
    assert files_that_say("respawn-pane", "respawn-window") == {"service/launching.py"}
    makers = ("type_commands", "paste_commands", "byte_commands", "key_commands")
    assert files_that_say(*makers) == {"gate/keystrokes.py", "runtime/engine.py"}
    assert files_that_say("guarded_line") == {"gate/guard.py", "runtime/engine.py"}
    engine = ast.parse((PACKAGE / "runtime/engine.py").read_text())
    functions = [
        n for n in ast.walk(engine) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    making = {f.name for f in functions if set(makers) & set(words_of(f))}
    guarding = {f.name for f in functions if "guarded_line" in words_of(f)}
    assert guarding == {"_send_guarded"}
    for function in functions:
        if function.name in making:
            assert "_send_guarded" in words_of(function), function.name
            assert "request" not in set(words_of(function)), function.name


def test_every_public_method_of_a_pane_is_known_to_write_or_not() -> None:
    public = {name for name in dir(pg.Pane) if not name.startswith("_")}
    assert public == {*WRITES, *QUIET, *ENDS}


async def asking(stage: Stage, name: str) -> Program:
    """Launch a stand-in and wait until it asks."""
    program = await stage.program(name, within_s=None, **ASKING[name])
    await until_state(program.pane, pg.State.PROMPTING)
    return program


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.asyncio
async def test_no_public_way_but_the_answer_reaches_a_program_that_asks(
    tmp_path: Path, name: str
) -> None:
    if name == "hidden-input" and not KERNEL:
        pytest.skip("without the kernel's word a hidden input is known by its words alone")
    async with open_stage(tmp_path) as stage:
        program = await asking(stage, name)
        pane = program.pane
        before = program.truth.events("bytes", "line", "secret", "dialog_key")
        for called, call in {**WRITES, **MORE_ANSWERS}.items():
            with pytest.raises(pg.Refused) as refused:
                await call(pane)
            assert refused.value.reason is not pg.Reason.NONE, called
        pane.hold("a person")
        pane.release()
        pane.nudge_policy("y1")
        await pane.read(history=5)
        pane.explain()
        assert program.truth.events("bytes", "line", "secret", "dialog_key") == before
        assert pane.state is pg.State.PROMPTING
        assert program.truth.received_bytes() == b""


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.asyncio
async def test_no_write_that_is_put_in_by_hand_reaches_a_program_that_asks(
    tmp_path: Path, name: str
) -> None:
    """Past the public methods: each intent, with each thing that a request can carry."""
    if name == "hidden-input" and not KERNEL:
        pytest.skip("without the kernel's word a hidden input is known by its words alone")
    carried: list[dict[str, Any]] = [
        {"text": "y1"},
        {"text": "y1", "submit": False},
        {"text": "y1", "literal": True},
        {"keys": ("y", "1", "Enter")},
        {"keys": ("Enter",), "clears": True},
        {"text": "y1", "secret": True},
        {"option": "1", "by": "tester"},
        {"cancel": True, "by": "tester"},
        {"prompt_id": STALE, "text": "y", "by": "tester"},
    ]
    async with open_stage(tmp_path) as stage:
        program = await asking(stage, name)
        pane = program.pane
        now_s = stage.ctl.clock()
        async with stage.ctl.events() as events:
            for intent in Intent:
                for n, what in enumerate(carried):
                    write_id = f"{intent.value}-{n}"
                    request = WriteRequest(
                        write_id=write_id,
                        pane_id=pane.id,
                        intent=intent,
                        asked_s=now_s,
                        deadline_s=now_s + WITHIN_S,
                        **what,
                    )
                    stage.ctl.put(Written(pane.id, request, stage.ctl.clock()))
                    receipt = await until_write(events, write_id)
                    assert (write_id, receipt.fate) == (write_id, pg.Fate.REFUSED), receipt.words
                    assert receipt.n_bytes == 0
        assert program.truth.received_bytes() == b""
        assert pane.state is pg.State.PROMPTING


@pytest.mark.asyncio
async def test_many_writers_at_once_are_refused_alike(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await asking(stage, "composer")
        calls = [call(program.pane) for call in (*WRITES.values(), *WRITES.values())]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(r) for r in results if not isinstance(r, pg.Refused)] == []
        assert program.truth.received_bytes() == b""
