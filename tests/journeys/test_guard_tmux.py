"""The guard against real tmux: each term is needed, and no text of a program is obeyed."""

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from panegate.gate.guard import FIELD_TERMS, GuardReply, GuardResult, guard_for
from panegate.gate.keystrokes import Typing
from panegate.gate.text import TypingMethod
from panegate.ids import PaneId
from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command
from panegate.wire.version import Version

from .guard_lab import COMPOSER, REFUSED, SCREEN_ROWS, WITHIN_S, WRITTEN, Lab, guard_of, row, screen

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PASTE_CRASHES_UNTIL: Final = Version.parse("3.3a")


@pytest.fixture
def lab(tmux_server: PrivateServer, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmux_server, tmp_path)
    yield made
    made.close()


def respawn(lab: Lab) -> None:
    lab.run("respawn-pane", "-k", "-t", lab.pane, "--", *lab.argv)
    assert lab.log.read(4) == b"<up>"
    lab.paint(screen())


def to_child(lab: Lab) -> None:
    lab.paints.write(b"!child")
    assert lab.log.read(7) == b"<child>"
    until_s = time.monotonic() + WITHIN_S
    while lab.look().fields.command != "sleep":  # a process has no name in mid-exec
        assert time.monotonic() < until_s


def painting(chunk: bytes) -> Callable[[Lab], None]:
    return lambda lab: lab.paint(chunk)


def running(name: str, *args: str) -> Callable[[Lab], None]:
    return lambda lab: void(lab.run(name, "-t", lab.pane, *args))


def void(_: object) -> None:
    pass


# What changes after the deciding look, so that this one term does not hold any more.
CHANGES: Final[dict[str, Callable[[Lab], None]]] = {
    "pane_pid": respawn,
    "pane_in_mode": running("copy-mode"),
    "alternate_on": painting(b"\x1b[?1049h" + screen()),
    "cursor_x": painting(b"\x1b[9;4H"),
    "cursor_y": painting(b"\x1b[16;3H"),
    "cursor_flag": painting(b"\x1b[?25l"),
    "history_size": painting(b"\x1b[20;1H\n" + screen()),
    "pane_width": running("resize-window", "-x", "61"),
    "pane_height": running("resize-window", "-y", "21"),
    "pane_title": painting(b"\x1b]2;Allow this?\x07"),
    "pane_current_command": to_child,
    "composer_row": painting(row(COMPOSER, "$ ")),
    "composer_last_row": painting(row(COMPOSER + 1, "  another row of it")),
    "above_1": painting(row(7, "┌─ box 日木 ─┐ 100% #{pane_id}, }")),
    "above_2": painting(row(6, "log Delta")),
    "above_3": painting(row(5, "log gammas")),
    "below_1": painting(row(10, "status  one")),
    "below_2": painting(row(11, "")),
    "below_3": painting(row(12, "statusxthree")),
    "first_blank_row": painting(row(2, ".")),
    "absent": painting(row(16, "Shall we?")),
    "veto_1": painting(row(16, "Do you want to go on?")),
}


@pytest.mark.parametrize("term", CHANGES)
def test_a_change_that_one_term_alone_sees_refuses_the_write(lab: Lab, term: str) -> None:
    """With the term the write is refused; without it the same bytes reach the program."""
    absent = term == "absent"
    lab.paint(screen())
    look = lab.look()
    guard = guard_of(look, absent=absent)
    assert lab.write(guard, lab.typing("before")) == WRITTEN
    assert lab.log.read(6) == b"before"
    CHANGES[term](lab)
    assert lab.failing(guard) == (term,)
    assert lab.write(guard, lab.typing("refused ")) == REFUSED
    blind = guard_of(look, drop=frozenset({term}), absent=absent)
    assert lab.write(blind, lab.typing("wrong")) == WRITTEN
    if term == "pane_current_command":
        lab.paints.write(b"!self")
    assert lab.log.read(5) == b"wrong"


def test_the_character_under_the_cursor_is_compared(lab: Lab) -> None:
    """Far from the input area no pinned row would see it change."""
    lab.paint(screen(cursor=(17, 4)))
    look = lab.look()
    lab.paint(row(17, "abcdefgh"))
    assert lab.failing(guard_of(look)) == ("cursor_character",)
    assert lab.write(guard_of(look), lab.typing("refused ")) == REFUSED
    blind = guard_of(look, drop=frozenset({"cursor_character"}))
    assert lab.write(blind, lab.typing("wrong")) == WRITTEN
    assert lab.log.read(5) == b"wrong"


def test_a_pane_that_takes_no_input_is_refused_and_not_silently_lost(lab: Lab) -> None:
    lab.paint(screen())
    look = lab.look()
    lab.run("select-pane", "-d", "-t", lab.pane)
    assert lab.failing(guard_of(look)) == ("pane_input_off",)
    assert lab.write(guard_of(look), lab.typing("refused ")) == REFUSED
    blind = guard_of(look, drop=frozenset({"pane_input_off"}))
    assert lab.write(blind, lab.typing("lost ")) == WRITTEN  # and it was not
    lab.run("select-pane", "-e", "-t", lab.pane)
    assert lab.write(guard_of(look), lab.typing("on")) == WRITTEN
    assert lab.log.read(2) == b"on"


def test_keys_that_would_reach_another_pane_too_are_refused(lab: Lab) -> None:
    beside = lab.split()
    lab.paint(screen())
    look = lab.look()
    lab.run("set-option", "-w", "-t", lab.pane, "synchronize-panes", "on")
    assert lab.failing(guard_of(look)) == ("pane_synchronized",)
    assert lab.write(guard_of(look), lab.typing("refused ", TypingMethod.TYPE)) == REFUSED
    blind = guard_of(look, drop=frozenset({"pane_synchronized"}))
    assert lab.write(blind, lab.typing("wrong", TypingMethod.TYPE)) == WRITTEN
    assert beside.read(5) == b"wrong"
    assert lab.log.read(5) == b"wrong"


def test_a_missing_pane_is_not_mistaken_for_the_clients_current_one(lab: Lab) -> None:
    lab.paint(screen())
    other = PaneId(lab.server.start_program(lab.argv, name="two", columns=60, rows=20))
    assert lab.log.read(4) == b"<up>"
    seen = lab.look()
    look = attrs.evolve(seen, fields=attrs.evolve(seen.fields, pane_id=other))
    lab.run("kill-pane", "-t", other)
    untargeted = Typing(commands=(command("send-keys", "-l", "--", "wrong"),))
    assert lab.failing(guard_of(look)) is None
    assert lab.write(guard_of(look), untargeted) == REFUSED
    blind = guard_of(look, drop=frozenset({"pane_id"}))
    assert lab.write(blind, untargeted) == WRITTEN
    assert lab.log.read(5) == b"wrong"


def test_a_dead_pane_is_refused_where_a_paste_ends_the_whole_server(lab: Lab) -> None:
    lab.run("set-option", "-p", "-t", lab.pane, "remain-on-exit", "on")
    lab.paint(screen())
    look = lab.look()
    lab.paints.write(b"!exit")
    until_s = time.monotonic() + WITHIN_S
    while not lab.look().fields.dead:
        assert time.monotonic() < until_s
    failing = lab.failing(guard_of(look))
    assert failing is not None
    assert "pane_dead" in failing
    others = frozenset(failing) - {"pane_dead"}
    assert lab.write(guard_of(look, drop=others), lab.typing("refused")) == REFUSED
    blind = guard_of(look, drop=frozenset(failing))
    try:
        reply = lab.write(blind, lab.typing("crash"))
    except (EOFError, BrokenPipeError):
        assert lab.version <= PASTE_CRASHES_UNTIL
    else:  # an old server does not crash while the last of the pane is being cleared away
        assert reply.result is not GuardResult.REFUSED


def test_every_field_term_has_its_proof() -> None:
    proved_alone = {
        "cursor_character",
        "pane_dead",
        "pane_id",
        "pane_input_off",
        "pane_synchronized",
    }
    assert set(CHANGES) | proved_alone >= FIELD_TERMS


HOSTILE: Final = (
    "#(printf X > FIFO)",
    "#{pane_id}",
    "#{l:x},1}#(printf X > FIFO)",
    "##(printf X > FIFO)",
    "x,1}}}} #{E:#(printf X > FIFO)",
    "a,b}c",
    "}",
    ",",
    "' ; display-message -p X ; '",
    '" ; kill-server ; "',
    "$(printf X > FIFO) `printf X > FIFO` $HOME ~ ~root",
    "100% %H:%M #[fg=red] #S",
    "\\n \\043(x) \\",
    "*?[a-z]^$.|()+{2}",
    "⠋ 👩‍💻 日本 e\u0301 ❯",
    "",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_title_or_row_is_compared_right_and_never_obeyed(lab: Lab, text: str) -> None:
    executed = lab.pipe("executed")
    text = text.replace("FIFO", str(executed.path))
    rows = (*SCREEN_ROWS[:7], f"- {text}"[:59], f"> {text}"[:59], *SCREEN_ROWS[9:])
    title = f"\x1b]2;t {text}\x07".encode()
    lab.paint(screen(rows) + title)
    look = lab.look()
    assert look.fields.title == f"t {text}"
    guard = guard_of(look)
    assert {"composer_row", "above_1", "pane_title"} <= {term.name for term in guard.terms}
    assert lab.failing(guard) == ()
    assert lab.write(guard, lab.typing("right")) == WRITTEN
    lab.paint(b"\x1b]2;else\x07")
    assert lab.failing(guard) == ("pane_title",)
    assert lab.write(guard, lab.typing("refused")) == REFUSED
    lab.paint(title + row(7, "- gone"))
    assert lab.failing(guard) == ("above_1",)
    # What a title or row had run would have written before this.
    lab.run("display-message", "-p", f"#(printf Y > {executed.path})")
    assert executed.read(1) == b"Y"
    assert lab.log.read(5) == b"right"


@pytest.mark.parametrize("title", ["", "0", "1", " lead", ":=@/._-", "-t 0", "a  b "])
def test_titles_of_safe_characters_are_compared_exactly(lab: Lab, title: str) -> None:
    lab.paint(screen() + f"\x1b]2;{title}\x07".encode())
    guard = guard_of(lab.look())
    assert lab.failing(guard) == ()
    lab.paint(f"\x1b]2;{title}x\x07".encode())
    assert lab.failing(guard) == ("pane_title",)


ALPHABET: Final = (
    "".join(map(chr, range(32, 127))) + "  éß日本❯│─█⠋\u0301\u200d👩💻❤\ufe0f\u00a0🇫\ue0b0"
)


def test_whatever_is_on_screen_the_pins_hold_while_it_stays(lab: Lab) -> None:
    """Every row text must mean the same to tmux's regular expressions as to ours."""
    chance = random.Random(7)
    for _ in range(40):
        rows = tuple(
            "".join(chance.choices(ALPHABET, k=chance.choice((0, 3, 20, 32, 33, 45))))
            for _ in range(20)
        )
        lab.paint(screen(rows))
        look = lab.look()
        for composer in (3, 10, 17):
            guard = guard_for(look, composer_row=composer, drop=frozenset({"cursor_character"}))
            assert "absent" in {term.name for term in guard.terms}
            assert lab.failing(guard) == (), rows
    assert lab.write(guard, lab.typing("x")) == WRITTEN


def test_an_error_of_tmux_is_told_from_a_refusal(lab: Lab) -> None:
    lab.paint(screen())
    guard = guard_of(lab.look())
    no_buffer = Typing(commands=(command("paste-buffer", "-b", "none", "-t", lab.pane),))
    assert lab.write(guard, no_buffer) == GuardReply(GuardResult.REJECTED, "no buffer none")
    unparsable = Typing(commands=(b"paste-buffer --nonsense",))
    assert lab.write(guard, unparsable).result is GuardResult.REJECTED


def test_a_veto_tmux_cannot_compile_would_never_be_found(lab: Lab) -> None:
    """Why each veto is proved at profile load by a search that must hit."""
    lab.paint(screen())
    look = lab.look()
    assert lab.failing(guard_for(look, vetoes=["header (", "header one"])) == ("veto_2",)
