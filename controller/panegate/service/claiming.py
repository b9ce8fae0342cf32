"""What a pane's program says of itself, for embedders: part of `Pane`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from panegate.session.claims import Judgement, claim_of_words
from panegate.session.events import Prompt
from panegate.session.transcript import Record
from panegate.session.waiting import with_record

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.session.tracker import PaneTracker

__all__ = ["Claiming"]


class Claiming:
    """Claims about a pane, and the record they are judged by."""

    __slots__ = ()

    if TYPE_CHECKING:
        ctl: Controller
        tracker: PaneTracker

    @property
    def record(self) -> Record | None:
        """What its program has written down about its session, as last read.

        None where it keeps no record that is known, or where it was not found.
        """
        return self.tracker.claims.record

    @property
    def judgement(self) -> Judgement:
        """What its record and the claims about it add up to: at work, or waiting, on what."""
        return self.tracker.claims.judgement()

    def claim(
        self,
        status: str,
        *,
        source: str,
        at: float | None = None,
        words: str = "",
        transcript: str | Path = "",
    ) -> None:
        """Say what its program does, as a hook or a registry has told it: a hypothesis.

        It never makes a pane ready, and decides only where stream and screen say nothing. It
        is judged by the program's own record and child processes; one whose cause is over
        counts no more.

        Args:
            status: ``waiting``, ``working`` or ``idle``, or a word that programs use for them
                (``blocked``, ``busy``, ``done``, ...).
            source: Who says so.
            at: When it was so, wall seconds; now by default.
            words: What was said, for people.
            transcript: The program's own record, to judge this and later claims by.

        Raises:
            ValueError: The status is none that is known.

        """
        claim = claim_of_words(status, at_s=time.time() if at is None else at, source=source)
        if claim is None:
            raise ValueError(f"not a status that is known: {status!r}")
        said = attrs.evolve(claim, words=words or claim.words)
        self.ctl.records.claim(self.tracker.pane_id, said, str(transcript))

    def _told(self, prompt: Prompt) -> Prompt:
        """Return a prompt of the screen with what the record says it is about."""
        return with_record(prompt, self.tracker.claims.about(prompt.since))
