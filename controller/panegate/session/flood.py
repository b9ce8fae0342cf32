"""Whether a program writes all the time, by how much came when."""

from typing import Final

import attrs

from panegate.panes.facts import Look, TtyWait
from panegate.terms import State

__all__ = ["FLOOD_BYTES", "FLOOD_SPAN_S", "LASTS_S", "Flood"]

FLOOD_BYTES: Final = 16 * 1024
"""So much output within `FLOOD_SPAN_S` is no answer and no repainted screen."""
FLOOD_SPAN_S: Final = 0.25
_AT_WORK: Final = (State.BOOTING, State.BUSY, State.SILENT)
LASTS_S: Final = 1.2
"""How long it counts as going on: tmux is told to hold a flooding pane back for a second."""


@attrs.define(kw_only=True)
class Flood:
    """Counts one pane's output."""

    _span_at_s: float = attrs.field(default=0.0, init=False)
    _span_bytes: int = attrs.field(default=0, init=False)
    _seen_at_s: float | None = attrs.field(default=None, init=False)

    def output(self, n_bytes: int, *, at_s: float) -> None:
        """Take note of output."""
        if at_s - self._span_at_s > FLOOD_SPAN_S:
            self._span_at_s, self._span_bytes = at_s, 0
        self._span_bytes += n_bytes
        if self._span_bytes >= FLOOD_BYTES:
            self._seen_at_s = at_s

    def dropped(self, *, at_s: float) -> None:
        """Output was dropped: a flood that was on goes on behind it."""
        if self.is_on(now_s=at_s):
            self._seen_at_s = at_s

    def rolls_by(self, look: Look, state: State) -> bool:
        """Tell whether a look shows what rolls by: it floods, and does not wait at its terminal."""
        waits = look.kernel is not None and look.kernel.wait in (TtyWait.READ, TtyWait.SELECT)
        return state in _AT_WORK and not waits and self.is_on(now_s=look.at_s)

    def is_on(self, *, now_s: float) -> bool:
        """Tell whether it writes all the time now."""
        return self._seen_at_s is not None and now_s - self._seen_at_s <= LASTS_S
