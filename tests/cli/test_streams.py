"""Events and states while they happen."""

import json
import subprocess

import pytest
from tests.cli.conftest import BOTH_WAYS, Cli, Start, Watched, end

from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, BOTH_WAYS]

BASH = ("bash", "--norc", "--noprofile")


def until(process: "subprocess.Popen[str]", **wanted: object) -> dict[str, object]:
    """Read JSON lines until one has the wanted values, and return it."""
    assert process.stdout is not None
    for line in process.stdout:
        document: dict[str, object] = json.loads(line)
        assert document["schema"] == 1
        flat = {**document, **(document.get("pane") if _is_pane(document) else {})}  # type: ignore[dict-item]
        if all(flat.get(key) == value for key, value in wanted.items()):
            return document
    raise AssertionError(f"{wanted} did not come")


def _is_pane(document: dict[str, object]) -> bool:
    return isinstance(document.get("pane"), dict)


def test_events_are_json_lines_also_of_panes_opened_later(cli: Cli, start: Start):
    cli("launch", "--name", "w0", "--", *BASH)
    process = start(cli.argv("events", "--json"))
    until(process, event="StateChanged", pane="%1", new="ready")
    cli("launch", "--name", "w1", "--", *BASH)
    until(process, event="StateChanged", pane="%2", new="ready")
    cli("run", "w1", "sleep 1")
    until(process, event="StateChanged", pane="%2", new="busy")
    done = end(process)
    assert (done.status, done.err) == (130, "")


def test_a_pane_with_a_new_process_is_watched_anew(cli: Cli, server: PrivateServer, start: Start):
    cli("launch", "--name", "w1", "--", *BASH)
    process = start(cli.argv("events", "--json"))
    until(process, event="StateChanged", pane="%1", new="ready")
    server.run("respawn-pane", "-k", "-t", "%1", "env", *BASH)
    until(process, event="PaneExited", pane="%1")
    until(process, event="PaneOpened", pane="%1", profile="bash")
    until(process, event="StateChanged", pane="%1", new="ready")


def test_events_of_one_pane_are_of_no_other(cli: Cli, server: PrivateServer, start: Start):
    cli("launch", "--name", "w1", "--", *BASH)
    process = start(cli.argv("events", "w1"))
    assert process.stdout is not None
    assert "is watched (bash)" in process.stdout.readline()
    server.run("send-keys", "-t", "%0", "other", "Enter")
    server.run("send-keys", "-t", "%1", "true", "Enter")
    line = process.stdout.readline()
    assert "w1" in line
    assert "base" not in end(process).out


def test_a_stream_ends_after_its_time(cli: Cli):
    assert cli("events", "--within", "0.2").status == 0
    assert cli("watch", "--within", "0.2").status == 0


def test_a_reader_that_goes_away_ends_the_stream_quietly(cli: Cli, start: Start):
    process = start(cli.argv("watch", "--json"))
    until(process, name="base")
    assert process.stdout is not None
    process.stdout.close()
    cli("launch", "--name", "w1", "--", *BASH)
    cli("launch", "--name", "w2", "--", *BASH)
    assert process.wait(20) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_states_are_lines_to_a_pipe(cli: Cli, start: Start):
    process = start(cli.argv("watch", "--json"))
    until(process, name="base")
    cli("launch", "--name", "w1", "--", *BASH)
    until(process, name="w1", state="ready")
    assert end(process).status == 130


def test_states_are_a_table_on_a_terminal(cli: Cli, start: Start):
    with Watched() as terminal:
        argv = cli.argv("watch")
        process = start(argv, stdout=terminal.theirs)
        terminal.wait_for("\x1b[?1049h")
        terminal.wait_for("base")
        cli("launch", "--name", "w1", "--", *BASH)
        terminal.wait_for("w1")
        terminal.wait_for("ready")
        done = end(process)
        terminal.wait_for("\x1b[?1049l")
    assert done.status == 130
