import contextlib
from collections.abc import Mapping

import anyio
import pytest

from panegate_transports.ssh import open_ssh, ssh_argv

AWKWARD = [
    "printf",
    "%s|",
    "",
    "a b",
    "it's",
    'say "x"',
    "$HOME `id` $(id)",
    "a\nb",
    "*",
    "-n",
    "ü",
]


def test_remote_command_is_one_quoted_word_after_the_host() -> None:
    argv = ssh_argv("user@host", ["tmux", "-C", "attach", "-t", "=a b"])
    assert argv[:2] == ["ssh", "-T"]
    assert argv[-3:] == ["--", "user@host", "tmux -C attach -t '=a b'"]
    assert "BatchMode=yes" in argv


def test_callers_options_come_before_ours_so_that_they_win() -> None:
    argv = ssh_argv("host", ["true"], options=["-o", "BatchMode=no"])
    assert argv.index("BatchMode=no") < argv.index("BatchMode=yes")


@pytest.mark.parametrize("host", ["", "-oProxyCommand=id", "-"])
def test_host_that_could_be_an_option_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="not a host"):
        ssh_argv(host, ["true"])


def test_empty_command_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        ssh_argv("host", [])


@pytest.mark.asyncio
async def test_arguments_arrive_as_they_were_given(fake_ssh_env: Mapping[str, str]) -> None:
    transport = await open_ssh("host", AWKWARD, env=fake_ssh_env)
    got = b""
    with contextlib.suppress(anyio.EndOfStream):
        while True:
            got += (await transport.receive()).data
    await transport.aclose()
    assert got.decode() == "".join(f"{word}|" for word in AWKWARD[2:])


@pytest.mark.asyncio
async def test_failed_connection_ends_the_stream_and_says_why(
    fake_ssh_env: Mapping[str, str],
) -> None:
    transport = await open_ssh("host", ["true"], options=["-p", "1"], env=fake_ssh_env)
    with pytest.raises(anyio.EndOfStream):
        await transport.receive()
    assert await transport.wait_closed() == 255
    assert transport.stderr_tail == b"connect: refused\n"
    await transport.aclose()
