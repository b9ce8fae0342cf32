"""One control client: every request is answered exactly once, whatever happens to the stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from panegate.errors import TransportBroken
from panegate.runtime.client import MAX_IN_FLIGHT, Answer, ControlClient
from panegate.testing.scripted_tmux import Paint, ScriptedClient, ScriptedTmux
from panegate.wire.commands import command, sequence
from panegate.wire.events import Event, Output
from panegate_transports.memory import memory_pair

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
N_QUEUED = 5
N_SENT = MAX_IN_FLIGHT + N_QUEUED


def say(word: str) -> bytes:
    return command("display-message", "-p", word)


class Peer:
    """A client under test and what it told."""

    def __init__(self, server: ScriptedTmux) -> None:
        self.server = server
        self.events: list[tuple[Event, float]] = []
        self.batches: list[float] = []
        self.answers: list[tuple[int, Answer]] = []
        self.client: ControlClient

    @property
    def far(self) -> ScriptedClient:
        return self.server.clients[0]

    async def open(self, target: str = "$1") -> None:
        self.client = ControlClient(
            transport=await self.server.open_transport(["-t", target]),
            label=target,
            on_event=lambda _client, event, at_s: self.events.append((event, at_s)),
            on_batch=self.batches.append,
            clock=asyncio.get_running_loop().time,
        )

    def send(self, n: int) -> None:
        for number in range(n):
            self.client.request(
                [say(f"answer {number}")],
                lambda answer, number=number: self.answers.append((number, answer)),
            )

    @property
    def lost(self) -> list[int]:
        return [number for number, answer in self.answers if answer.blocks is None]


@asynccontextmanager
async def running(target: str = "$1") -> AsyncIterator[Peer]:
    """A client that is read, on a server with one pane."""
    async with ScriptedTmux() as server, anyio.create_task_group() as tasks:
        server.add_pane()
        peer = Peer(server)
        await peer.open(target)
        tasks.start_soon(peer.client.run)
        await peer.client.attached.wait()
        yield peer
        await peer.client.aclose()
        tasks.cancel_scope.cancel()


@virtual
async def test_a_request_is_answered_with_the_blocks_of_its_lines() -> None:
    """And with nothing of its neighbours."""
    async with running() as peer:
        answer = await peer.client.ask(sequence(say("a"), say("b")), command("no-such"), say("c"))
        assert answer.blocks is not None
        assert [block.ok for block in answer.blocks] == [True, True, False, True]
        assert not answer.ok
        assert (answer.text(0), answer.text(1), answer.text(3), answer.text(9)) == (
            "a",
            "b",
            "c",
            "",
        )
        assert (await peer.client.ask(say("d"))).text() == "d"


@virtual
async def test_requests_beyond_the_most_in_flight_wait_their_turn() -> None:
    """Replies have no flow control; answers come in the order of the requests."""
    async with running() as peer:
        peer.server.answering = False
        peer.send(N_SENT)
        await anyio.sleep(1)
        assert sum(line.startswith(b'display-message "-p" "answer') for line in peer.far.lines) == (
            MAX_IN_FLIGHT
        )
        assert peer.answers == []
        peer.server.answering = True
        await anyio.sleep(1)
        assert [number for number, _ in peer.answers] == list(range(N_SENT))
        assert [a.text() for _, a in peer.answers] == [f"answer {n}" for n in range(N_SENT)]


@virtual
async def test_the_oldest_request_is_known_while_it_waits() -> None:
    """What tells a wedged server."""
    async with running() as peer:
        peer.server.answering = False
        began_s = anyio.current_time()
        peer.send(1)
        await anyio.sleep(3)
        peer.send(1)
        assert peer.client.oldest_request_s == began_s
        peer.server.answering = True
        await anyio.sleep(1)
        assert peer.client.oldest_request_s is None


@virtual
@pytest.mark.parametrize("how", ["end", "break", "close"])
async def test_each_request_that_is_lost_is_answered_once(how: str) -> None:
    """Those in flight and those that wait, and one that comes too late."""
    async with running() as peer:
        peer.server.answering = False
        peer.send(N_SENT)
        await anyio.sleep(1)
        far = peer.far
        if how == "end":
            await far.end("server exited")
        elif how == "break":
            far.near.break_(ConnectionResetError("reset by peer"))
        else:
            await peer.client.aclose()
        await peer.client.ended.wait()
        await anyio.sleep(1)
        assert sorted(peer.lost) == list(range(N_SENT))
        assert not peer.client.alive
        peer.send(1)
        assert peer.lost[N_SENT:] == [0]
        with pytest.raises(TransportBroken):
            await peer.client.ask(say("late"))
        assert peer.client.exit_reason == ("server exited" if how == "end" else None)


@virtual
async def test_an_answer_that_is_cut_is_lost_and_the_ones_before_it_are_not() -> None:
    """A part of a block proves nothing."""
    async with running() as peer:
        peer.server.answering = False
        peer.send(3)
        await anyio.sleep(1)
        block = b"%begin 1700000000 99 1\nanswer 0\n%end 1700000000 99 1\n"
        peer.far.far.cut(2 * len(block) + 10)
        peer.server.answering = True
        await peer.client.ended.wait()
        assert [(n, a.text() if a.ok else None) for n, a in peer.answers][1:] == [
            (1, None),
            (2, None),
        ]
        assert peer.answers[0][0] == 0
        assert len(peer.answers) == 3


@virtual
@pytest.mark.parametrize("in_flight", [0, 2])
async def test_a_stall_delays_requests_and_loses_none(in_flight: int) -> None:
    """Each keeps its place; they go out when there is room, with no answer to wake them."""
    async with running() as peer:
        peer.server.answering = False
        peer.send(in_flight)
        await anyio.sleep(1)
        peer.far.near.stalled = True
        for _ in range(4):
            peer.send(N_SENT)
        peer.server.answering = True  # answers come in while nothing can be sent
        await anyio.sleep(1)
        assert len(peer.answers) == in_flight
        peer.far.near.stalled = False
        await anyio.sleep(1)
        wanted = [*range(in_flight), *(4 * [*range(N_SENT)])]
        assert [a.text() for _, a in peer.answers] == [f"answer {n}" for n in wanted]


@virtual
async def test_requests_of_a_stall_that_never_ends_are_lost_with_the_stream() -> None:
    """Once each; the one that could not be sent is not forgotten."""
    async with running() as peer:
        peer.far.near.stalled = True
        peer.send(N_SENT)
        await anyio.sleep(1)
        assert peer.answers == []
        await peer.far.end("killed")
        await peer.client.ended.wait()
        await anyio.sleep(1)
        assert sorted(peer.lost) == list(range(N_SENT))


@virtual
async def test_an_attach_that_fails_says_tmuxs_words() -> None:
    """They are what a person can act on."""
    async with running("=none") as peer:
        await peer.client.ended.wait()
        assert peer.client.failure == "can't find session: =none"
        assert not peer.client.alive


@virtual
async def test_a_stream_that_ends_before_the_attach_is_a_failure() -> None:
    """Nobody may wait for ever on `attached`."""
    near, far = memory_pair(asyncio.get_running_loop().time)
    client = ControlClient(
        transport=near,
        label="cut",
        on_event=lambda _client, _event, _at_s: None,
        on_batch=lambda _at_s: None,
        clock=asyncio.get_running_loop().time,
    )
    far.send_nowait(b"%begin 1700000000 1 0\n%end 1700000000 1 0\n")  # and no session yet
    await far.aclose()
    await client.run()
    assert client.attached.is_set()
    assert client.failure == "it ended before it was attached"
    assert not client.alive
    await client.aclose()


@virtual
async def test_draining_handles_what_has_arrived_and_does_not_wait() -> None:
    """A deadline is judged on all output that came before it; each chunk keeps its instant."""
    async with ScriptedTmux() as server:
        pane = server.add_pane()
        peer = Peer(server)
        await peer.open()
        peer.client.drain()
        assert peer.client.alive
        server.paint(pane, Paint(output=b"one"))
        await anyio.sleep(2)
        server.paint(pane, Paint(output=b"two"))
        peer.client.drain()
        outputs = [(e.payload, at_s) for e, at_s in peer.events if isinstance(e, Output)]
        assert outputs == [(b"one", 0.0), (b"two", 2.0)]
        n = len(peer.batches)
        peer.client.drain()
        assert len(peer.batches) == n
        await peer.client.aclose()


@virtual
async def test_draining_a_stream_that_ended_is_left_to_the_reader() -> None:
    """The end is told once, by `run`."""
    async with ScriptedTmux() as server:
        server.add_pane()
        peer = Peer(server)
        await peer.open()
        await peer.far.end("gone")
        peer.client.drain()
        peer.client.drain()
        assert not peer.client.ended.is_set()
        await peer.client.run()
        assert peer.client.ended.is_set()
        await peer.client.aclose()


@virtual
async def test_output_before_an_answer_is_told_before_it() -> None:
    """The order of the stream is the order of the callbacks."""
    async with running() as peer:
        pane = next(iter(peer.server.panes.values()))
        order: list[str] = []
        peer.client.on_event = lambda _client, event, _at_s: order.append(type(event).__name__)
        peer.server.before_line = lambda _client, line: (
            peer.server.paint(pane, Paint(output=b"x")) if b"probe" in line else None
        )
        peer.client.request([say("probe")], lambda _answer: order.append("answer"))
        await anyio.sleep(1)
        assert order == ["Output", "answer"]


@virtual
async def test_nonces_differ_between_requests_and_clients() -> None:
    """A program that guesses one could forge the end of an answer."""
    async with running() as one, running() as other:
        nonces = [peer.client.nonce() for peer in (one, other) for _ in range(100)]
        assert len(set(nonces)) == len(nonces)
        assert all(nonce.isalnum() for nonce in nonces)
