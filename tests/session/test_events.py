"""What an event says of itself."""

import pytest

from panegate.ids import PaneId
from panegate.session.events import PaneExited


@pytest.mark.parametrize(
    ("status", "signal", "how"),
    [(3, None, "with status 3"), (None, 9, "by signal 9"), (None, None, "(its pane was closed)")],
)
def test_an_exit_says_how_as_far_as_it_is_known(
    status: int | None, signal: int | None, how: str
) -> None:
    exited = PaneExited(
        pane=PaneId("%1"),
        status=status,
        signal=signal,
        words="its pane was closed",
        rows=(),
        at_s=1.0,
    )
    assert exited.how == how
