"""Recorded values fed in again: the same events, with no tmux, no clock and no terminal."""

from collections.abc import Iterable

import attrs

from panegate.ids import PaneId
from panegate.screen.profile import Profile
from panegate.session.events import PaneEvent
from panegate.session.inputs import Input, Opened, apply, open_tracker
from panegate.session.tracker import PaneTracker

__all__ = ["Replay", "ReplayItem", "replay"]


@attrs.frozen
class ReplayItem:
    """One recorded value; an `Opened` comes with its pane's profile."""

    item: Input
    profile: Profile | None = None


@attrs.define
class Replay:
    """Feeds recorded values to trackers of their own.

    Guarantees: what comes out depends on what was fed in and on nothing else. The events
    of one pane come in the order of the live run; between panes, in the order of what
    caused them.
    """

    trackers: dict[PaneId, PaneTracker] = attrs.field(factory=dict)

    def feed(self, given: ReplayItem) -> list[PaneEvent]:
        """Feed one value and return what it led to.

        Raises:
            ValueError: It opens a pane and brings no profile.

        """
        item = given.item
        if isinstance(item, Opened):
            if given.profile is None:
                msg = f"the profile {item.profile!r} of {item.pane_id} is missing"
                raise ValueError(msg)
            tracker = self.trackers[item.pane_id] = open_tracker(item, given.profile)
        else:
            known = self.trackers.get(item.pane_id)
            if known is None:
                return []  # the recording began after this pane was opened
            tracker = known
            apply(tracker, item)
        tracker.take_actions()  # what would go out has its answers in the recording
        tracker.take_look()
        return tracker.take_events()


def replay(items: Iterable[ReplayItem]) -> list[PaneEvent]:
    """Feed values in order and return all events.

    Raises:
        ValueError: As for `Replay.feed`.

    """
    run = Replay()
    return [event for given in items for event in run.feed(given)]
