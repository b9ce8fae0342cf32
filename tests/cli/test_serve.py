"""The standalone controller as a process: its ends, its signals, and who may be beside it."""

import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Start, Watched, end, running_service

from panegate.cli.unit import unit_file
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthLog

pytestmark = pytest.mark.tmux

BASH = ("bash", "--norc", "--noprofile")
Serve = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def serve(cli: Cli, start: Start) -> Serve:
    """Start a service and wait until it takes requests."""

    def begin(*words: str, **variables: str) -> "subprocess.Popen[str]":
        process = start(cli.argv("serve", "--json", *words), **variables)
        assert process.stdout is not None
        document = json.loads(process.stdout.readline())
        assert document["serving"]["pid"] == process.pid
        return process

    return begin


@pytest.fixture
def heard() -> Iterator[socket.socket]:
    """What systemd would hear."""
    with (
        tempfile.TemporaryDirectory(prefix="pg-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as found,
    ):
        found.bind(f"{folder}/notify")
        found.settimeout(30)
        yield found


def programs(server: PrivateServer) -> dict[str, int]:
    """Which programs run, by their sessions' names."""
    rows = server.run("list-panes", "-a", "-F", "#{session_name} #{pane_pid}").splitlines()
    return {name: int(pid) for name, pid in map(str.split, rows)}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_programs_outlive_the_service_whatever_ends_it(
    cli: Cli, server: PrivateServer, serve: Serve, number: signal.Signals
):
    process = serve()
    assert cli("launch", "--name", "w1", "--", *BASH).status == 0
    assert cli("send", "w1", "echo one").status == 0
    before = programs(server)
    done = end(process, number)
    assert done.status == (0 if number is not signal.SIGKILL else -signal.SIGKILL)
    assert programs(server) == before
    assert set(before) == {"base", "w1"}
    if number is not signal.SIGKILL:
        assert server.run("list-clients") == ""
    # by themselves the commands go on; a new service finds the pane again
    assert cli("run", "w1", "echo two").out == "two\n"
    serve()
    assert cli("ls").out.splitlines()[1].split() == ["%1", "w1", "bash", "ready"]
    assert cli("run", "w1", "echo three").out == "three\n"
    assert cli("read", "w1").out.count("\none\n") == 1


def test_a_message_that_waits_when_the_service_ends_is_not_written(
    cli: Cli, serve: Serve, start: Start
):
    process = serve()
    cli("launch", "--name", "w1", "--", *BASH)
    cli("send", "w1", "sleep 1000")
    waiting = start(cli.argv("send", "--json", "w1", "echo never"))
    status = start(cli.argv("events", "--json", "w1"))
    assert status.stdout is not None
    for line in status.stdout:
        if json.loads(line)["event"] == "WriteHeld":
            break
    assert end(process, signal.SIGTERM).status == 0
    done = end(waiting, None)
    assert done.status == 7
    assert "nothing was written" in done.document["error"]["message"]
    cli("interrupt", "w1")
    assert "never" not in cli("run", "w1", "echo done").out


def test_a_write_in_hand_gets_its_fate_before_the_service_ends(
    cli: Cli, serve: Serve, start: Start, truth_log: TruthLog
):
    process = serve()
    argv = program_argv("composer", log=truth_log.path, submit_enter_ready_after=1500, work=1)
    assert cli("launch", "--profile", "standin", "--name", "w1", "--", *argv).status == 0
    sending = start(cli.argv("send", "w1", "hello"))
    truth_log.wait_for_sync(lambda events: "68656c6c6f" in str(events), 10)
    assert end(process, signal.SIGTERM).status == 0
    done = end(sending, None)
    assert done.status in (0, 5)  # its receipt: the program takes its time to read an Enter
    assert "\n  ms: held " in done.out
    assert ("Landed" in done.out) == (truth_log.submits() == ["hello"])


def test_a_client_whose_service_is_killed_says_that_it_does_not_know(
    cli: Cli, serve: Serve, start: Start
):
    process = serve()
    cli("launch", "--name", "w1", "--", *BASH)
    with Watched() as terminal:
        waiting = start(cli.argv("wait", "w1", "prompting"), stderr=terminal.theirs)
        terminal.wait_for("waiting for prompting")
        end(process, signal.SIGKILL)
        assert end(waiting, None).status == 7
        terminal.wait_for("the service went away before it answered")


def test_a_stream_whose_service_ends_says_so(cli: Cli, serve: Serve, start: Start):
    process = serve()
    stream = start(cli.argv("watch", "--json"))
    assert stream.stdout is not None
    assert json.loads(stream.stdout.readline())["pane"]["name"] == "base"
    assert end(process, signal.SIGTERM).status == 0
    done = end(stream, None)
    assert done.status == 7
    assert done.documents[-1]["error"]["code"] == "transport_broken"


def test_a_second_service_is_told_who_holds_the_server(cli: Cli, serve: Serve):
    process = serve()
    done = cli.json("serve")
    assert done.status == 1
    assert f"a service (pid {process.pid}) runs" in done.document["error"]["message"]
    assert end(process, signal.SIGTERM).status == 0


def test_a_service_after_one_that_was_killed_takes_its_place(cli: Cli, serve: Serve):
    end(serve(), signal.SIGKILL)
    process = serve()
    assert cli.json("serve", "--status").document["service"]["ready"]["ready"] is True
    assert end(process, signal.SIGTERM).status == 0


def test_settings_are_read_again_and_wrong_ones_change_nothing(
    cli: Cli, serve: Serve, heard: socket.socket, tmp_path: Path
):
    process = serve(NOTIFY_SOCKET=heard.getsockname())
    assert heard.recv(1000).startswith(b"READY=1\n")
    cli("launch", "--name", "w1", "--", "cat")
    settings = tmp_path / "settings.toml"
    for text, words in (('answers = "never"\n', "answers = never"), ("colour = 1\n", "never")):
        settings.write_text(text)
        process.send_signal(signal.SIGHUP)
        assert heard.recv(1000).startswith(b"RELOADING=1\n")
        said = heard.recv(1000)
        assert said.startswith(b"READY=1\n")
        assert (b"unknown setting" in said) == ("colour" in text)
        done = cli.json("answer", "w1", "%1.1.00000000", "--text", "x")
        assert done.status in (3, 4), done
        if done.document["error"]["code"] == "refused":
            assert words in done.document["error"]["message"]
    assert end(process, signal.SIGTERM).status == 0
    assert heard.recv(1000).startswith(b"STOPPING=1\n")


def test_no_program_in_a_pane_can_speak_to_systemd(cli: Cli, serve: Serve, heard: socket.socket):
    serve(NOTIFY_SOCKET=heard.getsockname())
    cli("launch", "--inherit-env", "--name", "w1", "--", *BASH)
    assert cli("run", "w1", "echo [$NOTIFY_SOCKET]").out == "[]\n"


def test_the_status_has_health_readiness_and_counts_by_reason(cli: Cli, server: PrivateServer):
    done = cli.json("serve", "--status")
    assert (done.status, done.document["error"]["code"]) == (7, "server_unreachable")
    assert "panegate serve" in done.document["error"]["fix"]
    with running_service(server):
        cli("launch", "--name", "w1", "--", *BASH)
        cli("send", "w1", "sleep 1000")
        assert cli("send", "--within", "0.2", "w1", "echo no").status == 6
        found = cli.json("serve", "--status").document["service"]
        assert found["ready"] == {"ready": True, "problems": []}
        assert found["health"]["ok"] is True
        counts = found["statistics"]
        assert (counts["writes"]["landed:none"], counts["writes"]["refused:busy"]) == (1, 1)
        assert counts["service"]["failures"]["not_ready:busy"] == 1
        assert counts["service"]["requests"]["send"] == 2
        assert cli("serve", "--status").out.startswith(f"-S {server.socket_path}: ready\n")


def test_a_service_without_its_tmux_server_is_not_ready_and_starts_a_new_one(
    cli: Cli, server: PrivateServer
):
    with running_service(server):
        cli("launch", "--name", "w1", "--", *BASH)
        server.run("kill-server")
        assert cli("wait", "w1", "ready").status in (4, 7)
        assert cli("ls").status == 7
        done = cli.json("serve", "--status")
        assert done.status == 1
        assert done.document["service"]["ready"]["problems"]
        assert cli("launch", "--name", "w2", "--", *BASH).status == 0
        assert cli("run", "w2", "echo hi").out == "hi\n"
        assert cli("serve", "--status").status == 0


def test_a_program_is_launched_with_its_callers_folder_and_environment(
    cli: Cli, server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with running_service(server):
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        monkeypatch.setenv("LC_TIME", "from-the-caller")
        cli("launch", "--name", "w1", "--env", "A=b c", "--", *BASH)
    said = cli("run", "w1", "echo $PWD $LC_TIME $A").out
    assert said == f"{tmp_path / 'here'} from-the-caller b c\n"


def test_nothing_is_written_to_the_pane_that_the_caller_runs_in(
    cli: Cli, server: PrivateServer, monkeypatch: pytest.MonkeyPatch
):
    with running_service(server):
        cli("launch", "--name", "w1", "--", *BASH)
        monkeypatch.setenv("TMUX", f"{server.socket_path},1,0")
        monkeypatch.setenv("TMUX_PANE", "%1")
        for words in (("send", "w1", "echo no"), ("keys", "w1", "Up"), ("clear", "w1")):
            done = cli.json(*words)
            assert (done.status, done.document["error"]["reason"]) == (3, "own_pane")


def test_a_hold_is_kept_by_the_service_and_beside_the_pane(cli: Cli, server: PrivateServer):
    with running_service(server):
        cli("launch", "--name", "w1", "--", *BASH)
        assert cli("hold", "w1", "--reason", "mine").status == 0
        assert cli("keys", "w1", "Up").status == 3
    assert cli("keys", "w1", "Up").status == 3  # without a service, too
    with running_service(server):
        assert "held: mine" in cli("ls").out
        assert cli("release", "w1").status == 0
        assert cli("send", "w1", "echo hi").status == 0


def test_a_pane_is_adopted_anew_when_something_new_is_said_about_it(
    cli: Cli, server: PrivateServer
):
    server.start_program(program_argv("lines", prompt="say> "), name="theirs")
    with running_service(server):
        cli("adopt", "theirs")
        done = cli.json("adopt", "theirs", "--profile", "lines", "--name", "notes")
        assert (done.document["pane"]["name"], done.document["pane"]["profile"]) == (
            "notes",
            "lines",
        )
        assert cli("wait", "notes", "ready", "--within", "10").status == 0
    assert cli.json("ls").document["panes"][0]["name"] == "notes"


def test_the_unit_file_leaves_the_tmux_server_alone(bare: Cli):
    text = bare("unit", "-L", "mine").out
    assert "\nKillMode=process\n" in text
    assert "\nType=notify\n" in text
    assert "\nExecReload=/bin/kill -HUP $MAINPID\n" in text
    (command,) = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    assert command.endswith(" serve -L mine")
    assert "panegate-mine.service" in text
    assert bare.json("unit").document["unit"]["name"] == "panegate.service"


def test_words_of_a_unit_file_are_quoted_as_systemd_reads_them():
    text = unit_file(["/opt/my dir/panegate", "100%", "$HOME", 'a"b'], "-L x")
    assert '\nExecStart="/opt/my dir/panegate" 100%% $$HOME "a\\"b"\n' in text


def test_a_service_says_where_it_listens_for_its_user_alone(cli: Cli, serve: Serve):
    process = serve()
    found = cli.json("serve", "--status").document["service"]
    path = Path(found["path"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.is_relative_to(os.environ["XDG_RUNTIME_DIR"])
    assert end(process, signal.SIGTERM).status == 0
    assert not path.exists()
