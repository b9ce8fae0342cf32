"""The composer's habits with text and Enter, each driven through a raw terminal."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

Start = Callable[..., Any]

PASTE = "\x1b[200~{}\x1b[201~"


def test_text_and_enter_in_separate_reads_are_one_submit(composer: Start) -> None:
    """The plain case, with every byte in the log."""
    program = composer()
    program.send("héllo 漢")
    program.wait("bytes")
    program.send("\r")
    assert program.wait("submit")["text"] == "héllo 漢"
    program.wait("ready_painted", 2)
    assert program.log.received_bytes() == "héllo 漢\r".encode()
    assert program.log.submits() == ["héllo 漢"]
    program.wait_output("● Done.")


def test_an_enter_in_the_same_read_submits_or_breaks_the_line_by_choice(composer: Start) -> None:
    """A02: bundled with its text the Enter is a line break."""
    plain, breaking = composer(), composer(cr_in_same_read="newline")
    for program in (plain, breaking):
        program.send("one\r")
    assert plain.wait("submit")["text"] == "one"
    assert breaking.wait("cr_newline")["rule"] == "same_read"
    breaking.send("\r")
    assert breaking.wait("submit")["text"] == "one\n"


def test_an_enter_soon_after_text_is_ignored_and_one_later_counts(composer: Start) -> None:
    """A01: the limit is counted from the last printable key."""
    program = composer(ignore_cr_within=60)
    program.send("one")
    program.wait("bytes")
    program.send("\r")
    assert program.wait("cr_ignored")["rule"] == "ignore_within"
    text_at_s = program.log.events("bytes")[0]["at"]
    program.wait("cr_ignored")
    _retry_enter(program)
    assert program.wait("submit")["at"] - text_at_s >= 0.06
    assert program.log.submits() == ["one"]


def test_an_enter_soon_after_text_becomes_a_line_break(composer: Start) -> None:
    """H06: the box has a second row then."""
    program = composer(newline_within=5000)
    program.send("one")
    program.wait("bytes")
    program.send("\r")
    assert program.wait("cr_newline")["rule"] == "newline_within"
    program.send("two")
    program.wait("bytes", 3)
    program.wait_output("two")
    assert program.log.submits() == []


def test_every_third_enter_vanishes(composer: Start) -> None:
    """A03: by count, so that no timing helps."""
    program = composer(drop_every_nth_cr=3, work=1)
    for number in (1, 2):
        program.send(f"m{number}\r")
        program.wait("ready_painted", number + 1)
    program.send("m3\r")
    assert program.wait("cr_dropped")["number"] == 3
    program.send("\r")
    assert program.wait("submit", 3)["text"] == "m3"


def test_named_enters_vanish_and_the_text_stays_in_the_box(composer: Start) -> None:
    """H03: the retry is an Enter alone."""
    program = composer(drop_crs=[1])
    program.send("one\r")
    program.wait("cr_dropped")
    program.send("\r")
    assert program.wait("submit")["text"] == "one"


def test_enter_is_ignored_for_a_while_after_the_box_appeared(composer: Start) -> None:
    """A program that paints before it is ready to submit."""
    program = composer(submit_enter_ready_after=80)
    program.send("early\r")
    assert program.wait("cr_ignored")["rule"] == "ready_after"
    _retry_enter(program)
    ready = program.log.events("ready_painted")[0]["at"]
    assert program.wait("submit")["at"] - ready >= 0.079


def test_after_n_submits_nothing_is_read_any_more(composer: Start) -> None:
    """A05: the terminal takes the keys, the program does not."""
    program = composer(stop_reading_after=1, work=5)
    program.send("one\r")
    program.wait("stopped_reading")
    program.wait("ready_painted", 2)
    program.send("two\r")
    program.process.send_signal(28)  # SIGWINCH: it lives and answers, but reads nothing
    program.wait("size", 2)
    assert program.log.received_bytes() == b"one\r"


def test_a_slash_opens_a_menu_that_eats_the_enter(composer: Start) -> None:
    """A04: what is submitted next is another text than the one typed."""
    program = composer(slash_popup=True)
    program.send("/st")
    program.wait("popup_opened")
    program.wait_output("/history")
    program.send("\x1b[B\r")
    assert program.wait("popup_chosen")["row"] == "/history"
    assert program.log.submits() == []
    program.send("\r")
    assert program.wait("submit")["text"] == "/history "


def test_a_word_after_the_menu_wipes_the_box(composer: Start) -> None:
    """A04: text typed into the menu is gone without a trace."""
    program = composer(slash_popup=True)
    program.send("/st")
    program.wait("popup_opened")
    program.send(" now")
    assert program.wait("popup_closed")["text"] == "/st now"
    program.send("\r")
    program.wait("empty_submit")


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_a_bracketed_paste_keeps_its_lines_and_submits_nothing(
    composer: Start, ending: str
) -> None:
    """I01, I02: inside the markers a line break is text."""
    program = composer()
    program.wait_output("\x1b[?2004h")
    program.send(PASTE.format(ending.join(["one", "", "three", ""])))
    pasted = program.wait("paste")
    assert (pasted["n_lines"], program.log.submits()) == (4, [])
    program.send("\r")
    assert program.wait("submit")["text"] == "one\n\nthree\n"


def test_without_bracketed_paste_each_line_submits(composer: Start) -> None:
    """I02: the markers mean nothing to such a program, and a line break is an Enter."""
    program = composer(no_bracketed_paste=True, lf="submit", work=1)
    program.send("one\ntwo\r")
    program.wait("submit", 2)
    assert program.log.submits() == ["one", "two"]
    assert b"?2004h" not in program.output
    program.send(PASTE.format("x"))
    assert program.wait("unknown_key", 2)["key"] == "CSI 201~"


def test_a_large_paste_collapses_to_one_row(composer: Start) -> None:
    """I03: the text is never on the screen, yet it is submitted in full."""
    program = composer(collapse_over_lines=5, ignore_cr_within=30)
    text = "\n".join(f"line {n}" for n in range(80))
    program.send(PASTE.format(text))
    program.wait("paste")
    program.wait_output("[Pasted text #1 +80 lines]")
    _retry_enter(program)
    assert program.wait("submit")["text"] == text
    assert "line 7" not in program.text()


def test_a_collapsed_paste_may_be_worded_by_its_length(composer: Start) -> None:
    """Programs differ in what they show."""
    program = composer(collapse_over_chars=10, collapsed="[Pasted Content {chars} chars]")
    program.send(PASTE.format("short"))
    program.wait_output("short")
    program.send(PASTE.format("x" * 300))
    program.wait_output("[Pasted Content 300 chars]")


def test_a_slow_reader_gets_all_of_it(composer: Start) -> None:
    """I04, I06: the echo grows as it reads."""
    program = composer(slow_read="64:2")
    text = "".join(f"{n:03d} " for n in range(500))[:1500]
    program.send(text)
    program.wait(lambda events: sum(e["event"] == "bytes" for e in events) >= 10)
    sizes = {event["n_bytes"] for event in program.log.events("bytes")}
    assert max(sizes) <= 64
    program.wait(lambda events: _received(events) >= 1500)
    program.send("\r")
    assert program.wait("submit")["text"] == text
    reads = [event["at"] for event in program.log.events("bytes")]
    assert min(b - a for a, b in itertools.pairwise(reads)) >= 0.0019


def test_a_program_that_keeps_its_last_read_loses_the_head(composer: Start) -> None:
    """I04: of a long text only the tail stands in the box."""
    program = composer(keep_last_read=True)
    program.send("a" * 1022 + "tail")
    program.wait(lambda events: _received(events) >= 1026)
    program.send("\r")
    assert program.wait("submit")["text"] == "tail"


def test_modified_enter_is_a_line_break_only_where_it_was_asked_for(composer: Start) -> None:
    """K08: otherwise the sequence is no key at all."""
    asking, plain = composer(modify_other_keys=True), composer()
    asking.wait_output("\x1b[>4;2m")
    for program in (asking, plain):
        program.send("a\x1b[13;2ub\x1b[27;2;13~c\x1b[13u")
    assert asking.wait("submit")["text"] == "a\nb\nc"
    assert plain.wait("unknown_key", 3)["key"] == "CSI 13u"


def test_a_draft_stands_in_the_box_from_the_start(composer: Start) -> None:
    """P01: somebody typed it ten minutes ago."""
    program = composer(draft="fix the")
    program.wait_output("fix the")
    program.send(" bug\r")
    assert program.wait("submit")["text"] == "fix the bug"


def test_clearing_takes_one_line_and_interrupt_takes_all(composer: Start) -> None:
    """A box of several lines needs more than one C-u."""
    program = composer()
    program.send(PASTE.format("one\ntwo"))
    program.wait("paste")
    program.send("\x15!\r")
    assert program.wait("submit")["text"] == "one\n!"
    program.wait("ready_painted", 2)
    program.send("gone\x03\r")
    program.wait("empty_submit")


def _retry_enter(program: Any) -> None:
    """Press Enter until one submits; each press waits for what became of the last."""
    while not program.log.submits():
        n_ignored = len(program.log.events("cr_ignored"))
        program.send("\r")
        program.wait(
            lambda events, n=n_ignored: (
                any(e["event"] == "submit" for e in events)
                or sum(e["event"] == "cr_ignored" for e in events) > n
            )
        )


def _received(events: list[dict[str, Any]]) -> int:
    return sum(event["n_bytes"] for event in events if event["event"] == "bytes")
