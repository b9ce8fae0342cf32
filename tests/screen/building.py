"""Screens written down as text: makes looks for tests.

Markup: ``⟦d:hint⟧`` dim, ``⟦r:Yes⟧`` reverse, ``⟦b:bold⟧``, ``⟦fg8:grey⟧``,
``⟦bg4:on blue⟧``; ``‸`` is the cursor and takes no cell.
"""

import re
from collections.abc import Sequence

import attrs

from panegate.ids import pane_id
from panegate.panes.facts import KernelFact, Look, PaneFields, ProbeLevel, TtyWait
from panegate.screen.grid import Grid
from panegate.screen.profile import ComposerRule, Family, Profile, Region, RowRule

CURSOR = "‸"
_MARKED = re.compile(r"⟦(?P<tag>[a-z]+\d*):(?P<text>[^⟧]*)⟧")
_TAGS = {"d": "2", "i": "3", "r": "7", "b": "1", "x": "2;7"}

LINE_READ = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.READ, echo=True, icanon=True)
HIDDEN_READ = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.READ, echo=False, icanon=True)
RAW_READ = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.SELECT, echo=False, icanon=False)
NOT_READING = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.ABSENT, echo=True, icanon=True)


def coded(text: str) -> str:
    """Return *text* with its markup turned into SGR sequences."""

    def sgr(found: re.Match[str]) -> str:
        tag = found["tag"]
        if tag in _TAGS:
            code = _TAGS[tag]
        elif tag.startswith("fg"):
            code = f"38;5;{tag[2:]}"
        else:
            code = f"48;5;{tag[2:]}"
        return f"\x1b[{code}m{found['text']}\x1b[0m"

    return _MARKED.sub(sgr, text)


def look(
    screen: str | Sequence[str],
    *,
    width: int = 80,
    height: int = 24,
    cursor: tuple[int, int] | None = None,
    shown: bool = True,
    alternate: bool = False,
    kernel: KernelFact | None = None,
    command: str = "program",
    title: str = "",
    history: int = 0,
) -> Look:
    """Make a look; rows missing below are blank.

    Args:
        screen: Rows, or one text whose first newline is dropped.
        width: Columns.
        height: Rows.
        cursor: Row and column; default the marker's place, else the end of the text.
        shown: Whether the cursor is visible.
        alternate: Whether the alternate screen is on.
        kernel: What the probe says.
        command: ``#{pane_current_command}``.
        title: Of the pane.
        history: Rows scrolled away.

    """
    rows = screen.removeprefix("\n").split("\n") if isinstance(screen, str) else list(screen)
    if isinstance(screen, str) and rows and not rows[-1].strip() and CURSOR not in rows[-1]:
        rows.pop()
    rows = rows or [""]
    place = cursor
    for number, row in enumerate(rows):
        if CURSOR in row:
            plain = _MARKED.sub(lambda found: found["text"], row)
            before = plain[: plain.index(CURSOR)]
            probe = Grid([before.encode()], width=width)
            place = (number, probe.column_of(0, len(before)))
            rows[number] = row.replace(CURSOR, "")
    if place is None:
        place = (len(rows) - 1, Grid([_plain(rows[-1])], width=width).row_width(0))
    encoded = tuple(coded(row).encode() for row in rows)
    encoded += (b"",) * (height - len(encoded))
    fields = PaneFields(
        pane_id=pane_id("%1"),
        pane_pid=100,
        alternate_on=alternate,
        cursor_x=place[1],
        cursor_y=place[0],
        cursor_shown=shown,
        history_size=history,
        width=width,
        height=height,
        command=command,
        title=title,
    )
    return Look(fields=fields, rows=encoded, kernel=kernel, asked_at_s=1.0, at_s=1.0)


def _plain(row: str) -> bytes:
    return _MARKED.sub(lambda found: found["text"], row).encode()


def grid(screen: str | Sequence[str], *, width: int = 80, height: int = 24) -> Grid:
    """Make only the grid of a screen."""
    return Grid.from_look(look(screen, width=width, height=height))


def profile(family: Family = Family.UNKNOWN, **values: object) -> Profile:
    """Make a profile; ``prompts``, ``continuations`` and glyphs may be given as texts."""
    for name in ("prompts", "continuations"):
        if name in values:
            texts: tuple[str, ...] = values[name]  # type: ignore[assignment]
            values[name] = tuple(re.compile(text) for text in texts)
    return attrs.evolve(Profile(name="test", family=family), **values)


def composer_rule(
    glyphs: Sequence[str] = (), hints: Sequence[str] = (), collapsed: Sequence[str] = ()
) -> ComposerRule:
    """Make a composer rule from texts."""
    return ComposerRule(
        glyphs=tuple(glyphs),
        hints=tuple(re.compile(hint) for hint in hints),
        collapsed=tuple(re.compile(text) for text in collapsed),
    )


def rule(region: Region, pattern: str, **values: object) -> RowRule:
    """Make a row rule from a pattern's text."""
    return attrs.evolve(RowRule(region=region, pattern=re.compile(pattern)), **values)


BASH = profile(Family.SHELL, prompts=(r".*[$#] ",), continuations=("> ",))
PYTHON = profile(Family.REPL, prompts=(">>> ",), continuations=(r"\.\.\. ",))
UNKNOWN = profile()
AGENT = profile(
    Family.COMPOSER,
    composer=composer_rule(
        ("❯", ">", "›"),
        (r"Type your message.*", r'Try ".*'),
        (r"\[Pasted text #\d+ \+\d+ lines\]",),
    ),
)
