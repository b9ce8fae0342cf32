"""Which question is which: prompts get ids that outlive a repaint and no change."""

import attrs

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import PromptReading
from panegate.session.events import PaneEvent, Prompt, PromptChanged, PromptClosed, PromptOpened

__all__ = ["PromptEpisodes"]


@attrs.define(kw_only=True)
class PromptEpisodes:
    """The questions of one pane, one episode each."""

    pane_id: PaneId
    where: str = ""
    current: Prompt | None = attrs.field(default=None, init=False)
    episode: int = attrs.field(default=0, init=False)
    _fingerprint: str = attrs.field(default="", init=False)
    _answered: bool = attrs.field(default=False, init=False)

    def is_current(self, shown: PromptReading | None, belief: Belief | None) -> bool:
        """Tell whether what a look shows is the question of the running episode."""
        if self.current is None:
            return False
        if shown is None:
            shown = belief.prompt if belief is not None else None
        return shown is not None and _mark_of(shown) == self._fingerprint

    def seen(self, belief: Belief, *, at_s: float) -> list[PaneEvent]:
        """A settled look shows a question; return what is new about it."""
        reading = belief.prompt
        if reading is None or belief.kind is not BeliefKind.PROMPTING:
            return []
        mark = _mark_of(reading)
        old = self.current
        if old is not None and mark == self._fingerprint:
            return []
        self.episode += 1
        self._fingerprint, self._answered = mark, False
        self.current = Prompt(
            id=f"{self.pane_id}.{self.episode}.{mark[:8]}",
            pane=self.pane_id,
            episode=self.episode,
            kind=reading.kind,
            question=reading.question,
            context=reading.context,
            options=reading.options,
            default=reading.default,
            secret=reading.secret,
            rows=reading.rows,
            proof=belief.grade,
            since=at_s,
            where=self.where,
        )
        if old is None:
            return [PromptOpened(pane=self.pane_id, prompt=self.current, at_s=at_s)]
        changed = PromptChanged(pane=self.pane_id, old_id=old.id, prompt=self.current, at_s=at_s)
        return [changed]

    def answered(self) -> None:
        """An answer of ours went in."""
        self._answered = True

    def left(self, *, at_s: float) -> list[PaneEvent]:
        """The pane no longer asks."""
        old, self.current = self.current, None
        self._fingerprint = ""
        if old is None:
            return []
        closed = PromptClosed(
            pane=self.pane_id, prompt_id=old.id, answered=self._answered, at_s=at_s
        )
        return [closed]


def _mark_of(reading: PromptReading) -> str:
    return reading.fingerprint or f"{reading.kind.value:0<8}"
