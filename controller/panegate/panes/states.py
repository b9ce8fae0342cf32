"""Pane states as data: the table below is the specification.

Timing proposes, evidence disposes: `PaneInput.QUIET_TOO_LONG` is the only input that
comes from a clock alone, and it never leads to ready or prompting.
"""

import enum
from collections.abc import Mapping
from typing import Final

from panegate.terms import State

__all__ = ["TRANSITIONS", "PaneInput", "render_table"]


class PaneInput(enum.Enum):
    """Everything that can move a pane from one state to another."""

    OUTPUT = "output"
    """The program wrote something that is more than a title or a caret."""
    BELIEF_READY = "belief_ready"
    """A settled look says that it reads at its own input point."""
    BELIEF_BUSY = "belief_busy"
    """A look or a mark says that it works."""
    BELIEF_PROMPTING = "belief_prompting"
    """A settled look says that it waits for a person."""
    BELIEF_NONE = "belief_none"
    """A look found no evidence of anything."""
    SUBMITTED = "submitted"
    """A write of ours was submitted: a turn is open."""
    QUIET_TOO_LONG = "quiet_too_long"
    """Quiet past the profile's limit."""
    GONE = "gone"
    """The pane is dead or gone, or a shell was left behind."""


_S, _I = State, PaneInput

TRANSITIONS: Final[Mapping[tuple[State, PaneInput], State]] = {
    (_S.BOOTING, _I.OUTPUT): _S.BOOTING,
    (_S.BOOTING, _I.BELIEF_READY): _S.READY,
    (_S.BOOTING, _I.BELIEF_BUSY): _S.BUSY,
    (_S.BOOTING, _I.BELIEF_PROMPTING): _S.PROMPTING,
    (_S.BOOTING, _I.BELIEF_NONE): _S.BOOTING,
    (_S.BOOTING, _I.SUBMITTED): _S.BUSY,
    (_S.BOOTING, _I.QUIET_TOO_LONG): _S.SILENT,
    (_S.BOOTING, _I.GONE): _S.EXITED,
    (_S.READY, _I.OUTPUT): _S.READY,  # the verdict becomes unconfirmed, a look follows
    (_S.READY, _I.BELIEF_READY): _S.READY,
    (_S.READY, _I.BELIEF_BUSY): _S.BUSY,
    (_S.READY, _I.BELIEF_PROMPTING): _S.PROMPTING,
    (_S.READY, _I.BELIEF_NONE): _S.BUSY,
    (_S.READY, _I.SUBMITTED): _S.BUSY,
    (_S.READY, _I.QUIET_TOO_LONG): _S.READY,
    (_S.READY, _I.GONE): _S.EXITED,
    (_S.BUSY, _I.OUTPUT): _S.BUSY,
    (_S.BUSY, _I.BELIEF_READY): _S.READY,
    (_S.BUSY, _I.BELIEF_BUSY): _S.BUSY,
    (_S.BUSY, _I.BELIEF_PROMPTING): _S.PROMPTING,
    (_S.BUSY, _I.BELIEF_NONE): _S.BUSY,
    (_S.BUSY, _I.SUBMITTED): _S.BUSY,
    (_S.BUSY, _I.QUIET_TOO_LONG): _S.SILENT,
    (_S.BUSY, _I.GONE): _S.EXITED,
    (_S.PROMPTING, _I.OUTPUT): _S.PROMPTING,  # unconfirmed, a look follows
    (_S.PROMPTING, _I.BELIEF_READY): _S.READY,
    (_S.PROMPTING, _I.BELIEF_BUSY): _S.BUSY,
    (_S.PROMPTING, _I.BELIEF_PROMPTING): _S.PROMPTING,
    (_S.PROMPTING, _I.BELIEF_NONE): _S.BUSY,
    (_S.PROMPTING, _I.SUBMITTED): _S.PROMPTING,  # an answer: a look sees the prompt go
    (_S.PROMPTING, _I.QUIET_TOO_LONG): _S.PROMPTING,
    (_S.PROMPTING, _I.GONE): _S.EXITED,
    (_S.SILENT, _I.OUTPUT): _S.BUSY,
    (_S.SILENT, _I.BELIEF_READY): _S.READY,
    (_S.SILENT, _I.BELIEF_BUSY): _S.BUSY,
    (_S.SILENT, _I.BELIEF_PROMPTING): _S.PROMPTING,
    (_S.SILENT, _I.BELIEF_NONE): _S.SILENT,
    (_S.SILENT, _I.SUBMITTED): _S.BUSY,
    (_S.SILENT, _I.QUIET_TOO_LONG): _S.SILENT,
    (_S.SILENT, _I.GONE): _S.EXITED,
    (_S.EXITED, _I.OUTPUT): _S.EXITED,
    (_S.EXITED, _I.BELIEF_READY): _S.EXITED,
    (_S.EXITED, _I.BELIEF_BUSY): _S.EXITED,
    (_S.EXITED, _I.BELIEF_PROMPTING): _S.EXITED,
    (_S.EXITED, _I.BELIEF_NONE): _S.EXITED,
    (_S.EXITED, _I.SUBMITTED): _S.EXITED,
    (_S.EXITED, _I.QUIET_TOO_LONG): _S.EXITED,
    (_S.EXITED, _I.GONE): _S.EXITED,
}


def render_table() -> list[list[str]]:
    """Return the table as rows of words: a heading row, then one row a state."""
    heading = ["state", *(i.value for i in PaneInput)]
    body = [[s.value, *(TRANSITIONS[s, i].value for i in PaneInput)] for s in State]
    return [heading, *body]
