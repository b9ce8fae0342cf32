"""What tests of questions look at: what moved, what was asked, and what was held back."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest
from tests.journeys.staging import WITHIN_S

import panegate as pg

__all__ = ["heard", "held_back", "moves", "next_event"]

E = TypeVar("E", bound=pg.Event)


def moves(pane: pg.Pane) -> list[pg.State]:
    """Return the states the pane came to, oldest first."""
    return [change.new for change in pane.explain().history]


async def next_event(events: pg.EventStream, kind: type[E]) -> E:
    """Wait for the next event of a kind, past all others."""
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if isinstance(event, kind):
                return event
    raise AssertionError("the stream ended")


async def heard(events: pg.EventStream, *kinds: type[E]) -> list[E]:
    """End a stream, and return what came of these kinds and was not read yet."""
    events.close()
    return [event async for event in events if isinstance(event, kinds)]


async def held_back(
    pane: pg.Pane, text: str, reason: pg.Reason, received: Callable[[], object]
) -> pg.Refused:
    """Ask for a message that must not go out, with patience and without; return what was raised.

    What *received* returns stays the same.
    """
    before = received()
    with pytest.raises(pg.Refused) as waited:
        await pane.send(text, within_s=0.6)
    with pytest.raises(pg.Refused) as nudged:
        await pane.nudge(text)
    assert (nudged.value.reason, waited.value.reason) == (reason, reason)
    assert received() == before
    return waited.value
