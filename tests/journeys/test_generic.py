"""Programs that nothing is told about: what is typed into them, and what never."""

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from panegate.probes.accesses import InputReads
from panegate.testing.servers import require_program

from .staging import KERNEL, Stage, open_stage
from .unprofiled import Kind, Trial, Unprofiled, attempt_message
from .unprofiled_programs import PROGRAMS

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

SIDE_BY_SIDE = 8
PATIENCE_S = 20.0
"""For what must land: the machine may be busy."""
HASTE_S = 3.0
"""For what must not; a wait that is always used up."""

UNPROVEN_BY_DESIGN = {
    "dash",  # with the kernel's word: a line read that nobody has declared may be a question
    "cat, declared",  # without it: an empty row proves nothing
}


async def try_all(kinds: Iterable[Kind], folder: Path, *, at_once: bool) -> dict[str, Trial]:
    """Send one message into each program of these kinds that is installed here."""
    wanted = [p for p in PROGRAMS if p.kind in kinds and not p.slow]
    found: dict[str, Trial] = {}
    seats = asyncio.Semaphore(SIDE_BY_SIDE)
    wait_s, within_s = (1.5, HASTE_S) if at_once else (PATIENCE_S, PATIENCE_S)
    reads = InputReads()

    async def one(stage: Stage, program: Unprofiled) -> None:
        async with seats:
            found[program.name] = await attempt_message(
                stage, program, reads, believe_within_s=wait_s, within_s=within_s, at_once=at_once
            )

    try:
        async with open_stage(folder) as stage, asyncio.TaskGroup() as group:
            for program in wanted:
                if shutil.which(program.program) is not None:
                    group.create_task(one(stage, program))
    finally:
        reads.close()
    return found


def require_all(kinds: Iterable[Kind]) -> None:
    """Skip, or fail in a full run, for what is not installed."""
    for program in PROGRAMS:
        if program.kind in kinds and not program.slow:
            require_program(program.program)


@pytest.mark.parametrize("kind", [Kind.QUESTION, Kind.SCREEN])
@pytest.mark.asyncio
async def test_not_a_byte_reaches_a_question_or_a_full_screen_program_also_while_it_starts(
    tmp_path: Path, kind: Kind
) -> None:
    trials = await try_all({kind}, tmp_path, at_once=True)
    assert {name: trial for name, trial in trials.items() if trial.typed} == {}
    assert {trial.fate for trial in trials.values()} <= {"held", "refused"}
    require_all({kind})


@pytest.mark.asyncio
async def test_programs_at_work_are_not_typed_into_as_far_as_can_be_known(tmp_path: Path) -> None:
    trials = await try_all({Kind.WORK}, tmp_path, at_once=True)
    typed = {name for name, trial in trials.items() if trial.typed}
    assert typed <= (set() if KERNEL else {"composer, paints early"})
    assert all(trials[name].fate != "landed" for name in typed)


@pytest.mark.asyncio
async def test_shells_repls_composers_and_line_readers_get_their_message_once(
    tmp_path: Path,
) -> None:
    kinds = {Kind.SHELL, Kind.REPL, Kind.COMPOSER, Kind.LINES}
    trials = await try_all(kinds, tmp_path, at_once=False)
    taking = {name: trial for name, trial in trials.items() if trial.program.takes}
    wrong = {name: trial for name, trial in taking.items() if trial.verdict != "right"}
    assert set(wrong) <= UNPROVEN_BY_DESIGN, "\n".join(map(str, wrong.values()))
    assert not any(trial.typed for trial in wrong.values())
    assert [name for name, trial in trials.items() if trial.unsafe] == []
    require_all(kinds)
