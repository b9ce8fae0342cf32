"""Which blocks answer which request."""

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from panegate.errors import LocalProtocolError
from panegate.ids import PaneId
from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command, sequence
from panegate.wire.events import Block, Continue, Exit, Pause, Reply, RequestLost, StrayBlock
from panegate.wire.replies import ReplyMatcher, Taken


def block(*lines: bytes, ok: bool = True, flags: int = 1, number: int = 1) -> Block:
    return Block(ok=ok, flags=flags, number=number, lines=lines)


def matcher(*nonces: bytes, rows_are_data: bool = True) -> ReplyMatcher:
    replies = ReplyMatcher()
    for nonce in nonces:
        replies.add([b"list-panes"], nonce=nonce, rows_are_data=rows_are_data)
    return replies


def reply(request_id: int, *blocks: Block, hooks: tuple[Block, ...] = ()) -> Taken:
    answer = Reply(request_id=request_id, blocks=blocks, hook_blocks=hooks)
    return Taken((answer,), rows_are_data=False)


def test_the_sentinel_is_a_line_of_its_own_in_the_same_write() -> None:
    request = ReplyMatcher().add([b"a ; b", b"c"], nonce=b"N1", rows_are_data=True)
    assert request == (1, b"a ; b\nc\ndisplay-message -p N1\n")


@pytest.mark.parametrize(
    "lines",
    [[], [b""], [b"a", b""], [b" "], [b" a"], [b"a\n"], [b"a\nb"], [b"a\r"], [b"\0"], [b"a\xff"]],
)
def test_a_line_that_would_detach_or_end_early_is_never_written(lines: list[bytes]) -> None:
    replies = ReplyMatcher()
    with pytest.raises(LocalProtocolError):
        replies.add(lines, nonce=b"N1", rows_are_data=True)
    assert len(replies) == 0


@pytest.mark.parametrize("nonce", [b"", b"-x", b"a b", b"#{x}", b"%H", b"a" * 65, b"a\n", b"_a"])
def test_a_nonce_that_tmux_would_read_differently_is_refused(nonce: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="not a nonce"):
        ReplyMatcher().add([b"a"], nonce=nonce, rows_are_data=True)


def test_a_nonce_in_flight_is_not_taken_twice() -> None:
    replies = matcher(b"N1")
    with pytest.raises(LocalProtocolError, match="in use"):
        replies.add([b"a"], nonce=b"N1", rows_are_data=True)
    replies.take(block(b"N1"))
    replies.add([b"a"], nonce=b"N1", rows_are_data=True)


def test_all_blocks_up_to_the_nonce_are_the_requests() -> None:
    """One line may give none or many; hooks come in between and behind."""
    replies = matcher(b"N1", b"N2")
    first, failed, hook = block(b"x"), block(b"no", ok=False), block(b"h", flags=0)
    assert replies.take(first) == Taken()
    assert replies.take(hook) == Taken()
    assert replies.take(failed) == Taken()
    assert replies.take(block(b"N1")) == reply(1, first, failed, hooks=(hook,))
    assert replies.take(hook) == Taken()  # a hook of the sentinel
    assert replies.take(block(b"N2")) == reply(2, hooks=(hook,))
    assert replies.take(hook) == Taken((StrayBlock(hook),))


@pytest.mark.parametrize(
    "not_it",
    [
        block(b"N1", flags=0),
        block(b"N1", ok=False),
        block(b"N1", b""),
        block(b"x", b"N1"),
        block(b" N1"),
        block(b"N11"),
        block(b"%N1"),
        block(),
    ],
)
def test_only_a_block_of_just_the_nonce_answers(not_it: Block) -> None:
    replies = matcher(b"N1")
    assert replies.take(not_it) == Taken()
    assert len(replies) == 1


def test_notifications_within_the_sentinels_block_do_not_hide_it() -> None:
    replies = matcher(b"N1")
    assert replies.take(block(b"%output %0 x", b"N1", b"%sessions-changed")) == reply(1)


def test_rows_are_reported_only_for_requests_that_print_no_text() -> None:
    paused = block(b"%pause %0")
    assert matcher(b"N1").take(paused).rows_are_data
    assert not matcher(b"N1", rows_are_data=False).take(paused).rows_are_data


def test_missing_sentinels_lose_every_request_up_to_the_one_seen() -> None:
    """Whose the blocks are can't be told then; the next request is in step again."""
    replies = matcher(b"N1", b"N2", b"N3")
    some = block(b"x")
    replies.take(some)
    assert replies.take(block(b"N2")).events == (
        RequestLost(request_id=1, blocks=(some,), hook_blocks=()),
        RequestLost(request_id=2, blocks=(), hook_blocks=()),
    )
    assert replies.take(block(b"N3")) == reply(3)


def test_a_withdrawn_request_leaves_the_others_in_step() -> None:
    replies = matcher(b"N1", b"N2")
    replies.withdraw(1)
    assert replies.take(block(b"N2")) == reply(2)
    with pytest.raises(LocalProtocolError):
        replies.withdraw(1)
    replies = matcher(b"N1", b"N2", b"N3")
    replies.withdraw(2)
    assert [replies.take(block(nonce)) for nonce in (b"N1", b"N3")] == [reply(1), reply(3)]


def test_losing_all_gives_up_each_with_what_had_come() -> None:
    replies = matcher(b"N1", b"N2")
    some, hook = block(b"x"), block(flags=0)
    replies.take(some)
    replies.take(hook)
    assert replies.lose_all() == [
        RequestLost(request_id=1, blocks=(some,), hook_blocks=(hook,)),
        RequestLost(request_id=2, blocks=(), hook_blocks=()),
    ]
    assert replies.lose_all() == []


# Against a real tmux.


@pytest.mark.tmux
def test_replies_stay_matched_beside_a_users_hooks(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    """Hooks inject blocks behind each display-message, the sentinels' own included."""
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    hook = command("display-message", "-p", "injected")
    client.ask(
        command("set-hook", "-g", "after-set-buffer", hook),
        command("set-hook", "-g", "after-display-message", command("list-buffers")),
    )
    ids = [
        client.send(command("set-buffer", "-b", "b", "--", "x"), command("show-buffer", "-b", "b"))
        for _ in range(20)
    ]
    for request_id in ids:
        answer = client.reply(request_id)
        assert [b.lines for b in answer.blocks] == [(), (b"x",)]
        assert (b"injected",) in [b.lines for b in answer.hook_blocks]
        assert {b.flags for b in answer.hook_blocks} == {0}


@pytest.mark.tmux
def test_any_number_of_blocks_comes_back_with_its_request(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")

    def say(text: str) -> bytes:
        return command("display-message", "-p", text)

    fails = command("kill-pane", "-t", "%99")
    lines = {
        sequence(say("a"), say("b"), say("c")): [b"a", b"b", b"c"],
        sequence(say("a"), fails, say("never")): [b"a", b"can't find pane: %99"],
        command("if-shell", "-F", "1", sequence(say("x"), say("y")), say("z")): [b"", b"x", b"y"],
        b"no-such-command": [b"parse error: unknown command: no-such-command"],
        b"# a comment": [],
        b'display-message -p "unterminated': [b"unterminated"],
        say("%%end 1 2 1"): [b"%end 1 2 1"],
        say(""): [b""],
    }
    ids = {client.send(line): texts for line, texts in lines.items()}
    for request_id, texts in ids.items():
        answer = client.reply(request_id)
        assert [b"\n".join(b.lines) for b in answer.blocks] == texts
        assert answer.hook_blocks == ()
    together = client.ask(*lines)
    assert len(together.blocks) == sum(len(texts) for texts in lines.values())


@pytest.mark.tmux
def test_an_own_pause_is_an_event_and_a_pane_cannot_fake_one(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    fake = "printf '%%pause %%0\\n%%exit\\n'; exec cat"
    pane_id = tmux_server.start_program(["sh", "-c", f"read x; {fake}"], name="s")
    client = attach("s")
    client.ask(command("send-keys", "-t", pane_id, "Enter"))
    client.read_until(lambda: b"%exit" in client.output(pane_id))
    captured = client.ask(command("capture-pane", "-p", "-t", pane_id)).blocks[0]
    assert b"%exit" in captured.lines
    assert not any(isinstance(e, Pause | Exit) for e in client.events)
    client.ask(command("refresh-client", "-A", f"{pane_id}:pause"), rows_are_data=False)
    client.ask(command("refresh-client", "-A", f"{pane_id}:continue"), rows_are_data=False)
    told = [e for e in client.events if isinstance(e, Pause | Continue)]
    assert told == [Pause(PaneId(pane_id)), Continue(PaneId(pane_id))]


@pytest.mark.tmux
def test_a_server_that_ends_loses_the_requests_behind_a_waiting_command(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    """A command that waits gives its block at once and holds everything behind it back."""
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    answered = client.send(command("list-panes"))
    waiting = client.send(command("wait-for", "never"))
    behind = client.send(command("list-panes"))
    client.reply(answered)
    assert tmux_server.pid is not None
    os.kill(tmux_server.pid, signal.SIGKILL)
    client.read_until(lambda: any(isinstance(e, Exit) for e in client.events))
    assert Exit("server exited unexpectedly") in client.events
    ended = {e.request_id: e for e in client.events if isinstance(e, Reply | RequestLost)}
    assert sorted(ended) == [answered, waiting, behind]
    assert isinstance(ended[waiting], RequestLost)
    assert [b.lines for b in ended[waiting].blocks] in ([()], [])  # its %end may have come
    assert ended[behind] == RequestLost(request_id=behind, blocks=(), hook_blocks=())
    assert client.connection.n_outstanding == 0
