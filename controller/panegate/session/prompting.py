"""Which question is which: prompts get ids that outlive a repaint and no change."""

from typing import Final

import attrs

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import PromptReading
from panegate.session.events import PaneEvent, Prompt, PromptChanged, PromptClosed, PromptOpened

__all__ = ["REOPEN_S", "PromptEpisodes"]

_UNSEEN: Final = "It begins above what could be read; its first words are not known."
_SHORTEST: Final = 40
"""Characters that tell one question's end from another's."""
REOPEN_S: Final = 2.0
"""The same words back within so long, and not answered by us, are the same episode."""


@attrs.define(kw_only=True)
class PromptEpisodes:
    """The questions of one pane, one episode each.

    A question that goes and comes back by itself, within `REOPEN_S` and with the same words,
    was one episode all along: so that it is over is said only then, or at once where an answer
    of ours went in or the program ended.
    """

    pane_id: PaneId
    where: str = ""
    current: Prompt | None = attrs.field(default=None, init=False)
    episode: int = attrs.field(default=0, init=False)
    _fingerprint: str = attrs.field(default="", init=False)
    _answered: bool = attrs.field(default=False, init=False)
    _taken: bool = attrs.field(default=False, init=False)
    _left_at_s: float | None = attrs.field(default=None, init=False)

    @property
    def deadline_s(self) -> float | None:
        """When to call `advance`, monotonic seconds; None means never."""
        return None if self._left_at_s is None else self._left_at_s + REOPEN_S

    def is_current(self, shown: PromptReading | None, belief: Belief | None) -> bool:
        """Tell whether what a look shows is the question of the running episode."""
        if self.current is None:
            return False
        if shown is None:
            shown = belief.prompt if belief is not None else None
        return shown is not None and self._is_same(shown)

    def seen(self, belief: Belief, *, at_s: float) -> list[PaneEvent]:
        """A settled look shows a question; return what is new about it."""
        reading = belief.prompt
        if reading is None or belief.kind is not BeliefKind.PROMPTING:
            return []
        mark = _mark_of(reading)
        old = self.current
        if old is not None and self._is_same(reading) and not self._taken:
            self._left_at_s = None
            self._update(old, reading)
            return []
        events = self.advance(now_s=at_s, over=True)
        old = self.current
        self.episode += 1
        self._fingerprint, self._answered, self._taken = mark, False, False
        self.current = Prompt(
            id=f"{self.pane_id}.{self.episode}.{mark[:8]}",
            pane=self.pane_id,
            episode=self.episode,
            kind=reading.kind,
            question=reading.question,
            context=reading.context,
            options=reading.options,
            default=reading.default,
            cancel_key=reading.cancel_key,
            secret=reading.secret,
            many=reading.many,
            unseen=_UNSEEN if reading.cut else "",
            rows=reading.rows,
            proof=belief.grade,
            since=at_s,
            where=self.where,
        )
        if old is None:
            events.append(PromptOpened(pane=self.pane_id, prompt=self.current, at_s=at_s))
        else:
            events.append(
                PromptChanged(pane=self.pane_id, old_id=old.id, prompt=self.current, at_s=at_s)
            )
        return events

    def _is_same(self, reading: PromptReading) -> bool:
        """The very words, or those of its end, where a smaller screen has cut off the rest."""
        if _mark_of(reading) == self._fingerprint:
            return True
        current = self.current
        if current is None or reading.secret is not current.secret:
            return False
        if [o.label for o in reading.options] != [o.label for o in current.options]:
            return False
        now, was = _words_of(reading), _words_of(current)
        if len(min(now, was, key=len)) < _SHORTEST:
            return False
        cut_now = reading.cut and was.endswith(now)
        return cut_now or (current.unseen != "" and now.endswith(was))

    def _update(self, old: Prompt, reading: PromptReading) -> None:
        """The highlight or a tick may have moved; more of the words may have come into sight."""
        new = old
        if _choices_of(reading) != _choices_of(old):
            new = attrs.evolve(
                old, options=reading.options, default=reading.default, rows=reading.rows
            )
        if old.unseen and not (reading.cut and len(_words_of(reading)) <= len(_words_of(old))):
            new = attrs.evolve(
                new,
                question=reading.question,
                context=reading.context,
                unseen=_UNSEEN if reading.cut else "",
            )
            self._fingerprint = _mark_of(reading)
        self.current = new

    def answered(self) -> None:
        """An answer of ours went in."""
        self._answered = True

    def taken(self, prompt_id: str) -> None:
        """An answer to this prompt landed: the same words again are asked anew."""
        self._taken = self._taken or (self.current is not None and self.current.id == prompt_id)

    def left(self, *, at_s: float, for_good: bool = False) -> list[PaneEvent]:
        """The pane no longer asks; *for_good* where nothing can come back."""
        if self.current is None:
            return []
        if self._left_at_s is None:
            self._left_at_s = at_s
        return self.advance(now_s=at_s, over=for_good or self._answered)

    def advance(self, *, now_s: float, over: bool = False) -> list[PaneEvent]:
        """Say that the question is over, where it is *over* or has not come back in time."""
        left_at_s, old = self._left_at_s, self.current
        if left_at_s is None or old is None:
            return []
        if not over and now_s < left_at_s + REOPEN_S:
            return []
        self.current, self._fingerprint, self._left_at_s = None, "", None
        return [
            PromptClosed(
                pane=self.pane_id, prompt_id=old.id, answered=self._answered, at_s=left_at_s
            )
        ]


def _words_of(asked: PromptReading | Prompt) -> str:
    """What is asked without blanks: where it wraps makes no difference."""
    return "".join(f"{asked.context}{asked.question}".split())


def _choices_of(asked: PromptReading | Prompt) -> list[tuple[str, bool, bool | None]]:
    """The options as people see them, wherever they stand."""
    return [(option.label, option.highlighted, option.ticked) for option in asked.options]


def _mark_of(reading: PromptReading) -> str:
    return reading.fingerprint or f"{reading.kind.value:0<8}"
