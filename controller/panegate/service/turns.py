"""What a program said in one turn: the rows between a message and the end of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio
import attrs

from panegate.errors import ServerUnreachable
from panegate.screen.profile import Family
from panegate.service.views import RunResult, Screen
from panegate.session.events import PaneExited, WriteFinished
from panegate.session.inputs import LookWanted, Watched
from panegate.session.queue import TURN_ENDS, TurnEnd
from panegate.terms import State

if TYPE_CHECKING:
    from panegate.service.pane import Pane

__all__ = ["turn_of"]


async def turn_of(
    pane: Pane, finished: WriteFinished, text: str, within_s: float | None
) -> RunResult:
    """Wait for the end of the turn that a landed message began, and read what was said.

    Args:
        pane: The pane.
        finished: The message's end.
        text: The message, as it was typed.
        within_s: How long the turn may last; None waits for ever.

    Returns:
        What was said so far, also where the time ran out: the message did land.

    """
    end = await _end_of(pane, finished.turn, within_s)
    at_prompt = end is not None and end.state is State.READY
    rows, complete = await _said(pane, finished, text, at_prompt=at_prompt)
    exited = pane.exit if end is not None and end.state is State.EXITED else None
    over, words = _ended(pane, end, exited)
    return RunResult(
        text="\n".join(rows),
        state=State.BUSY if end is None else end.state,
        status=exited.status if exited is not None else end.status if end is not None else None,
        over=over,
        complete=over and complete,
        words=words,
        receipt=finished.receipt,
    )


def _ended(pane: Pane, end: TurnEnd | None, exited: PaneExited | None) -> tuple[bool, str]:
    """Tell whether the turn came to an end of its own, and how it ended in words."""
    name = pane.name
    if end is None:
        return False, "The turn was not over in time; it goes on."
    if end.state is State.PROMPTING:
        return True, f"{name} asks something."
    if end.state is not State.EXITED:
        said = "" if end.status is None else f"; the command's status is {end.status}"
        return True, f"{name} is ready again{said}."
    if exited is None:
        return False, f"{name} is not watched any more; its turn was not over."
    if exited.server_lost:
        return False, f"The tmux server died before the turn of {name} was over."
    if exited.status is None:
        return False, f"{name} was ended {exited.how} before its turn was over."
    own = exited.status == 0 or pane.profile.family in (Family.SHELL, Family.REPL, Family.LINES)
    crashed = "" if own else " before its turn was over"
    return own, f"{name} exited {exited.how}{crashed}."


async def _end_of(pane: Pane, turn: int, within_s: float | None) -> TurnEnd | None:
    """Wait for the end of a turn; None where its time runs out.

    The kernel can say that a program reads again before tmux has taken its last words
    from the terminal: they are there at the next look, unless another write came first.
    """
    ctl, tracker = pane.ctl, pane.tracker
    ctl.put(Watched(pane.id, 1, ctl.clock()))
    try:
        with anyio.move_on_after(within_s):
            while (end := tracker.turn_ends.get(turn)) is None:
                ctl.check()
                await pane.next_touch()
            while end.state is not State.EXITED and not await _seen_again(pane, turn, end.state):
                with contextlib.suppress(ServerUnreachable):  # the pane has exited with it
                    await pane.wait(TURN_ENDS)
                end = attrs.evolve(end, state=pane.state)
            return end
    finally:
        ctl.put(Watched(pane.id, -1, ctl.clock()))
    return None


async def _seen_again(pane: Pane, turn: int, state: State) -> bool:
    """Look once more; False where the program turns out to be at work still."""
    tracker, asked_s = pane.tracker, pane.ctl.clock()
    pane.ctl.put(LookWanted(pane.id, asked_s))
    while tracker.turn == turn and not pane.queue and pane.state is state:
        look = tracker.look
        if pane.confirmed and look is not None and look.asked_at_s >= asked_s:
            return True
        pane.ctl.check()
        await pane.next_touch()
    return tracker.turn != turn or bool(pane.queue) or pane.state is state


@attrs.frozen(kw_only=True)
class _Rows:
    """Rows of the history and the screen, and where the screen begins."""

    rows: tuple[str, ...]
    n_history: int

    @classmethod
    def of(cls, screen: Screen) -> _Rows:
        return cls(rows=(*screen.history, *screen.rows), n_history=len(screen.history))


async def _said(
    pane: Pane, finished: WriteFinished, text: str, *, at_prompt: bool
) -> tuple[list[str], bool]:
    """Return the rows after the message, and whether none of them is missing.

    A row's place is counted by all that has scrolled, also what the history dropped at its
    limit: only the row of the Enter, found where it should be, proves the count.
    """
    above = _scrolled(pane)
    entered = finished.submitted_row or 0
    seen = _Rows.of(await pane.read(history=max(0, above - entered)))
    start = entered + 1 - (above - seen.n_history)
    complete = 0 < start <= len(seen.rows) and _is(seen.rows[start - 1], finished.submitted_text)
    boxed = False
    if not complete:
        seen = _Rows.of(await pane.read(history=above))
        limit = _end(pane, seen, entered, at_prompt)
        found, boxed = _find(seen.rows[:limit], finished, text)
        start = found[-1] + 1 if found else entered + 1 - (above - seen.n_history)
        start = start if 0 <= start < limit or found else 0
        complete = len(found) == 1
    end = _end(pane, seen, entered, at_prompt)
    said = list(seen.rows[start:end])
    if at_prompt:
        said.append(_before_the_prompt(pane, finished))
    while said and not said[0].strip():
        said.pop(0)
    while said and not (any(map(str.isalnum, said[-1])) if boxed else said[-1].strip()):
        said.pop()
    return said, complete


def _scrolled(pane: Pane) -> int:
    look = pane.tracker.look
    return look.fields.scrolled if look is not None else 0


def _find(rows: tuple[str, ...], finished: WriteFinished, text: str) -> tuple[list[int], bool]:
    """Return where the row of the Enter may be, and whether it is one of a transcript.

    A composer takes the text out of its box and shows it again in its transcript.
    """
    submitted = finished.submitted_text
    if submitted and (found := [n for n, row in enumerate(rows) if _is(row, submitted)]):
        return found, False
    last_line = text.rsplit("\n", 1)[-1].strip()
    return [n for n, row in enumerate(rows) if row.rstrip().endswith(last_line)], True


def _is(row: str, submitted: str) -> bool:
    return row.rstrip().startswith(submitted.rstrip())


def _end(pane: Pane, seen: _Rows, entered: int, at_prompt: bool) -> int:
    """Return where what was said ends: at an input, of the next write too; else behind all."""
    ends = [len(seen.rows)]
    reading = pane.tracker.reading
    if at_prompt and reading is not None and reading.composer is not None:
        ends.append(seen.n_history + reading.composer.row)
    top = _scrolled(pane) - seen.n_history
    ends.extend(row - top for row in pane.tracker.typed_rows if row > entered)
    return max(0, min(ends))


def _before_the_prompt(pane: Pane, finished: WriteFinished) -> str:
    """Return output that ended without a new line: it stands on the prompt's own row."""
    reading = pane.tracker.reading
    if reading is None or reading.composer is None:
        return ""
    shown, prompt = reading.composer.prompt_text, finished.prompt_text
    fits = prompt.strip() and shown.endswith(prompt)
    return shown[: len(shown) - len(prompt)] if fits else ""
