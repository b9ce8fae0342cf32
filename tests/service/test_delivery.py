"""People are told once it works, at each sink's own pace, and nothing waits for it."""

from __future__ import annotations

import asyncio
import http.server
import json
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from panegate.service.delivery import BACK_OFF_S, GIVE_UP_S, QUEUE_SIZE, Delivery, Undelivered
from panegate.service.sinks import ExecSink, LogSink, Sink, WebhookSink

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
real = pytest.mark.asyncio
WITHIN_S = 20.0
DOCUMENT = {"escalation": "e1", "question": "Weiter? [j/N]", "pane": "%1"}


class Scripted(Delivery):
    """Fails as often as it is told, without threads or processes."""

    fails = 0
    again = True
    attempts: list[float]

    async def _send(self, sink: Sink, document: Mapping[str, Any]) -> None:
        self.attempts.append(self.clock())
        if len(self.attempts) <= self.fails:
            raise Undelivered("not today", again=self.again)


@asynccontextmanager
async def delivering(kind: type[Delivery], *sinks: Sink) -> AsyncIterator[Delivery]:
    async with anyio.create_task_group() as tasks:
        made = kind(sinks=sinks, tasks=tasks, clock=asyncio.get_running_loop().time)
        yield made
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def scripted(fails: int, *, again: bool = True) -> AsyncIterator[Scripted]:
    async with delivering(Scripted, LogSink()) as made:
        assert isinstance(made, Scripted)
        made.fails, made.again, made.attempts = fails, again, []
        yield made


class Teller:
    """Puts documents and keeps who was told."""

    def __init__(self, delivery: Delivery) -> None:
        self.delivery = delivery
        self.told: list[str] = []
        self.wanted = True
        self.arrived = anyio.Event()

    def put(self, label: str, number: int = 1, **more: object) -> None:
        def told() -> None:
            self.told.append(f"e{number}")
            self.arrived.set()

        document = {**DOCUMENT, "escalation": f"e{number}", **more}
        self.delivery.put(label, document, wanted=lambda: self.wanted, told=told)


@virtual
async def test_attempts_are_spaced_wider_and_wider_until_one_arrives():
    async with scripted(fails=3) as delivery:
        teller = Teller(delivery)
        teller.put("log")
        await anyio.sleep(100)
        waits = [b - a for a, b in zip(delivery.attempts, delivery.attempts[1:], strict=False)]
        assert waits == pytest.approx(BACK_OFF_S[:3])
        assert teller.told == ["e1"]


@virtual
async def test_a_sink_that_never_works_is_given_up(caplog: pytest.LogCaptureFixture):
    async with scripted(fails=10**9) as delivery:
        teller = Teller(delivery)
        teller.put("log")
        await anyio.sleep(2 * GIVE_UP_S)
        assert teller.told == []
        assert GIVE_UP_S <= delivery.attempts[-1] <= GIVE_UP_S + BACK_OFF_S[-1]
        assert "sink.gave_up" in caplog.text


@virtual
async def test_what_cannot_work_is_not_tried_again():
    async with scripted(fails=10**9, again=False) as delivery:
        Teller(delivery).put("log")
        await anyio.sleep(1_000)
        assert len(delivery.attempts) == 1


@virtual
async def test_nobody_is_called_late_for_a_wait_that_is_over():
    async with scripted(fails=2) as delivery:
        teller = Teller(delivery)
        teller.put("log")
        await anyio.sleep(0.5)
        teller.wanted = False
        await anyio.sleep(1_000)
        assert (len(delivery.attempts), teller.told) == (1, [])


@virtual
async def test_documents_arrive_in_order_and_the_queue_is_bounded(
    caplog: pytest.LogCaptureFixture,
):
    async with scripted(fails=1) as delivery:
        teller = Teller(delivery)
        for number in range(QUEUE_SIZE + 3):
            teller.put("log", number)
        await anyio.sleep(1_000)
        assert len(teller.told) == QUEUE_SIZE
        assert teller.told == [f"e{n}" for n in range(3, QUEUE_SIZE + 3)]
        assert caplog.text.count("sink.gave_up") == 3


@virtual
async def test_an_unknown_label_is_nobody():
    async with scripted(fails=0) as delivery:
        Teller(delivery).put("webhook:00000000")
        await anyio.sleep(1)
        assert delivery.attempts == []


# --- over loopback


class Said(logging.Handler):
    """Wakes who waits for a log line."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words
        self.came = anyio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if self.words in record.getMessage():
            self.came.set()


@asynccontextmanager
async def until_said(words: str) -> AsyncIterator[None]:
    """Wait after the block until the library has logged *words*."""
    handler = Said(words)
    logger = logging.getLogger("panegate")
    logger.addHandler(handler)
    try:
        yield
        with anyio.fail_after(WITHIN_S):
            await handler.came.wait()
    finally:
        logger.removeHandler(handler)


class Hook(http.server.ThreadingHTTPServer):
    """Answers with the statuses it is given, and keeps what it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.got: list[tuple[str, dict[str, str], Any]] = []
        self.holds = threading.Event()
        self.holds.set()
        self.on_post: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), json.loads(body)))
        self.server.on_post()
        self.server.holds.wait(20)
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.holds.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panegate.service.delivery.BACK_OFF_S", (0.01,))


@real
async def test_a_webhook_gets_the_document_as_json(hook: Hook, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # loopback needs none
    sink = WebhookSink(url=hook.url)
    async with delivering(Delivery, sink) as delivery:
        teller = Teller(delivery)
        teller.put(sink.label)
        with anyio.fail_after(WITHIN_S):
            await teller.arrived.wait()
    ((path, headers, document),) = hook.got
    assert path == "/hook"
    assert document == DOCUMENT
    assert headers["Content-Type"].startswith("application/json")
    assert headers["Idempotency-Key"] == "e1"


@real
@pytest.mark.usefixtures("soon")
async def test_a_webhook_that_fails_for_a_while_is_told_again(hook: Hook):
    hook.statuses = [503, 500, 429, 408]
    sink = WebhookSink(url=hook.url)
    async with delivering(Delivery, sink) as delivery:
        teller = Teller(delivery)
        teller.put(sink.label)
        with anyio.fail_after(WITHIN_S):
            await teller.arrived.wait()
    assert len(hook.got) == 5
    assert teller.told == ["e1"]


@real
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("status", [302, 307, 400, 404, 410])
async def test_a_webhook_that_refuses_is_not_asked_again(
    hook: Hook, status: int, caplog: pytest.LogCaptureFixture
):
    hook.statuses = [status]
    sink = WebhookSink(url=f"{hook.url}?token=secret-1")
    async with delivering(Delivery, sink) as delivery:
        async with until_said("sink.gave_up"):
            Teller(delivery).put(sink.label)
    assert len(hook.got) == 1
    assert f"answers {status}" in caplog.text
    assert "secret-1" not in caplog.text


@real
async def test_a_webhook_that_nobody_serves_is_tried_again():
    sink = WebhookSink(url="http://127.0.0.1:9/")
    async with delivering(Delivery, sink) as delivery:
        async with until_said("sink.failed"):
            Teller(delivery).put(sink.label)


@real
async def test_a_slow_webhook_holds_up_neither_the_loop_nor_another_sink_nor_the_end(hook: Hook):
    hook.holds.clear()
    posted, loop = asyncio.Event(), asyncio.get_running_loop()
    hook.on_post = lambda: loop.call_soon_threadsafe(posted.set)
    slow, quick = WebhookSink(url=hook.url), LogSink()
    async with delivering(Delivery, slow, quick) as delivery:
        teller = Teller(delivery)
        teller.put(slow.label, 1)
        await asyncio.wait_for(posted.wait(), WITHIN_S)
        teller.put(quick.label, 2)
        with anyio.fail_after(5):
            await teller.arrived.wait()
        assert teller.told == ["e2"]
    hook.holds.set()


@real
async def test_a_program_gets_the_document_on_its_input_and_no_shell(tmp_path: Path):
    out = tmp_path / "got; touch x"
    code = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    sink = ExecSink(argv=(sys.executable, "-I", "-c", code, str(out)))
    async with delivering(Delivery, sink) as delivery:
        teller = Teller(delivery)
        teller.put(sink.label)
        with anyio.fail_after(WITHIN_S):
            await teller.arrived.wait()
    assert json.loads(out.read_bytes()) == DOCUMENT
    assert os.listdir(tmp_path) == [out.name]


@real
@pytest.mark.usefixtures("soon")
async def test_a_program_that_fails_is_run_again(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    mark = tmp_path / "mark"
    script = f"if [ -e {mark} ]; then exit 0; fi; touch {mark}; echo no luck >&2; exit 3"
    sink = ExecSink(argv=("sh", "-c", script))
    async with delivering(Delivery, sink) as delivery:
        teller = Teller(delivery)
        teller.put(sink.label)
        with anyio.fail_after(WITHIN_S):
            await teller.arrived.wait()
    assert "status 3: no luck" in caplog.text


@real
async def test_a_program_that_is_missing_is_said_once(caplog: pytest.LogCaptureFixture):
    sink = ExecSink(argv=("/nowhere/at-all",))
    async with delivering(Delivery, sink) as delivery:
        async with until_said("sink.gave_up"):
            Teller(delivery).put(sink.label)
    assert "sink.failed" not in caplog.text


@real
async def test_the_log_gets_one_line(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING, "panegate"):
        async with delivering(Delivery, LogSink()) as delivery:
            teller = Teller(delivery)
            teller.put("log")
            await teller.arrived.wait()
    assert caplog.text.count("person.needed") == 1
    assert "Weiter? [j/N]" in caplog.text
