"""Statistics of the pauses between outputs while a pane is busy."""

import attrs

__all__ = ["GapStatistics"]

_SPAN = 64
_ENOUGH = 20


@attrs.define
class GapStatistics:
    """The last 64 pauses, and the settle window they ask for."""

    _gaps: list[float] = attrs.field(factory=list, init=False)
    count: int = attrs.field(default=0, init=False)
    """Pauses seen in all."""

    def add(self, gap_s: float) -> None:
        """Take one pause between two outputs, in seconds."""
        if len(self._gaps) < _SPAN:
            self._gaps.append(gap_s)
        else:
            self._gaps[self.count % _SPAN] = gap_s
        self.count += 1

    @property
    def longest_s(self) -> float:
        """The longest pause remembered, 0.0 without any."""
        return max(self._gaps, default=0.0)

    def window_s(self, settle_s: float, *, at_most_s: float = 3.0) -> float:
        """Return the settle window: the profile's, or longer where this pane pauses longer.

        Fewer than 20 pauses say nothing. Agent CLIs pause up to 1.02 s in mid-turn, so a
        window under the profile's is never returned.
        """
        if self.count < _ENOUGH:
            return settle_s
        return max(settle_s, min(at_most_s, 1.5 * self.longest_s))
