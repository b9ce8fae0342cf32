"""The guard that tmux evaluates between the deciding look and the write.

`guard_for` turns a look into one condition: every variable and every pinned row must
still be what it was. `guarded_line` makes tmux compare and write in one step, with no
pane output processed in between. The whole is positive: whatever tmux cannot evaluate
expands to nothing, and nothing refuses. Text of programs is embedded only where no
character of it can mean anything (see `panegate.gate.pins`).
"""

import enum
import re
from collections.abc import Sequence
from typing import Final

import attrs

from panegate.gate.pins import pin_rows, question_signs
from panegate.ids import PaneId
from panegate.panes.facts import Look, PaneFields
from panegate.wire.commands import command, format_literal, sequence

__all__ = [
    "FIELD_TERMS",
    "MAX_SEARCHES",
    "Guard",
    "GuardReply",
    "GuardResult",
    "Term",
    "explain_command",
    "guard_for",
    "guard_moving",
    "guarded_line",
    "parse_explanation",
    "parse_guarded",
    "veto_term",
]

MAX_SEARCHES: Final = 12
"""Most content searches in one guard, vetoes included: 15 to 90 microseconds each."""

_MIN_PINS: Final = 4
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9 _./:=@-]+")
_NONCE: Final = re.compile(r"[A-Za-z0-9]{1,64}\Z")
_MOVES: Final = frozenset({"cursor_x", "cursor_y", "cursor_character", "history_size"})
"""What output alone changes."""
_PIN_NAMES: Final = frozenset(
    {"absent", "composer_row", "composer_last_row", "first_blank_row"}
    | {f"{side}_{n}" for side in ("above", "below") for n in (1, 2, 3)}
)


@attrs.frozen
class Term:
    """One comparison: a tmux format that expands to 1 while it holds."""

    name: str
    expression: str


@attrs.frozen(kw_only=True)
class Guard:
    """A condition on one pane, as a tmux format."""

    pane_id: PaneId
    expression: str
    """Expands to 1 while every term holds, else to 0 or nothing."""
    terms: tuple[Term, ...]
    left_out: tuple[str, ...] = ()
    """What is not compared and why, one sentence part each."""


class GuardResult(enum.Enum):
    """What became of a guarded line; the zero value claims nothing."""

    MISSING = 0
    """No answer: it may or may not have been written."""
    WRITTEN = 1
    """The guard held and tmux took the write."""
    REFUSED = 2
    """The guard did not hold; not a byte was written."""
    REJECTED = 3
    """tmux answered with an error; a line with one writing command wrote nothing."""


@attrs.frozen
class GuardReply:
    """What tmux said to a guarded line."""

    result: GuardResult
    words: str = ""
    """tmux's own error text, for REJECTED."""


def _flag(value: bool) -> str:
    return "1" if value else "0"


def _equals(variable: str, value: str) -> str:
    return f"#{{==:#{{{variable}}},{value}}}"


def _is(variable: str, value: str) -> str | None:
    """Compare with text of a program: exactly, by pattern, or not at all."""
    if _UNSAFE.search(value) is None:
        return _equals(variable, value)
    pattern = _UNSAFE.sub("*", value)
    return None if pattern == "*" else f"#{{m:{pattern},#{{{variable}}}}}"


def _field_terms(f: PaneFields) -> dict[str, str | None]:
    return {
        "pane_id": _equals("pane_id", f.pane_id),
        "pane_pid": _equals("pane_pid", str(f.pane_pid)),
        # These four are never written through, whatever the look said.
        "pane_dead": _equals("pane_dead", "0"),
        "pane_in_mode": _equals("pane_in_mode", "0"),
        "pane_input_off": _equals("pane_input_off", "0"),
        "pane_synchronized": _equals("pane_synchronized", "0"),
        "alternate_on": _equals("alternate_on", _flag(f.alternate_on)),
        "cursor_x": _equals("cursor_x", str(f.cursor_x)),
        "cursor_y": _equals("cursor_y", str(f.cursor_y)),
        "cursor_flag": _equals("cursor_flag", _flag(f.cursor_shown)),
        "cursor_character": _is("cursor_character", f.cursor_character),
        "history_size": _equals("history_size", str(f.history_size)),
        "pane_width": _equals("pane_width", str(f.width)),
        "pane_height": _equals("pane_height", str(f.height)),
        "pane_title": _is("pane_title", f.title),
        "pane_current_command": _is("pane_current_command", f.command),
    }


FIELD_TERMS: Final = frozenset(_field_terms(PaneFields(pane_id=PaneId("%0"), pane_pid=1)))
"""Names of the terms over tmux's variables."""


def veto_term(name: str, regex: str) -> Term:
    """Return the term that forbids a write while *regex* is on screen.

    A regular expression that tmux cannot compile is never found: prove each one with a
    search that must hit before it is trusted.

    Args:
        name: For explanations.
        regex: POSIX extended, over single rows without trailing blanks.

    Raises:
        ValueError: It is empty or cannot be embedded in a format.

    """
    if regex == "":
        msg = "an empty veto matches every row"
        raise ValueError(msg)
    return Term(name, _first_row_is(f"C/r:{format_literal(regex)}", 0))


def guard_for(
    look: Look,
    *,
    composer_row: int | None = None,
    composer_last_row: int | None = None,
    vetoes: Sequence[str] = (),
    drop: frozenset[str] = frozenset(),
) -> Guard:
    """Return the guard that holds only while the pane is as *look* saw it.

    Args:
        look: The look that decided.
        composer_row: First row of the input area, from 0; the cursor's row without one.
        composer_last_row: Its last row; ``composer_row`` without one.
        vetoes: Regular expressions (POSIX extended) that must not be on screen.
        drop: Names of terms to leave out, such as ``pane_title`` for a program that
            animates it.

    Raises:
        ValueError: The look's rows do not fit its size, a row is not on screen, a name in
            *drop* is unknown, or a veto cannot be embedded.

    """
    fields = look.fields
    first = fields.cursor_y if composer_row is None else composer_row
    last = first if composer_last_row is None else composer_last_row
    if len(look.rows) != fields.height or not 0 <= first <= last < fields.height:
        msg = f"rows {first}..{last} do not fit a look of {len(look.rows)} rows"
        raise ValueError(msg)
    veto_terms = [veto_term(f"veto_{n}", regex) for n, regex in enumerate(vetoes, 1)]
    if unknown := drop - FIELD_TERMS - _PIN_NAMES - {term.name for term in veto_terms}:
        msg = f"no such terms: {', '.join(sorted(unknown))}"
        raise ValueError(msg)
    terms: list[Term] = []
    left_out: list[str] = []
    for name, expression in _field_terms(fields).items():
        if expression is None:
            left_out.append(f"{name}: nothing in it can be compared safely")
        else:
            terms.append(Term(name, expression))
    found = pin_rows(look.rows, first=first, last=last)
    left_out += found.left_out
    n_pins = max(_MIN_PINS, MAX_SEARCHES - len(veto_terms))
    terms += [Term(p.name, _first_row_is(p.search, p.row_number)) for p in found.pins[:n_pins]]
    left_out += [f"{p.name}: enough rows are pinned" for p in found.pins[n_pins:]]
    kept = tuple(term for term in (*terms, *veto_terms) if term.name not in drop)
    left_out += [f"{name}: dropped by the caller" for name in sorted(drop)]
    return Guard(
        pane_id=fields.pane_id, expression=_all_of(kept), terms=kept, left_out=tuple(left_out)
    )


def guard_moving(look: Look, *, vetoes: Sequence[str] = ()) -> Guard:
    """Return the guard of an interrupt into a program that writes all the time.

    Its screen is never what it was. What must hold instead: every variable that output alone
    does not change is what it was; the cursor is at the start of a row, as between two lines
    and never behind the text of a question; no sign or word of questions has come to the screen.

    Args:
        look: The look that decided.
        vetoes: As for `guard_for`.

    Raises:
        ValueError: A veto cannot be embedded.

    """
    still = {n: e for n, e in _field_terms(look.fields).items() if n not in _MOVES}
    terms = [Term(name, expression) for name, expression in still.items() if expression is not None]
    terms.append(Term("cursor_x", _equals("cursor_x", "0")))
    signs = question_signs(look.rows)
    if signs is not None:
        terms.append(Term(signs.name, _first_row_is(signs.search, signs.row_number)))
    terms += [veto_term(f"veto_{n}", regex) for n, regex in enumerate(vetoes, 1)]
    return Guard(
        pane_id=look.fields.pane_id,
        expression=_all_of(tuple(terms)),
        terms=tuple(terms),
        left_out=("the screen's rows: the program writes all the time",),
    )


def guarded_line(
    pane_id: PaneId,
    guard: Guard,
    commands: Sequence[bytes],
    *,
    nonce: str,
    otherwise: Sequence[bytes] = (),
) -> bytes:
    """Return the command that compares and writes inside the server, without its newline.

    Args:
        pane_id: The pane; must be the guard's own.
        guard: What must hold.
        commands: Run while it holds; a line meant to be safe to reject has one that writes.
        nonce: Marks the reply; letters and digits.
        otherwise: Run when it does not hold, such as deleting the buffer.

    Raises:
        ValueError: The guard is for another pane, the nonce is unusable, or there is no
            command.

    """
    if pane_id != guard.pane_id:
        msg = f"the guard is for {guard.pane_id}, not for {pane_id}"
        raise ValueError(msg)
    _check_nonce(nonce)
    if not commands:
        msg = "a guarded line needs a command"
        raise ValueError(msg)
    # Written is said after the write, refused before anything that may fail.
    then = sequence(*commands, command("display-message", "-p", f"{nonce}:1"))
    other = sequence(command("display-message", "-p", f"{nonce}:0"), *otherwise)
    return command("if-shell", "-F", "-t", pane_id, guard.expression, then, other)


def parse_guarded(
    blocks: Sequence[tuple[bool, Sequence[bytes]]], nonce: str, *, n_before: int = 0
) -> GuardReply:
    """Read the reply to a guarded line.

    Args:
        blocks: The request's reply blocks in order, hooks' blocks left out: whether it ended
            in ``%end``, and its lines.
        nonce: The line's.
        n_before: Blocks of commands sent before the line in the same request.

    """
    wanted = {
        f"{nonce}:1".encode(): GuardResult.WRITTEN,
        f"{nonce}:0".encode(): GuardResult.REFUSED,
    }
    for _, lines in blocks:
        if len(lines) == 1 and (result := wanted.get(bytes(lines[0]))) is not None:
            return GuardReply(result)
    errors = [b" ".join(lines) for ok, lines in blocks[n_before:] if not ok]
    if not errors:
        return GuardReply(GuardResult.MISSING)
    return GuardReply(GuardResult.REJECTED, b"; ".join(errors).decode(errors="replace"))


def explain_command(guard: Guard, *, nonce: str) -> bytes:
    """Return the command that asks which terms hold now; it writes nothing.

    ``list-panes`` and not ``display-message``: a missing pane is an error there, and ``%``
    is left alone.
    """
    _check_nonce(nonce)
    values = " ".join(f"#{{?{term.expression},1,0}}" for term in guard.terms)
    only = _equals("pane_id", guard.pane_id)
    return command("list-panes", "-t", guard.pane_id, "-f", only, "-F", f"{nonce} {values}")


def parse_explanation(
    blocks: Sequence[tuple[bool, Sequence[bytes]]], guard: Guard, *, nonce: str
) -> tuple[str, ...] | None:
    """Return the names of the terms that do not hold, or None when tmux did not say.

    Args:
        blocks: The reply blocks, as for `parse_guarded`.
        guard: The guard that was asked about.
        nonce: The question's.

    """
    for _, lines in blocks:
        for line in lines:
            head, *values = bytes(line).split(b" ")
            if head == nonce.encode() and len(values) == len(guard.terms):
                pairs = zip(guard.terms, values, strict=True)
                return tuple(term.name for term, value in pairs if value != b"1")
    return None


def _first_row_is(search: str, row_number: int) -> str:
    return f"#{{==:#{{{search}}},{row_number}}}"


def _all_of(terms: Sequence[Term]) -> str:
    """Join in pairs, as a balanced tree: tmux limits how deep formats nest."""
    if not terms:
        msg = "a guard needs a term"
        raise ValueError(msg)
    if len(terms) == 1:
        return terms[0].expression
    middle = len(terms) // 2
    return f"#{{&&:{_all_of(terms[:middle])},{_all_of(terms[middle:])}}}"


def _check_nonce(nonce: str) -> None:
    if _NONCE.match(nonce) is None:
        msg = f"not a nonce of letters and digits: {nonce!r}"
        raise ValueError(msg)
