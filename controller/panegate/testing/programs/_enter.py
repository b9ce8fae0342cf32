"""What a composer makes of an Enter: the habits of real programs, as rules.

Nothing here reads a clock or a terminal, so each rule can be checked by itself.
"""

from typing import NamedTuple

__all__ = ["Effect", "EnterRules"]


class Effect(NamedTuple):
    """What an Enter does, and by which rule."""

    name: str
    """``submit``, ``newline``, ``ignore`` or ``drop``."""
    rule: str = ""


class EnterRules:
    """Decides about each Enter, counting them from one."""

    def __init__(
        self,
        *,
        ignore_within_s: float = 0.0,
        newline_within_s: float = 0.0,
        newline_in_same_read: bool = False,
        drop_every_nth: int = 0,
        drop_numbers: tuple[int, ...] = (),
        ready_after_s: float = 0.0,
    ) -> None:
        """Set the rules; each is off at its default.

        Args:
            ignore_within_s: Enters this soon after text are ignored.
            newline_within_s: Enters this soon after text become a line break.
            newline_in_same_read: So do Enters read together with text before them.
            drop_every_nth: Every n-th Enter vanishes.
            drop_numbers: The Enters with these numbers vanish.
            ready_after_s: Enters this soon after the box appeared are ignored.
        """
        self._ignore_within_s = ignore_within_s
        self._newline_within_s = newline_within_s
        self._newline_in_same_read = newline_in_same_read
        self._drop_every_nth = drop_every_nth
        self._drop_numbers = drop_numbers
        self._ready_after_s = ready_after_s
        self.count = 0

    def decide(
        self, *, now_s: float, text_at_s: float, box_at_s: float, after_text: bool
    ) -> Effect:
        """Decide about one Enter read at *now_s*.

        Args:
            now_s: When it was read.
            text_at_s: When the last printable text was read.
            box_at_s: When the box appeared.
            after_text: It came in the same read as text before it.
        """
        self.count += 1
        if self._drop_every_nth and self.count % self._drop_every_nth == 0:
            return Effect("drop", "every_nth")
        if self.count in self._drop_numbers:
            return Effect("drop", "number")
        if now_s - box_at_s < self._ready_after_s:
            return Effect("ignore", "ready_after")
        if now_s - text_at_s < self._ignore_within_s:
            return Effect("ignore", "ignore_within")
        if after_text and self._newline_in_same_read:
            return Effect("newline", "same_read")
        if now_s - text_at_s < self._newline_within_s:
            return Effect("newline", "newline_within")
        return Effect("submit")
