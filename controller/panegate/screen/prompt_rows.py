"""Questions that the cursor stands behind: y/n, secrets, free text, keys, pagers."""

import re
from collections.abc import Iterable

import attrs

from panegate.panes.facts import KernelFact, OptionReading, PaneFields, TtyWait
from panegate.screen.choices import read_choices
from panegate.screen.layout import Layout, asks, invites_key, join_rows
from panegate.screen.options import numbered_block
from panegate.screen.wording import SECRET_WORDS
from panegate.terms import PromptKind

__all__ = [
    "RowPrompt",
    "context_above",
    "read_key_invitation",
    "read_listed",
    "read_pager",
    "read_question",
    "read_secret",
]

_READING = frozenset((TtyWait.READ, TtyWait.SELECT, TtyWait.TIMED, TtyWait.EVENT_LOOP))
_ENDS_ASKING = re.compile(r"[?？؟:：]\s*(?:[\[(][^\])]{0,60}[\])]\s*)?[?？؟:：›>❯]?\s{0,2}\Z")
_MARKED_QUESTION = re.compile(r"\?\s+\S")
_LAST_MARK = re.compile(r".*[?？؟:：\])>#$%›❯»](?=\s)")
_NUMBERED_ASKING = re.compile(r".*(?:[?？:：>#)\]])\s{0,2}\Z")
_GLYPHS = " ❯>›»?"
"""They stand before a text as well as behind one."""
_MASK = re.compile(r"[*•●]+\s*\Z")
_PAGER_ROW = re.compile(
    r":|.*\(END\)|-- ?more ?--.*|--More--\s?(?:\(.*\))?|lines? \d+(?:[-/]\d+)*.*|"
    r".*\(press h for help or q to quit\)|--Type <RET> for more.*|.*\(\d+%\)(?: ?\.\.\. ?.*)?",
    re.IGNORECASE,
)
_KEY_ACTION = re.compile(
    r"(?:(?i:press|hit|type|tap)\s+|(?<=,\s)|(?<=\bor\s)|(?<=·\s))(?P<key>\S{1,12}?)\s+to\s+(?P<label>[^,·;.]+)"
)
_NAMED_KEY = re.compile(
    r"(?i)\b(?:press|hit|tap)\s+(?P<key><?(?:enter|return|space|esc|escape|tab)>?)\b"
    r"(?:.{0,30}?\bto\s+(?P<label>[^,·;.]+))?"
)
_BEGINS_INVITING = re.compile(r"(?i)\W{0,4}(?:press|hit|strike|tap|type)\b|\W{0,4}\w+ taste\b")
_SHELL_LINE = re.compile(r"\S*[$#%❯➜]\s+\S|>\s+\S|.*[\w~/\])][$#]\s+\S")
_CONTEXT_ROWS = 20
_WRAPPED_ROWS = 60
_GAP_ROWS = 2


@attrs.frozen(kw_only=True)
class RowPrompt:
    """A question at the cursor, before it becomes a prompt."""

    kind: PromptKind
    question: str
    context: str = ""
    options: tuple[OptionReading, ...] = ()
    default: str | None = None
    secret: bool = False
    submits: bool = True
    many: bool = False
    declines: str | None = None
    """The key that declines a prompt of this shape, whether or not the screen says so."""
    first: int
    last: int


def read_secret(layout: Layout, fields: PaneFields, kernel: KernelFact | None) -> RowPrompt | None:
    """Read a hidden input: the kernel's word, or the words of the row."""
    hidden = kernel is not None and kernel.icanon is True and kernel.echo is False
    shown = kernel is not None and kernel.icanon is True and kernel.echo is True
    text, first = _question_at_cursor(layout, fields)
    if not hidden:
        masked = _MASK.sub("", text)
        close = fields.cursor_shown and fields.cursor_x - len(text.rstrip()) <= 2
        worded = SECRET_WORDS.search(masked.rstrip()) is not None and _ENDS_ASKING.search(masked)
        wrapped = first != fields.cursor_y
        if shown or not worded or not (close or wrapped) or not _nothing_below(layout, fields):
            return None
        text = masked
    question = text.strip()
    if not question:
        above = layout.view(fields.cursor_y - 1).text
        question, first = above, fields.cursor_y - 1 if above else first
    context, top = context_above(layout, first - 1)
    return RowPrompt(
        kind=PromptKind.SECRET,
        question=question,
        context=context,
        secret=True,
        first=max(top, 0),
        last=fields.cursor_y,
    )


def read_question(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None
) -> RowPrompt | None:
    """Read a question whose answer is typed behind it, at the shown cursor."""
    line_mode = kernel is not None and kernel.icanon is True
    blocked = line_mode and kernel is not None and kernel.wait is TtyWait.READ
    if not (fields.cursor_shown or blocked) or not _nothing_below(layout, fields):
        return None
    reading = kernel is not None and kernel.wait in _READING
    text, first = _question_at_cursor(layout, fields, blocked=reading)
    right = layout.grid.slice(fields.cursor_y, fields.cursor_x)
    if right.strip() and not blocked:
        return None
    choice = _read_choice(layout, text, first, fields.cursor_y)
    if choice is not None:
        return choice
    return _read_text(layout, fields, text, first, blocked=blocked)


def read_listed(layout: Layout, fields: PaneFields) -> RowPrompt | None:
    """Read a question that lists its answers, the cursor right behind it on the last row."""
    row = fields.cursor_y
    behind = fields.cursor_x - layout.grid.row_width(row)
    if not fields.cursor_shown or row != layout.grid.last_row or not 0 <= behind <= 1:
        return None
    text, first = _question_at_cursor(layout, fields)
    return _read_choice(layout, text, first, row)


def _read_choice(layout: Layout, text: str, first: int, last: int) -> RowPrompt | None:
    choices = read_choices(text)
    if choices is None:
        return None
    context, top = context_above(layout, first - 1)
    return RowPrompt(
        kind=choices.kind,
        question=choices.question,
        context=context,
        options=choices.options,
        default=choices.default,
        first=max(top, 0),
        last=last,
    )


def _read_text(
    layout: Layout, fields: PaneFields, text: str, first: int, *, blocked: bool
) -> RowPrompt | None:
    """Read a free-text question, or the line under a numbered list."""
    last = fields.cursor_y
    block = numbered_block(layout, first - 1)
    marked = _MARKED_QUESTION.match(text) is not None
    asking = marked or _ENDS_ASKING.search(text) is not None or asks(text.rstrip())
    close = fields.cursor_x - len(layout.grid.slice(last, 0, fields.cursor_x).rstrip()) <= 2
    if block is not None and (blocked or (close and _NUMBERED_ASKING.match(text))):
        question = _settled(text)
        context, top = context_above(layout, block.first - 1)
        if not question:
            question, context = context, ""
        return RowPrompt(
            kind=PromptKind.MENU,
            question=question,
            context=context,
            options=block.options,
            first=max(top, 0),
            last=last,
        )
    if not blocked and not (asking and close and text.strip()):
        return None
    context_end = first - 1
    question = _settled(text) if blocked or marked else text.strip()
    if not question:
        above = layout.view(last - 1).text
        if asks(above) or invites_key(above) or above.endswith((":", "：")):
            question, context_end, first = above, last - 2, last - 1
    context, top = context_above(layout, context_end)
    return RowPrompt(
        kind=PromptKind.TEXT,
        question=question,
        context=context,
        default=_bracketed(question) or _placeholder(layout, fields),
        first=max(min(top, first), 0),
        last=last,
    )


def _bracketed(question: str) -> str | None:
    """The value that a bare Enter takes in ``name: (x)`` and ``port [80]:``."""
    found = re.search(r"[\[(]([^\[\]()]{1,60})[\])]\s*[:：?]?\s*\Z", question)
    return found[1] if found is not None and re.search(r"[:：?？]", question) else None


def _placeholder(layout: Layout, fields: PaneFields) -> str | None:
    """Faint text that ends at the cursor: the value a bare Enter takes."""
    for run in layout.grid.runs(fields.cursor_y):
        if run.style.faint and run.end == fields.cursor_x:
            text = layout.grid.slice(fields.cursor_y, run.start, run.end).strip()
            return text if any(character.isalnum() for character in text) else None
    return None


def _settled(text: str) -> str:
    """A question without the part of an answer that somebody has typed behind it."""
    marked = _LAST_MARK.match(text)
    if marked is None or not marked[0].strip(_GLYPHS):
        return text.strip()
    return marked[0].strip()


def _question_at_cursor(
    layout: Layout, fields: PaneFields, *, blocked: bool = True
) -> tuple[str, int]:
    """The text left of the cursor with the rows that wrap into it, and its first row."""
    grid, row = layout.grid, fields.cursor_y
    text = grid.slice(row, 0, fields.cursor_x)
    for above in _wrapped_rows(layout, row, ended=fields.cursor_x == 0 and not blocked):
        row = above
        text = grid.wrapped(row) + text
    if layout.view(fields.cursor_y).boxed:
        text = layout.view(fields.cursor_y).text
    return text, row


def _wrapped_rows(layout: Layout, row: int, *, ended: bool) -> range:
    """The rows over *row* that run on into it, lowest first.

    A blank in the last cell stands at a line's end as well as where a line wraps: such rows
    count only below one that is full. A terminal wraps with the next character, so with
    nothing behind it (*ended*) a full row has come to its end.
    """
    grid, top = layout.grid, row
    above = row - 1
    while not ended and above >= 0 and row - above <= _WRAPPED_ROWS and grid.runs_over(above):
        if grid.is_full(above):
            top = above
        above -= 1
    return range(row - 1, top - 1, -1)


def context_above(layout: Layout, last: int) -> tuple[str, int]:
    """Return the paragraph above a question, its rows down to *last*: no shell line.

    Its indentation is kept: in a diff or a script it means something. A blank row or two may
    stand between it and the question.

    Returns:
        The text, and the first of its rows (``last + 1`` when there is none).

    """
    rows: list[tuple[int, str]] = []
    row = last
    while last - row < _GAP_ROWS and layout.view(row).blank and row > 0:
        row -= 1
    while row >= 0 and len(rows) < _CONTEXT_ROWS:
        view = layout.view(row)
        if not view.text or view.rule or (view.column == 0 and _SHELL_LINE.match(view.text)):
            break
        if rows and layout.wraps(row):
            rows[-1] = (view.column, view.text + rows[-1][1])
        else:
            rows.append((view.column, view.text))
        row -= 1
    left = min((column for column, _ in rows), default=0)
    first = row + 1 if rows else last + 1
    return "\n".join(" " * (column - left) + text for column, text in reversed(rows)), first


def _nothing_below(layout: Layout, fields: PaneFields) -> bool:
    below = [
        row
        for row in range(fields.cursor_y + 1, layout.grid.last_row + 1)
        if not layout.view(row).blank
    ]
    return len(below) <= 4 and all(layout.hint(row) for row in below)


def read_pager(layout: Layout, fields: PaneFields, kernel: KernelFact | None) -> RowPrompt | None:
    """Read a pager: its own row at the bottom, the cursor right behind it."""
    grid, row = layout.grid, fields.cursor_y
    text = grid.text(row).strip()
    if not text or row != grid.last_row or not fields.cursor_shown:
        return None
    if kernel is not None and kernel.icanon is True:
        return None
    behind = fields.cursor_x - grid.row_width(row)
    if not 0 <= behind <= 1:
        return None
    reverse = all(  # in italics where the terminal's name is "screen"
        run.style.reverse or run.style.italic or not grid.slice(row, run.start, run.end).strip()
        for run in grid.runs(row)
    )
    # A pager's bar is one row; pasted text may be in reverse too, over several.
    lone = not any(run.style.reverse or run.style.italic for run in grid.runs(row - 1))
    at_bottom = row == fields.height - 1
    named = _PAGER_ROW.fullmatch(text) is not None
    if text == ":":
        named = at_bottom or fields.alternate_on
    if not named and not (reverse and at_bottom and lone):
        return None
    if named and not reverse and text.endswith(")") and not text.upper().startswith("--"):
        return None  # A row of text that happens to end in a percentage.
    return RowPrompt(kind=PromptKind.PAGER, question=text, submits=False, first=row, last=row)


def read_key_invitation(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None
) -> RowPrompt | None:
    """Read ``Press any key`` and ``Hit t to trust this, Esc to leave`` at the live end."""
    grid, row = layout.grid, layout.grid.last_row
    if row < 0:
        return None
    view = layout.view(row)
    if not view.text or not invites_key(view.text):
        return None
    reading = kernel is not None and kernel.wait in _READING
    at_end = fields.cursor_y == row and fields.cursor_x >= grid.row_width(row)
    under = fields.cursor_y == row + 1 and fields.cursor_x == 0
    begins = kernel is None and _BEGINS_INVITING.match(view.text) is not None
    if fields.cursor_shown and not (at_end or (under and (reading or begins))):
        return None
    actions = _actions(view.text)
    if all(option.key.lower() in ("ctrl+c", "ctrl-c", "^c") for option in actions) and actions:
        return None  # A server's banner, not a question.
    typed = (
        re.search(r"(?i)\b(?:press|hit|tap)\b", view.text) is None and "type" in view.text.lower()
    )
    first = row
    while first > 0 and layout.wraps(first - 1):
        first -= 1
    context, top = context_above(layout, first - 1)
    return RowPrompt(
        kind=PromptKind.TEXT if typed else PromptKind.KEY,
        question=join_rows(layout, first, row),
        context=context,
        options=actions,
        submits=typed,
        first=max(top, 0),
        last=row,
    )


def _actions(text: str) -> tuple[OptionReading, ...]:
    found: Iterable[re.Match[str]] = _KEY_ACTION.finditer(text)
    actions = tuple(
        OptionReading(key=match["key"].strip("<>[]'\""), label=match["label"].strip())
        for match in found
        if match["key"].lower() not in ("any", "key", "command")
    )
    named = None if actions else _NAMED_KEY.search(text)
    if named is None:
        return actions
    label = (named["label"] or named["key"]).strip()
    return (OptionReading(key=named["key"].strip("<>"), label=label),)
