"""Rows seen through borders: what is text, what is drawing, what is a footer."""

import re

import attrs

from panegate.screen.grid import Grid

__all__ = [
    "FOOTER_ROWS",
    "SPINNER",
    "Layout",
    "RowView",
    "asks",
    "invites_key",
    "is_hint_text",
    "is_rule",
    "is_sides",
    "is_spinner",
    "join_rows",
    "only_footers",
    "rule_title",
]

_SIDE = "│┃║┆┊┇┋╎╏▏▕"
_LEFT_SIDES = re.compile(rf"(?:\s*[{_SIDE}])+")
_RIGHT_SIDES = re.compile(rf"(?:\s*[{_SIDE}])+\s*\Z")
_ASCII_BOX = re.compile(r"\s*\|(?=\s).*\s\|\s*\Z")
_DRAWING = "─━═╌┄┈╍┅┉▁▂▔▀▄╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╒╕╘╛╓╖╙╜" + _SIDE
_RULE = re.compile(rf"[\s{_DRAWING}◆◇○●]*[─━═╌┄┈╍┅┉▁▂▔▀▄╭╮╰╯┌┐└┘├┤┏┓┗┛╔╗╚╝][\s{_DRAWING}]*")
_ASCII_RULE = re.compile(r"\s*[+*]?([-=_*~])\1{4,}[-+=*]*\s*")
_TITLED = re.compile(
    r"\s*[╭┌╔├┏╒╓╰└╚┗]?[─━═]+[┤\[\s]*(?P<title>[^─━═]+?)[├\]\s]*[─━═]{2,}[╮┐╗┤┓╕╖╯┘╝┛]?\s*"
)
_TITLED_ASCII = re.compile(r"\s*\+-+\s*(?P<title>[^-+\s][^+]*?)\s*-{2,}\+\s*")

FOOTER_ROWS = 5
"""How many rows of hints and status may stand below a question."""
_STATUS = re.compile(r"\S\s{3,}\S|\s[|·•]\s")

SPINNER = "⠀-⣿✢✳✶✻✽✺✷✸✹✦◐◓◑◒◴◷◶◵◜◠◝◞◡◟⏳⌛"
"""Glyphs that turn while a program works, as the inside of a character class."""
_SPINNER_ROW = re.compile(rf"\s*[{SPINNER}·]\s+\S")
_TURNING = re.compile(r"\s*[|/\\] [\w(]")

_QUESTION_END = re.compile(r"(?:[?？؟՞⁇︖]|[\u0370-\u03ff\u1f00-\u1fff][^\n]*[;\u037e])\W{0,3}\Z")
_INVITE = re.compile(
    r"(?i)\b(?:press|hit|strike|tap)\b.{0,40}?\b(?:any|key|enter|return|space|bar|esc|escape|to)\b"
    r"|\b(?:press|hit|tap)\s+\S{1,12}\s+(?:to|for)\b"
    r"|\btype\b.{1,40}\bto\s+(?:confirm|continue|proceed|delete|accept|agree|command)\b"
    r"|\b(?:eine|beliebige)\s+taste\b|\bune touche\b|\bcualquier tecla\b|\bun tasto\b|キーを押"
)
_KEY = (
    r"(?:(?:ctrl|shift|alt|cmd|option|control)[-+ ]\S{1,9}|\^[A-Z\\\]]|esc(?:ape)?|"
    r"enter|return|tab|space|"
    r"(?:arrow|cursor)(?: keys)?|arrows|pgup|pgdn|backspace|f\d{1,2}|[a-z?](?=\s+(?:to|for)\b))"
)
_HINT = re.compile(
    # A key and what it does: "Esc to cancel", "q to quit", "enter: select".
    rf"(?i:(?:^|[\s(\[/·•|,]){_KEY}[\])]?\s*(?:\b(?:to|for)\s+\w|[:=–—]\s*\w))"
    # Keys in a list: "esc cancel", "enter confirm  tab next".
    rf"|(?:^|\s\s|[·•|,]\s*)(?:[Ee]sc|ESC|enter|return|tab|space|ctrl[-+]\w)\s+\w+(?=\s\s|\s*[·•|,)]|\s*\Z)"
    r"|[↑↓⏎↵⇥⇆⌃⇧]|[←→]\s?[/|:]|\b(?i:ctrl|control)[-+]\w|(?:^|\s)\^[A-Z]\s"
    r"|(?i:\b(?:use|press|hit)\s+(?:the\s+)?(?:arrow|up|down|tab|enter|space|esc|\?))"
)


@attrs.frozen(slots=True)
class RowView:
    """One row inside its borders."""

    row: int
    text: str
    """The text between the borders, blanks on both sides removed."""
    column: int
    """Where ``text`` begins; 0 for a blank row."""
    rule: bool
    """Nothing but drawing (perhaps with a title in it)."""
    boxed: bool
    """There was a border at its left side."""
    end: int
    """The column behind the last one that text may take: the right border, or the width."""

    @property
    def blank(self) -> bool:
        """Nothing stands between the borders."""
        return not self.text and not self.rule


class Layout:
    """The rows of a grid seen through their borders; read lazily."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._views: dict[int, RowView] = {}

    def view(self, row: int) -> RowView:
        """Return one row; rows outside the screen are blank."""
        known = self._views.get(row)
        if known is None:
            known = self._views[row] = self._read(row)
        return known

    def faint(self, row: int) -> bool:
        """Tell whether all text of the row is dim or grey."""
        view = self.view(row)
        if not view.text:
            return False
        first = view.column
        last = first + len(view.text)
        runs = [
            run
            for run in self.grid.runs(row)
            if run.end > first
            and run.start < last
            and self.grid.slice(row, run.start, run.end).strip()
        ]
        inner = [run for run in runs if not is_rule(self.grid.slice(row, run.start, run.end))]
        return bool(inner) and all(run.style.faint for run in inner)

    def hint(self, row: int) -> bool:
        """Tell whether a row is a footer: keys explained, or all of it faint."""
        view = self.view(row)
        return view.blank or view.rule or is_hint_text(view.text) or self.faint(row)

    def wraps(self, row: int) -> bool:
        """Tell whether the row's text runs on in the next row, broken at the edge."""
        view = self.view(row)
        following = self.view(row + 1)
        if not view.text or not following.text or following.rule or view.rule:
            return False
        if view.boxed != following.boxed:
            return False
        if not view.boxed:
            return self.grid.is_full(row) and following.column == 0
        used = view.column + len(view.text)
        return view.end < self.grid.width and used >= view.end and following.column <= view.column

    def _read(self, row: int) -> RowView:
        raw = self.grid.text(row)
        stripped = raw.strip()
        if not stripped:
            return RowView(row, "", 0, False, False, self.grid.width)
        if stripped.isascii() and stripped[0] not in "|+-=_*~":
            index = len(raw) - len(raw.lstrip())
            return RowView(row, stripped, index, False, False, self.grid.width)
        sides = is_sides(raw)
        if not sides and is_rule(raw):
            return RowView(row, "", 0, True, stripped[0] in _SIDE, self.grid.width)
        start, end, boxed = 0, len(raw), False
        left = _LEFT_SIDES.match(raw)
        if left is not None:
            start, boxed = left.end(), True
        right = _RIGHT_SIDES.search(raw, start)
        if right is not None and (boxed or right[0][:1] == " "):
            end = right.start() + len(right[0]) - len(right[0].lstrip())
        if left is None and right is None and _ASCII_BOX.fullmatch(raw):
            start, end, boxed = raw.index("|") + 1, raw.rindex("|"), True
        inner = raw[start:end]
        text = inner.strip()
        limit = self.grid.column_of(row, end) if end < len(raw) else self.grid.width
        if not text:
            return RowView(row, "", 0, False, boxed, limit)
        if is_rule(text):
            return RowView(row, "", 0, True, boxed, limit)
        column = self.grid.column_of(row, start + len(inner) - len(inner.lstrip()))
        return RowView(row, text, column, False, boxed, limit)


def is_sides(text: str) -> bool:
    """Tell whether a row holds nothing but side borders: the blank row of a box."""
    return bool(text.strip()) and not text.strip().strip(_SIDE + " ")


def is_rule(text: str) -> bool:
    """Tell whether a row's text is drawing: a border, a rule, a titled border."""
    return (
        (_RULE.fullmatch(text) is not None and not is_sides(text))
        or _ASCII_RULE.fullmatch(text) is not None
        or _titled(text) is not None
    )


def rule_title(text: str) -> str:
    """Return the title drawn into a border, or ""."""
    found = _titled(text)
    return "" if found is None else found["title"].strip()


def _titled(text: str) -> re.Match[str] | None:
    return _TITLED.fullmatch(text) or _TITLED_ASCII.fullmatch(text)


def is_spinner(text: str) -> bool:
    """Tell whether a row begins with a glyph that turns while a program works."""
    return _SPINNER_ROW.match(text) is not None or _TURNING.match(text) is not None


def is_hint_text(text: str) -> bool:
    """Tell whether a row explains keys (``Esc to cancel``, ``↑/↓ select``)."""
    return _HINT.search(text) is not None


def asks(text: str) -> bool:
    """Tell whether a text ends as a question does, in any of several scripts."""
    return _QUESTION_END.search(text) is not None


def invites_key(text: str) -> bool:
    """Tell whether a text asks for a key or a word (``Press any key``)."""
    return _INVITE.search(text) is not None


def join_rows(layout: Layout, first: int, last: int) -> str:
    """Join the texts of rows, borders removed.

    A row broken at the edge runs on without a blank; others are joined by one.
    """
    parts: list[str] = []
    glue = ""
    for row in range(first, last + 1):
        text = layout.view(row).text
        if text:
            parts.append(glue + text if parts else text)
            glue = "" if layout.wraps(row) else " "
    return "".join(parts)


def only_footers(layout: Layout, first: int) -> bool:
    """Tell whether from row *first* on there are only hints, rules and a status row.

    A spinner that is not faint means work, and more text means that output went on.
    """
    rows = 0
    gap = False
    for row in range(first, layout.grid.last_row + 1):
        view = layout.view(row)
        if not view.text:
            gap = True
            continue
        rows += 1
        if rows > FOOTER_ROWS or (is_spinner(view.text) and not layout.faint(row)):
            return False
        if not layout.hint(row) and not (gap and _STATUS.search(layout.grid.text(row))):
            return False
    return True
