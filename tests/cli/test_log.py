"""The journal from the command line; nearly all of it without a tmux server."""

import asyncio
import datetime
import json
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.conftest import Cli, Start, end
from tests.journal.making import opened, receipt, row

from panegate.cli.log import since_utc
from panegate.ids import PaneId
from panegate.journal.base import WriteRow
from panegate.journal.store import default_path
from panegate.terms import Fate, Intent, Reason

NOW = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC)
BASH = ("bash", "--norc", "--noprofile")


def made(*writes: tuple[WriteRow, dict[str, Any] | None], path: Path | None = None) -> None:
    """Write a journal; a write without a receipt's fields gets no fate."""

    async def write() -> None:
        async with opened(path or default_path()) as journal:
            for item, fields in writes:
                await journal.begin(item)
                if fields is not None:
                    await journal.finish(receipt(item.write_id, **fields))

    asyncio.run(write())


def some() -> None:
    here, there = "1:2:/run/s", "3:4:/run/t"
    refused = {"fate": Fate.REFUSED, "reason": Reason.BUSY, "words": "Not sent: busy."}
    made(
        (row("a", text="make test", server=here), {}),
        (row("b", pane=PaneId("%2"), pane_name="w2", server=there), refused),
        (row("c", text=None, intent=Intent.ANSWER, by="ann", server=here), {}),
        (row("d", text="open", server=here), None),
    )


def logged(done: Any) -> list[str]:
    return [document["write"]["write_id"] for document in done.documents]


def test_there_is_no_journal_yet(bare: Cli):
    done = bare("log")
    assert done.status == 1
    assert f"there is no journal at {default_path()} yet" in done.err
    assert not default_path().exists()


def test_each_write_is_told_with_its_fate_and_why(bare: Cli):
    some()
    done = bare("log")
    assert done.status == 0
    lines = done.out.splitlines()
    assert "w1 %1" in lines[0]
    assert "message" in lines[0]
    assert "landed" in lines[0]
    assert "'make test'" in lines[0]
    assert lines[1] == "    Landed: it began."
    assert "refused" in lines[2]
    assert lines[3] == "    Not sent: busy."
    assert "(not kept) by ann" in lines[4]
    assert "unfinished" in lines[6]
    assert "ended; the next one says what became of it." in lines[7]


def test_json_lines_have_all_that_is_kept(bare: Cli):
    some()
    first, *_ = bare.json("log").documents
    assert first["schema"] == 1
    write = first["write"]
    assert write["write_id"] == "a"
    assert write["text"] == "make test"
    assert (write["fate"], write["reason"], write["stage"]) == ("landed", "none", "done")
    assert write["receipt"]["before"] == ["$ ", ""]
    assert write["receipt"]["ms"] == {"total": 12.5, "typed": 1.25}
    assert write["controller"]["pid"] > 0


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), "abcd"),
        (("%2",), "b"),
        (("w1",), "acd"),
        (("nobody",), ""),
        (("--fate", "landed"), "ac"),
        (("--fate", "unfinished"), "d"),
        (("--fate", "refused", "w1"), ""),
        (("--reason", "busy"), "b"),
        (("--intent", "answer"), "c"),
        (("--limit", "2"), "cd"),
        (("--limit", "0"), ""),
        (("-S", "/run/t"), "b"),
        (("-S", "/run/s"), "acd"),
        (("-L", "panegate"), ""),
        (("--since", "1h"), "abcd"),
        (("--since", "2099-01-01"), ""),
    ],
)
def test_what_is_wanted_is_found(bare: Cli, words: tuple[str, ...], found: str):
    some()
    assert "".join(logged(bare.json("log", *words))) == found


def test_people_see_the_last_fifty_and_programs_all(bare: Cli):
    made(*((row(f"w{n}"), {}) for n in range(60)))
    assert len(bare("log").out.splitlines()) == 100
    assert len(bare.json("log").documents) == 60


def test_what_is_not_printable_is_written_out(bare: Cli):
    made((row("a", text="x\x1b]0;title\x07" + "y" * 200), {}))
    out = bare("log").out
    assert "\x1b]0" not in out
    assert "x\\x1b]0;title\\x07yyy" in out
    assert "…" in out


def test_another_file_can_be_read_and_damaged_ones_are_named(bare: Cli, tmp_path: Path):
    path = tmp_path / "copy.db"
    made((row("z"), {}), path=path)
    damaged = tmp_path / "copy.damaged-20260101T000000.000Z.db"
    damaged.write_text("")
    done = bare.json("log", "--file", str(path))
    assert logged(done) == ["z"]
    assert str(damaged) in done.err


def test_a_broken_file_is_an_error_with_its_name(bare: Cli, tmp_path: Path):
    path = tmp_path / "broken.db"
    path.write_bytes(b"x" * 5000)
    done = bare.json("log", "--file", str(path))
    assert done.status == 1
    assert done.document["error"]["code"] == "journal_error"
    assert str(path) in done.document["error"]["message"]


def test_a_journal_in_memory_has_no_log(bare: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PANEGATE_JOURNAL_PATH", ":memory:")
    assert "kept in memory" in bare("log").err


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("90", "2026-01-31T11:58:30.000+00:00"),
        ("90s", "2026-01-31T11:58:30.000+00:00"),
        ("10m", "2026-01-31T11:50:00.000+00:00"),
        ("2h", "2026-01-31T10:00:00.000+00:00"),
        ("2d", "2026-01-29T12:00:00.000+00:00"),
        ("2026-01-01T00:00+02:00", "2025-12-31T22:00:00.000+00:00"),
    ],
)
def test_times_are_instants_or_so_long_ago(text: str, found: str):
    assert since_utc(text, NOW) == found


@pytest.mark.parametrize("text", ["yesterday", "", "10w", "-5m"])
def test_what_is_no_time_is_a_usage_error(text: str):
    with pytest.raises(click.UsageError, match="not a time"):
        since_utc(text, NOW)


def test_followers_see_each_write_once_when_it_ends(bare: Cli, start: Start):
    some()
    process = start(bare.argv("log", "--json", "--follow", "--limit", "1", "w1"))
    assert process.stdout is not None

    def told() -> tuple[str, str | None]:
        assert process.stdout is not None
        write = json.loads(process.stdout.readline())["write"]
        return write["write_id"], write["fate"]

    assert told() == ("d", None)

    async def more() -> None:
        async with opened(default_path()) as journal:
            await journal.finish(receipt("d", Fate.UNKNOWN))
            assert await asyncio.to_thread(told) == ("d", "unknown")
            await journal.begin(row("e"))
            await journal.begin(row("other", pane_name="w2"))
            await journal.finish(receipt("other"))
            await journal.begin(row("f"))
            await journal.finish(receipt("f"))
            assert await asyncio.to_thread(told) == ("f", "landed")
            await journal.finish(receipt("e"))
            assert await asyncio.to_thread(told) == ("e", "landed")

    asyncio.run(more())
    done = end(process)
    assert (done.status, done.out) == (130, "")


def test_following_ends_after_its_time(bare: Cli):
    some()
    assert bare("log", "--follow", "--within", "0.1").status == 0


def test_followers_of_one_fate_see_no_other(bare: Cli, start: Start):
    made((row("a"), None), (row("b"), None), (row("c"), None), (row("first"), {}))
    process = start(bare.argv("log", "--json", "--follow", "--fate", "landed"))

    def told() -> str:
        assert process.stdout is not None
        return str(json.loads(process.stdout.readline())["write"]["write_id"])

    assert told() == "first"

    async def more() -> None:
        async with opened(default_path()) as journal:
            await journal.finish(receipt("a", Fate.REFUSED))
            await journal.finish(receipt("b"))
            assert await asyncio.to_thread(told) == "b"
            await journal.finish(receipt("c"))
            assert await asyncio.to_thread(told) == "c"

    asyncio.run(more())
    assert end(process).out == ""


@pytest.mark.tmux
def test_one_command_sees_what_another_wrote(cli: Cli, bare: Cli):
    cli("launch", "--name", "w1", "--", *BASH)
    sent = cli.json("send", "w1", "echo one").document["receipt"]
    cli("run", "w1", "echo two")
    done = bare.json("log", "w1")
    writes = [document["write"] for document in done.documents]
    assert [write["text"] for write in writes] == ["echo one", "echo two"]
    assert writes[0]["receipt"] == sent
    assert {write["fate"] for write in writes} == {"landed"}
    assert cli.json("log").documents == done.documents
