"""People are called about questions by what stays, and by nothing that lives for a moment."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Start, end, running_service

from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

BASH = ("bash", "--norc", "--noprofile")
ASKS = "read -p 'Overwrite notes? [y/n] '"


def until(process: "subprocess.Popen[str]", event: str) -> dict[str, object]:
    """Read JSON lines until one is this event of the first launched pane."""
    assert process.stdout is not None
    for line in process.stdout:
        document: dict[str, object] = json.loads(line)
        if (document.get("event"), document.get("pane")) == (event, "%1"):
            return document
    raise AssertionError(f"{event} did not come")


@pytest.fixture
def asking(cli: Cli, tmp_path: Path) -> Cli:
    """A program that asks, and settings by which somebody is called soon."""
    (tmp_path / "settings.toml").write_text("escalate_after_s = 1\n")
    cli("launch", "--name", "w1", "--", *BASH)
    cli("send", "w1", ASKS)
    return cli


def test_watch_and_events_call_once_and_say_where_to_go(asking: Cli, start: Start):
    first = start(asking.argv("watch", "--json", "--escalate-after", "0.5"))
    called = until(first, "Escalated")
    assert called["question"] == "Overwrite notes? [y/n]"
    assert called["cause"] == "prompt"
    assert "attach -t =w1" in str(called["where"])
    assert end(first).status == 130
    second = start(asking.argv("events", "--json", "--within", "4"))
    seen = [d["event"] for d in end(second, None).documents if d.get("pane") == "%1"]
    assert seen.count("PromptOpened") == 1
    assert "Escalated" not in seen


def test_to_people_it_is_words_with_the_way_to_answer(asking: Cli, start: Start):
    process = start(asking.argv("events", "--within", "5"))
    said = end(process, None).out
    assert "needs a person: w1 has asked for 1 s, and nobody has answered." in said
    _, _, after = said.partition("needs a person")
    assert "Overwrite notes? [y/n]" in after
    assert "panegate answer" in after


def test_a_command_that_lives_for_a_moment_calls_nobody(asking: Cli, tmp_path: Path):
    out = tmp_path / "called"
    sink = f'\n[[sinks]]\nkind = "exec"\nargv = ["touch", "{out}"]\n'
    (tmp_path / "settings.toml").write_text(f"escalate_after_s = 0.01\n{sink}")
    for words in (("read", "w1"), ("explain", "w1"), ("prompts",), ("wait", "w1", "prompting")):
        assert asking(*words).status == 0
    assert not out.exists()


def test_a_service_calls_by_its_own_settings(server: PrivateServer, tmp_path: Path, start: Start):
    (tmp_path / "settings.toml").write_text("escalate_after_s = 1\n")
    cli = Cli(where=("-S", str(server.socket_path)))
    with running_service(server):
        process = start(cli.argv("events", "--json"))
        assert process.stdout is not None
        process.stdout.readline()  # it has subscribed
        cli("launch", "--name", "w1", "--", *BASH)
        cli("send", "w1", ASKS)
        assert until(process, "Escalated")["question"] == "Overwrite notes? [y/n]"
        end(process)
        watched = start(cli.argv("watch", "--within", "0.5", "--escalate-after", "3"))
        assert "its own setting escalate_after_s" in end(watched, None).err
