"""A pane in a spot: what the gate must say there, and what the program received."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import attrs

import panegate as pg
from panegate.terms import Intent, Reason

from .staging import Bash, Program, Stage

__all__ = [
    "BOOTING",
    "BUSY",
    "MESSAGE",
    "NEVER",
    "PASTED",
    "PROMPTING",
    "SILENT",
    "TEXTS",
    "A",
    "K",
    "M",
    "Maker",
    "N",
    "Said",
    "Scene",
    "T",
    "all_of",
    "bytes_of",
    "history",
    "left_to_a_shell",
]

MESSAGE: Final = "echo the only one"
PASTED: Final = f"\x1b[200~{MESSAGE}\x1b[201~\r"

M, N, T = Intent.MESSAGE, Intent.NUDGE, Intent.STEER
A, K = Intent.ANSWER, Intent.KEYS
Said = Mapping[Intent, Reason]
TEXTS = (M, N, T, A)


def all_of(reason: Reason) -> Said:
    return dict.fromkeys(Intent, reason)


BOOTING: Final[Said] = {
    **dict.fromkeys((M, N, T, K), Reason.BOOTING),
    A: Reason.NOT_PROMPTING,
}
BUSY: Final[Said] = {
    M: Reason.BUSY,
    N: Reason.BUSY,
    T: Reason.NOT_WHILE_BUSY,
    A: Reason.NOT_PROMPTING,
}
SILENT: Final[Said] = {
    **dict.fromkeys((M, N, T), Reason.SILENT),
    A: Reason.NOT_PROMPTING,
}
PROMPTING: Final[Said] = {**all_of(Reason.PROMPTING), A: Reason.STALE_PROMPT}


@attrs.frozen(kw_only=True)
class Scene:
    """A pane in a spot, and how a test sees what came of it."""

    pane: pg.Pane
    said: Said
    """Why each of these intents does not go out; the others may."""
    waits: frozenset[Intent] = frozenset({M})
    """These wait until their time runs out; the rest is refused at once."""
    received: Callable[[], Awaitable[object]]
    """Everything that the program was sent, by its own record."""
    expected: object
    """What it must have received in the end: the message, where it can be delivered."""
    free: Callable[[], Awaitable[None]] | None = None
    """Takes away what stands in the way; without it nothing is delivered."""


NEVER: Final = frozenset[Intent]()
Maker = Callable[[Stage], Awaitable[Scene]]


def bytes_of(program: Program) -> Callable[[], Awaitable[object]]:
    async def received() -> str:
        return program.truth.received_bytes().decode()

    return received


def history(bash: Bash, *before: str) -> tuple[Callable[[], Awaitable[object]], object]:
    return bash.told, [*before, MESSAGE]


async def left_to_a_shell(stage: Stage, pane: pg.Pane) -> Scene:
    record = stage.folder / "left"

    async def received() -> list[str]:
        await stage.person_runs(pane, f"history -w {record}")
        told = record.read_text().splitlines()
        return [line for line in told if "wanted" in line or MESSAGE in line or line == "y"]

    return Scene(
        pane=pane,
        said=all_of(Reason.SHELL_LEFT_BEHIND),
        waits=NEVER,
        received=received,
        expected=[],
    )
