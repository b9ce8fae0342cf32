"""Everything that is sent to a program with a profile is taken once, as it was said.

What each program took is read from a record that it keeps by its own means. The long form
is `python -m tests.journeys.messages`.
"""

import asyncio
from pathlib import Path

import pytest

import panegate as pg
from panegate.testing.servers import require_program

from .messages import Outcome, converse, table
from .recorders import RECORDERS, find
from .staging import KERNEL, WITHIN_S, open_stage, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

N_EACH = 20
GROUPS = {
    "shells": ("bash", "dash", "zsh", "fish"),
    "languages": ("python", "python -I", "ipython", "node"),
    "databases and a debugger": ("sqlite3", "psql", "gdb"),
    "line readers": ("cat", "tee", "input()", "input('name> ')"),
}


def odd(outcomes: list[Outcome]) -> str:
    """The table, and what was not as it should be."""
    problems = [f"{o.recorder.name}: {problem}" for o in outcomes for problem in o.problems]
    return "\n".join([table(outcomes), *problems])


def test_every_program_is_in_a_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(RECORDERS)


@pytest.mark.parametrize("names", GROUPS.values(), ids=list(GROUPS))
@pytest.mark.asyncio
async def test_every_message_stands_in_the_programs_record_exactly_once_and_in_order(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    """Different ones, the same one over and over, and texts that something could mistake.

    What a terminal would obey, and what the program could not take as it is, is refused and
    stands in no record.
    """
    recorders = [RECORDERS[name] for name in names]
    here = [r for r in recorders if all(map(find, r.needs))]
    async with open_stage(tmp_path) as stage:
        talks = (converse(stage, recorder, n_each=N_EACH) for recorder in here)
        outcomes = list(await asyncio.gather(*talks))
    assert all(outcome.is_clean for outcome in outcomes), odd(outcomes)
    for outcome in outcomes:
        assert (outcome.different, outcome.identical) == (N_EACH, N_EACH), odd(outcomes)
        assert outcome.special == outcome.n_special > 25, odd(outcomes)
        assert outcome.refused == outcome.n_refused > 10, odd(outcomes)
    for recorder in recorders:
        for program in recorder.needs:
            if find(program) is None:
                require_program(program)


@pytest.mark.asyncio
async def test_messages_land_also_where_the_history_is_full(tmp_path: Path) -> None:
    """tmux then drops a tenth of it at once, and every row has another number."""
    async with open_stage(tmp_path, settings=pg.Settings(rows=10)) as stage:
        stage.tmux("set-option", "-g", "history-limit", "20")
        outcome = await converse(stage, RECORDERS["cat"], n_each=N_EACH, special=False)
    assert outcome.is_clean, odd([outcome])
    assert (outcome.different, outcome.identical) == (N_EACH, N_EACH)


@pytest.mark.asyncio
async def test_what_stands_unsent_in_a_line_reader_is_a_draft_and_no_question(
    tmp_path: Path,
) -> None:
    """To the kernel and on the screen a line read with words in it looks like a question."""
    async with open_stage(tmp_path) as stage:
        started = RECORDERS["cat"].start(tmp_path)
        trust = "" if KERNEL else "timing"
        pane = await stage.ctl.launch(
            started.argv, profile="lines", env=started.env, within_s=WITHIN_S, trust=trust
        )
        events = stage.ctl.events()
        await pane.send("Go on? [y/n]", within_s=WITHIN_S, submit=False)
        await until_state(pane, pg.State.READY)
        assert (pane.draft, pane.prompt) == ("Go on? [y/n]", None)
        with pytest.raises(pg.NotReady) as held:
            await pane.send("another", within_s=0.1)
        assert held.value.reason is pg.Reason.DRAFT
        cleared = await pane.clear(within_s=WITHIN_S)
        assert (cleared.fate, pane.draft) == (pg.Fate.LANDED, "")
        await pane.send("Sure? [y/n]", within_s=WITHIN_S, submit=False)
        entered = await pane.keys("Enter", within_s=WITHIN_S)
        assert entered.fate is pg.Fate.LANDED
        await until_state(pane, pg.State.READY)
        await pane.keys("C-d", within_s=WITHIN_S)
        async for event in events:
            assert not isinstance(event, pg.PromptOpened)
            if isinstance(event, pg.PaneExited):
                break
    assert started.taken() == ["Sure? [y/n]"]
