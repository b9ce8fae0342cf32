"""The short form of the trial of usefulness: a gate that refuses everything would be safe."""

from pathlib import Path

import pytest

from panegate.testing.servers import require_program

from .useful import SUBJECTS, Asked, Subject, run, share, table

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PROFILED = [subject for subject in SUBJECTS if subject.profile != "generic"]
GENERIC = [subject for subject in SUBJECTS if subject.profile == "generic"]


def odd(asked: list[Asked]) -> str:
    """The table, and the messages that did not land."""
    rest = [f"{a.subject.name} {a.number}: {a.fate}, {a.words}" for a in asked if not a.landed]
    return "\n".join([table(asked), *rest])


@pytest.mark.parametrize(
    ("subjects", "n_each", "at_least"),
    [(PROFILED, 6, 0.99), (GENERIC, 4, 0.9)],
    ids=["programs with a profile", "generic"],
)
@pytest.mark.asyncio
async def test_what_is_asked_for_while_the_program_reads_lands_within_three_seconds(
    tmp_path: Path, subjects: list[Subject], n_each: int, at_least: float
):
    """By the receipt and by the program's own record, and exactly once."""
    for program in ("zsh", "fish"):
        require_program(program)
    n_messages = n_each * len(subjects)
    asked = await run(subjects, n_messages=n_messages, seed=3, folder=tmp_path)
    assert len(asked) == n_messages
    assert not [a for a in asked if a.taken > 1], odd(asked)
    assert not [a for a in asked if a.fate == "landed" and not a.taken], odd(asked)
    assert not [a for a in asked if a.fate == "not_landed" and a.taken], odd(asked)
    assert share(asked) >= at_least, odd(asked)
