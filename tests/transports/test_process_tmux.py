import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from panegate_transports.process import ProcessTransport

pytestmark = pytest.mark.tmux


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[list[str]]:
    """The start of a command line for a private server, whose session must live on."""
    # A server that is ending cannot be told from a new one of the same name.
    name = f"transports-{os.getpid()}-{tmp_path.name}"
    command = ["tmux", "-u", "-L", name, "-f", "/dev/null"]
    subprocess.run([*command, "new-session", "-d", "-s", "s", "-x", "80", "-y", "24"], check=True)
    shown = subprocess.check_output([*command, "display-message", "-p", "#{socket_path}"])
    try:
        yield command
        subprocess.run([*command, "has-session", "-t", "=s"], check=True)
    finally:
        subprocess.run([*command, "kill-server"], check=False)
        Path(os.fsdecode(shown.strip())).unlink(missing_ok=True)


@pytest.mark.asyncio
async def test_control_client_leaves_in_order_and_its_session_lives(tmux: list[str]) -> None:
    client = await ProcessTransport.open([*tmux, "-C", "attach-session", "-t", "=s"])
    got = b""
    while b"%session-changed" not in got:
        got += (await client.receive()).data
    await client.send(b"display-message -p '#{session_name} alive'\n")
    while b"s alive" not in got:
        got += (await client.receive()).data
    await client.send_eof()
    with pytest.raises(anyio.EndOfStream):
        while True:
            got += (await client.receive()).data
    assert got.endswith(b"%exit\n")
    await client.aclose()
    assert client.returncode == 0


@pytest.mark.asyncio
async def test_clients_closed_while_they_start_leave_the_server_alone(tmux: list[str]) -> None:
    for steps in range(30):
        client = await ProcessTransport.open([*tmux, "-C", "attach-session", "-t", "=s"])
        for _ in range(steps):
            await asyncio.sleep(0)
        closing = asyncio.ensure_future(client.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        assert await client.wait_closed() >= 0
