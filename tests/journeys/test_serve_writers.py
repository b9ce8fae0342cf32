"""Several writers and one pane, with a service among them: nothing merges, nothing is lost."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import panegate as pg
from panegate.service.local.client import LocalClient, connected
from panegate.service.local.messages import Note
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer, require_program
from panegate.testing.truth import TruthLog

from .serve_load import Service, running
from .staging import WITHIN_S

pytestmark = [pytest.mark.tmux, pytest.mark.slow, pytest.mark.asyncio]


@attrs.frozen
class Stage:
    """A service, its tmux server, and a folder for what programs write."""

    server: PrivateServer
    service: Service
    folder: Path

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[LocalClient]:
        async with connected(self.service.path) as client:
            assert client is not None
            yield client

    async def bash(self, client: LocalClient) -> Path:
        """Start a shell ``w1`` and return the file that its lines go to."""
        argv = ["bash", "--norc", "--noprofile"]
        options = {"profile": "bash", "cwd": str(self.folder), "within_s": WITHIN_S}
        await client.request("launch", argv=argv, name="w1", inherit_env=None, **options)
        return self.folder / "record"


@contextlib.asynccontextmanager
async def staged() -> AsyncIterator[Stage]:
    require_program("tmux")
    with PrivateServer() as server, tempfile.TemporaryDirectory(prefix="pg-") as name:
        server.start_program(["cat"], name="base")
        async with running(server, Path(name)) as service, asyncio.timeout(3 * WITHIN_S):
            yield Stage(server, service, Path(name))


Send = Callable[[str], Awaitable[str]]


async def talk(send: Send, name: str, count: int) -> list[str]:
    """Send lines one after the other until one does not land; return what became of each."""
    fates = []
    for number in range(count):
        try:
            fates.append(await send(f"echo {name} {number} >>record"))
        except pg.Refused:
            fates.append("refused")
        if fates[-1] != "landed":
            break
    return fates


def through(client: LocalClient, within_s: float = WITHIN_S) -> Send:
    """Send by a client of the service."""

    async def send(text: str) -> str:
        found = await client.request("send", pane="w1", text=text, within_s=within_s)
        return str(found["fate"])

    return send


async def test_the_lines_of_several_clients_of_a_service_never_mix() -> None:
    async with staged() as stage, contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(stage.client()) for _ in range(3)]
        record = await stage.bash(clients[0])
        told = await asyncio.gather(
            *(talk(through(client), name, 20) for client, name in zip(clients, "abc", strict=True))
        )
        assert told == [["landed"] * 20] * 3
        lines = record.read_text().splitlines()
    assert sorted(lines) == sorted(f"{name} {n}" for name in "abc" for n in range(20))
    for name in "abc":  # in the order in which each has asked
        assert [line for line in lines if line[0] == name] == [f"{name} {n}" for n in range(20)]


async def test_the_lines_of_a_service_and_of_another_controller_never_mix() -> None:
    """No lock orders these two: each write proves by itself that the pane is as it was seen.

    What one has typed and not submitted holds the other; its receipt says so.
    """
    async with staged() as stage, stage.client() as client:
        record = await stage.bash(client)
        async with pg.Controller.open(
            socket_path=stage.server.socket_path, journal=":memory:", attach_only=True
        ) as other:
            pane = await other.adopt("w1", profile="bash")

            async def send_there(text: str) -> str:
                return (await pane.send(text, within_s=3.0)).fate.value

            told = await asyncio.gather(
                talk(through(client, 3.0), "a", 20), talk(send_there, "b", 20)
            )
        lines = record.read_text().splitlines()
    whole = {f"{name} {n}" for name in "ab" for n in range(20)}
    assert set(lines) <= whole  # none is two in one
    assert len(lines) == len(set(lines))
    assert len(lines) >= sum(fates.count("landed") for fates in told)


async def test_letters_of_a_person_between_text_and_enter_withhold_the_enter() -> None:
    async with staged() as stage, stage.client() as client:
        truth = TruthLog(stage.folder / "truth.jsonl")
        profile = stage.folder / "slow.toml"
        shipped = (Path(pg.__file__).parent / "profiles" / "standin.toml").read_text()
        profile.write_text(shipped.replace("gap_s = 0.15", "gap_s = 1.5", 1))
        argv = program_argv("composer", log=truth.path)
        options: dict[str, Any] = {"profile": str(profile), "inherit_env": None, "name": "w1"}
        view = await client.request("launch", argv=argv, within_s=WITHIN_S, **options)
        sending = asyncio.create_task(
            client.request("send", pane="w1", text="deploy to staging", within_s=WITHIN_S)
        )
        await truth.wait_for(lambda events: "73746167696e67" in str(events), WITHIN_S)
        await asyncio.to_thread(stage.server.run, "send-keys", "-t", view["id"], "-l", "--", "abc")
        receipt = await sending
        truth.end_children()
    assert receipt["fate"] == "not_landed"
    assert receipt["reason"] in ("changed", "echo_differs", "someone_typed")
    assert receipt["left_behind"] == "deploy to staging"
    assert truth.submits() == []


async def test_two_clients_that_listen_see_the_same_events_in_the_same_order() -> None:
    async with staged() as stage, contextlib.AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(stage.client()) for _ in range(2)]
        heard: dict[LocalClient, list[Note]] = {first: [], second: []}
        for client in (first, second):
            client.on_note = heard[client].append
            await client.request("events", every=True)
        await stage.bash(first)
        await talk(through(first), "a", 5)
        for client in (first, second):
            await client.request("health")  # replies come first, so ask twice
        last = (await first.request("statistics"))["events"]
        async with asyncio.timeout(WITHIN_S):
            for client in (first, second):
                while heard[client][-1].event["seq"] < last:
                    await client.request("health")
    numbers = [
        [note.event["seq"] for note in notes if note.event["seq"]] for notes in heard.values()
    ]
    assert numbers[0] == sorted(set(numbers[0]))
    assert numbers[1] == numbers[0][-len(numbers[1]) :]
