"""How much has scrolled: tmux counts no more than its history holds."""

from typing import Final

import attrs

from panegate.panes.facts import Look, PaneFields, ScreenReading

__all__ = ["ABOVE_ROWS", "HistoryCount"]

ABOVE_ROWS: Final = 120
"""Rows of history that are read while a question may begin there."""


@attrs.define
class HistoryCount:
    """Counts what a pane's history has dropped, so that every row keeps its number.

    At its limit tmux drops a tenth of the history at once. Several tenths between two looks
    count as one: rows that far above are not compared with anything.
    """

    dropped: int = attrs.field(default=0, init=False)
    wanted_rows: int = attrs.field(default=0, init=False)
    """How many rows of history the next look has to bring."""
    _last: PaneFields | None = attrs.field(default=None, init=False)

    def counted(self, look: Look) -> Look:
        """Return the look with what was dropped up to it."""
        now, was = look.fields, self._last
        if was is not None and _has_dropped(was, now):
            self.dropped += _tenth(now)
        self._last = now
        if not self.dropped:
            return look
        return attrs.evolve(look, fields=attrs.evolve(now, history_dropped=self.dropped))

    def wants_more(self, reading: ScreenReading, look: Look) -> bool:
        """Tell whether a look is worth nothing without the rows above the screen."""
        reaches = reading.reaches_up and not look.fields.alternate_on
        self.wanted_rows = ABOVE_ROWS if reaches else 0
        return reaches and not look.above


def _has_dropped(was: PaneFields, now: PaneFields) -> bool:
    """A history that is cleared, or gives rows back to a taller screen, has dropped nothing."""
    resized = (was.width, was.height) != (now.width, now.height)
    full = 0 < now.history_limit - _tenth(now) < now.history_size
    return now.history_size < was.history_size and full and not resized


def _tenth(fields: PaneFields) -> int:
    return max(1, fields.history_limit // 10)
