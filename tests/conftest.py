"""What every test shares: the event loops to choose from and the shipped fixtures.

An async test runs on asyncio's own loop unless it asks for the virtual one:
``@pytest.mark.asyncio(loop_factories=["virtual"])``.
"""

import asyncio
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent

# An installed distribution wins; a bare checkout is made importable.
for _name, _folder in (("panegate_transports", "transports"), ("panegate", "controller")):
    if importlib.util.find_spec(_name) is None:
        sys.path.insert(0, str(_ROOT / _folder))

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_configure(config: pytest.Config) -> None:
    """Register the shipped fixtures where no installed entry point has done so."""
    name = "panegate.testing.pytest_plugin"
    plugins = config.pluginmanager
    if not plugins.has_plugin("panegate") and not plugins.has_plugin(name):
        plugins.import_plugin(name)
    # no journal of the user who runs the tests
    state = tempfile.TemporaryDirectory(prefix="panegate-state-")
    os.environ["XDG_STATE_HOME"] = state.name
    config.add_cleanup(state.cleanup)


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, LoopFactory]:
    """Offer both loops to a test that names one, else the real one alone."""
    from panegate.testing.virtual_loop import VirtualLoop

    mark = item.get_closest_marker("asyncio")
    if mark is not None and mark.kwargs.get("loop_factories"):
        return {"virtual": VirtualLoop, "real": asyncio.new_event_loop}
    return {"real": asyncio.new_event_loop}
