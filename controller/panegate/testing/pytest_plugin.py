"""Fixtures for the tests of programs that use panegate.

Installed as a pytest plugin; nothing of the controller is imported until a test asks
for a fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from panegate.testing.servers import PrivateServer
    from panegate.testing.truth import TruthLog

__all__ = ["tmux_server", "truth_log"]


@pytest.fixture
def tmux_server() -> Iterator[PrivateServer]:
    """A tmux server of this test's own, gone with all its programs at the end.

    Skips the test where tmux is missing; fails it when ``PANEGATE_REQUIRE_ALL=1``.
    """
    from panegate.testing.servers import PrivateServer, require_program

    require_program("tmux")
    with PrivateServer() as server:
        yield server


@pytest.fixture
def truth_log(tmp_path: Path) -> Iterator[TruthLog]:
    """An empty truth log in the test's folder; left-over children end with the test."""
    from panegate.testing.truth import TruthLog

    log = TruthLog(tmp_path / "truth.jsonl")
    yield log
    log.end_children()
