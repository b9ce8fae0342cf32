"""The plugin as a user's test suite sees it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import panegate.testing.pytest_plugin as plugin

_ROOTS = [str(Path(plugin.__file__).parents[2])]


def _pytest(folder: Path, body: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_user.py").write_text(body)
    path = os.pathsep.join([*_ROOTS, os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "panegate.testing.pytest_plugin", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.tmux
def test_a_users_test_drives_a_stand_in_with_two_fixtures(tmp_path: Path) -> None:
    """The example of the README, run in a suite of its own."""
    body = """
from panegate.testing.programs import program_argv

def test_hello(tmux_server, truth_log):
    pane_id = tmux_server.start_program(program_argv("composer", log=truth_log.path))
    truth_log.wait_for_sync("ready_painted", within_s=10)
    tmux_server.run("send-keys", "-t", pane_id, "-l", "hello")
    tmux_server.run("send-keys", "-t", pane_id, "Enter")
    truth_log.wait_for_sync("submit", within_s=10)
    assert truth_log.submits() == ["hello"]
"""
    done = _pytest(tmp_path, body)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_loading_the_plugin_imports_nothing_of_the_controller(tmp_path: Path) -> None:
    """Every pytest run of a user's machine loads it, also those without tmux."""
    body = """
import sys

def test_light():
    ours = {name for name in sys.modules if name.split(".")[0].startswith("panegate")}
    assert ours <= {"panegate", "panegate.testing", "panegate.testing.pytest_plugin"}
    assert not {"anyio", "structlog", "libtmux", "cattrs"} & set(sys.modules)
"""
    done = _pytest(tmp_path, body)
    assert done.returncode == 0, done.stdout + done.stderr
