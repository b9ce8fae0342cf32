"""What tmux says about a pane."""

from panegate.ids import PaneId
from panegate.panes.facts import PaneFields


def test_what_has_scrolled_is_what_the_history_holds_and_what_it_dropped():
    fields = PaneFields(pane_id=PaneId("%1"), pane_pid=1, history_size=91, history_dropped=10)
    assert fields.scrolled == 101
    assert PaneFields(pane_id=PaneId("%1"), pane_pid=1, history_size=3).scrolled == 3
