"""When to call somebody: one escalation for each wait of a program on one question.

An episode is one wait on one question. Repaints, lost servers and a program that takes its
own question away and puts it back within seconds do not end it; an answer does, and so does
another question. Only the time in which the question stands counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from panegate.session.events import Prompt

__all__ = [
    "CONFIRM_S",
    "KEPT",
    "REOPEN_S",
    "Episode",
    "EscalationBook",
    "episodes_from",
    "episodes_to",
    "words_key",
]

REOPEN_S: Final = 5.0
"""The same words that come back within this are the same wait."""
CONFIRM_S: Final = 5.0
"""A screen that is redrawn all the time delays an escalation by no more than this."""
KEPT: Final = 8
"""Episodes remembered for each pane."""


@attrs.frozen(kw_only=True)
class Episode:
    """One wait on one question; times are monotonic seconds."""

    key: str
    """Digest of the words that matter."""
    waited_s: float = 0.0
    """How long it stood before it was last taken away."""
    open_s: float | None = None
    """Since when it stands; None while it does not."""
    closed_s: float = float("-inf")
    kept: bool = False
    """It stood when an earlier controller last said so; nobody has looked since."""
    escalation: str = ""
    """Id of its escalation; "" before it is raised."""
    pending: tuple[str, ...] = ()
    """Who was not told of it yet."""

    def stood_s(self, now_s: float) -> float:
        """Return how long the question has stood in all."""
        return self.waited_s + (0.0 if self.open_s is None else max(0.0, now_s - self.open_s))


@attrs.define(kw_only=True)
class EscalationBook:
    """The waits of one pane, the newest last."""

    after_s: float
    """How long a question stands before somebody is called."""
    episodes: list[Episode] = attrs.field(factory=list)

    @property
    def current(self) -> Episode | None:
        """The wait that goes on now."""
        last = self.episodes[-1] if self.episodes else None
        return last if last is not None and last.open_s is not None and not last.kept else None

    @property
    def has_kept(self) -> bool:
        """An earlier controller left a wait of which nobody knows yet whether it goes on."""
        return any(episode.kept for episode in self.episodes)

    @property
    def deadline_s(self) -> float | None:
        """When somebody is to be called; None: for nothing that is known now."""
        current = self.current
        if current is None or current.open_s is None or current.escalation:
            return None
        return current.open_s + self.after_s - current.waited_s

    def due(self, now_s: float, *, confirmed: bool) -> bool:
        """Tell whether to call somebody now.

        Args:
            now_s: Monotonic seconds.
            confirmed: Nothing has come from the pane since the question was seen.

        """
        deadline_s = self.deadline_s
        if deadline_s is None:
            return False
        return now_s >= deadline_s + (0.0 if confirmed else CONFIRM_S)

    def asked(self, key: str, *, at_s: float) -> Episode:
        """A question stands; return its episode, an earlier one where it is the same wait."""
        current = self.current
        if current is not None:
            if current.key == key:
                return current
            self.closed(answered=False, at_s=at_s)
        found = next((e for e in reversed(self.episodes) if e.key == key), None)
        if found is not None and (found.kept or at_s - found.closed_s <= REOPEN_S):
            self.episodes.remove(found)
            stands_s = found.open_s if found.kept else at_s
            found = attrs.evolve(found, open_s=stands_s, kept=False)
        else:
            found = Episode(key=key, open_s=at_s)
        # what was kept from an earlier controller stood in place of this
        self.episodes = [e for e in self.episodes if e.key != key and not e.kept]
        self.episodes = [*self.episodes, found][-KEPT:]
        return found

    def closed(self, *, answered: bool, at_s: float) -> None:
        """The question is gone; *answered*: by an answer of ours, so the wait is over."""
        current = self.current
        if current is None:
            return
        self.episodes.remove(current)
        if not answered:
            stood_s = current.stood_s(at_s)
            gone = attrs.evolve(current, open_s=None, waited_s=stood_s, closed_s=at_s)
            self.episodes.append(gone)

    def asks_nothing(self, *, at_s: float) -> None:
        """The pane was seen to ask nothing: what an earlier controller left is gone, too."""
        self.episodes = [
            attrs.evolve(e, kept=False, open_s=None, closed_s=at_s, waited_s=e.stood_s(at_s))
            if e.kept
            else e
            for e in self.episodes
        ]

    def ended(self) -> None:
        """The program is gone, and all of its waits with it."""
        self.episodes = []

    def raised(self, escalation: str, pending: Iterable[str]) -> None:
        """Somebody is called about the present wait."""
        if self.current is not None:
            self.episodes[-1] = attrs.evolve(
                self.episodes[-1], escalation=escalation, pending=tuple(pending)
            )

    def told(self, escalation: str, who: str) -> bool:
        """One of those who are called has been told; return whether that is news."""
        for number, episode in enumerate(self.episodes):
            if escalation and episode.escalation == escalation and who in episode.pending:
                rest = tuple(name for name in episode.pending if name != who)
                self.episodes[number] = attrs.evolve(episode, pending=rest)
                return True
        return False


def words_key(prompt: Prompt) -> str:
    """Return the part of a prompt's id that stands for its words."""
    return prompt.id.rpartition(".")[2]


def episodes_to(episodes: Iterable[Episode], *, wall_offset_s: float) -> list[dict[str, Any]]:
    """Return episodes as what JSON can hold, their times as wall seconds.

    Args:
        episodes: Of one pane.
        wall_offset_s: Wall seconds minus monotonic seconds.

    """
    kept: list[dict[str, Any]] = []
    for episode in episodes:
        value: dict[str, Any] = {"key": episode.key, "waited_s": round(episode.waited_s, 3)}
        if episode.open_s is not None:
            value["open_at"] = round(episode.open_s + wall_offset_s, 3)
        elif episode.closed_s != float("-inf"):
            value["closed_at"] = round(episode.closed_s + wall_offset_s, 3)
        if episode.escalation:
            value["escalation"] = episode.escalation
            value["pending"] = list(episode.pending)
        kept.append(value)
    return kept


def episodes_from(
    values: Iterable[Mapping[str, Any]], *, now_s: float, wall_offset_s: float
) -> list[Episode]:
    """Return what `episodes_to` wrote; nothing lies in the future, whatever the wall clock did.

    Raises:
        ValueError: They cannot be read.

    """
    found: list[Episode] = []
    try:
        for value in values:
            opened, closed = value.get("open_at"), value.get("closed_at")
            found.append(
                Episode(
                    key=str(value["key"]),
                    waited_s=float(value["waited_s"]),
                    open_s=None if opened is None else min(now_s, opened - wall_offset_s),
                    closed_s=float("-inf") if closed is None else closed - wall_offset_s,
                    kept=opened is not None,
                    escalation=str(value.get("escalation", "")),
                    pending=tuple(map(str, value.get("pending", ()))),
                )
            )
    except (LookupError, TypeError, AttributeError) as error:
        msg = f"episodes that cannot be read: {error!r}"
        raise ValueError(msg) from error
    return found
