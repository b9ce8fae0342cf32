"""Blocks of options: numbered, pointed at, highlighted by colour, or in one row."""

import re
from collections.abc import Iterator

import attrs

from panegate.panes.facts import OptionReading
from panegate.screen.layout import Layout, RowView, is_hint_text, is_spinner

__all__ = [
    "POINTERS",
    "OptionBlock",
    "find_blocks",
    "numbered_block",
    "option_label",
    "row_of_options",
    "takes_many",
    "with_ticks",
]

POINTERS = "❯›>▸▶►→➜➤»●◉⦿◆◼■*‣▹⏵☞▌"
"""Glyphs that mark the chosen row of a menu."""
_UNPOINTED = "○◯◇◻□☐⬚·"
_POINTED = re.compile(
    rf"[{re.escape(POINTERS)}][ \xa0]+(?=\S)|[●◉◆◼■▌](?=\w)|[❯›>▸▶►»](?=[◯◉○●☐☑◻◼⬡⬢])"
)
_RADIO = re.compile(rf"[{_UNPOINTED}][ \xa0]+(?=\S)")
_KEYED = re.compile(
    r"\(?(?P<key>\d{1,2}|[A-Za-z])[.):\]](?![\d.])\s+(?P<label>\S.*)"
    r"|[\[(](?P<boxed>\d{1,2}|[A-Za-wyzA-WYZ])[\])]\s*(?P<boxed_label>\S.*)"
    r"|(?P<bare>\d{1,2})\s{1,3}(?=[^\W\d])(?P<bare_label>\S.*)"
)
_CHECKBOX = re.compile(r"(?:\[[ xX*✓✔]?\]|\([ xX*•]\)|[☐☑☒◯◉○●◻◼✓✔])\s+")
_FUNCTION_KEY = re.compile(r"F\d{1,2}\b|\^[A-Z]\b")
_HOTKEY = re.compile(r"\((?P<key>[a-zA-Z]|esc|tab|enter|return)\)\Z")
_CELL = re.compile(r"(?:\A|(?<=\s))(\d{1,3})[.)]\s+(\S.*?)(?=\s{2,}\d{1,3}[.)]\s|\s*\Z)")
_ROWS_BACK = 48
_MAX_OPTIONS = 60


@attrs.frozen(kw_only=True)
class OptionBlock:
    """Option rows that belong together."""

    first: int
    last: int
    options: tuple[OptionReading, ...]
    column: int
    """Where the labels begin."""
    pointed: bool
    """One of them is marked by a glyph or by colour."""
    numbered: bool
    checkboxes: bool = False
    across: bool = False
    """The options stand in one row."""


def option_label(text: str) -> tuple[str, str] | None:
    """Split ``1. Yes`` into key and label; None when there is no key in front."""
    checkbox = _CHECKBOX.match(text)
    if checkbox is not None:
        inner = option_label(text[checkbox.end() :])
        return None if inner is None else (inner[0], text)
    found = _KEYED.match(text)
    if found is None:
        return None
    key = found["key"] or found["boxed"] or found["bare"] or ""
    label = found["label"] or found["boxed_label"] or found["bare_label"] or ""
    return key, label.strip()


def find_blocks(layout: Layout) -> Iterator[OptionBlock]:
    """Yield blocks with a pointed or coloured option, lowest first."""
    grid = layout.grid
    for row in range(grid.last_row, max(-1, grid.last_row - _ROWS_BACK), -1):
        view = layout.view(row)
        if not view.text:
            continue
        pointed = _POINTED.match(view.text)
        if pointed is not None:
            block = _Block(layout, row, view.column + pointed.end(), by_glyph=True).read()
            if block is not None:
                yield block
        elif (column := _coloured(layout, view)) is not None:
            block = _Block(layout, row, column, by_glyph=False).read()
            if block is not None:
                yield block


def numbered_block(layout: Layout, last: int) -> OptionBlock | None:
    """Return the block of numbered rows that ends at or just above *last*, without a pointer."""
    row = last
    while row >= 0 and last - row < 3 and not layout.view(row).text:
        row -= 1
    top = row
    while top >= 0 and row - top < _ROWS_BACK:
        view = layout.view(top)
        if not view.text or view.rule:
            return None
        if option_label(view.text) is not None:
            block = _Block(layout, top, view.column, by_glyph=False).read()
            if block is None or not block.numbered or block.last < row:
                return None
            block = _in_columns(block)
            return block if len(block.options) > 1 else None
        top -= 1
    return None


def with_ticks(options: tuple[OptionReading, ...]) -> tuple[OptionReading, ...]:
    """Take the boxes that begin all labels off them, and say which are ticked."""
    found = [_CHECKBOX.match(option.label) for option in options]
    return tuple(
        attrs.evolve(
            option,
            label=option.label[box.end() :],
            ticked=any(sign in "xX*•✓✔☑☒◉●◼" for sign in box[0]),
        )
        if box is not None
        else option
        for option, box in zip(options, found, strict=True)
    )


def takes_many(options: tuple[OptionReading, ...]) -> bool:
    """Tell whether boxes like these (read before `with_ticks`) may be ticked side by side."""
    return not all(option.label.startswith("(") for option in options)


def _in_columns(block: OptionBlock) -> OptionBlock:
    """Take apart rows that hold several options each, numbered through from 1."""
    cells: list[OptionReading] = []
    for option in block.options:
        text = f"{option.key}) {option.label}"
        found = list(_CELL.finditer(text))
        cells += [OptionReading(key=cell[1], label=cell[2], row=option.row) for cell in found]
    cells.sort(key=lambda option: int(option.key))
    if [cell.key for cell in cells] != [str(n) for n in range(1, len(cells) + 1)]:
        return block
    if len(cells) <= len(block.options):
        return block
    return attrs.evolve(block, options=tuple(cells))


def row_of_options(layout: Layout, row: int) -> OptionBlock | None:
    """Return options that stand side by side, one of them on a ground of its own."""
    grid = layout.grid
    view = layout.view(row)
    if not view.text or "  " not in view.text:
        return None
    cells: list[tuple[int, int, str]] = []
    for found in re.finditer(r"\S(?:.*?\S)??(?=\s\s|\Z)", grid.slice(row, view.column, view.end)):
        start = view.column + found.start()
        cells.append((start, view.column + found.end(), found[0]))
    if any(_FUNCTION_KEY.match(text) for _, _, text in cells):
        return None  # a bar that explains keys
    cells = [cell for cell in cells if not is_hint_text(cell[2])]
    if not 2 <= len(cells) <= 6 or any(len(text) > 40 for _, _, text in cells):
        return None
    grounds = [grid.style(row, (start + end) // 2).ground for start, end, _ in cells]
    marked = [index for index, ground in enumerate(grounds) if grounds.count(ground) == 1]
    if len(cells) == 2 and len(marked) == 2:
        plain = grid.style(row, cells[0][1] + 1).ground
        marked = [index for index, ground in enumerate(grounds) if ground != plain]
    if len(marked) != 1:
        return None
    options = tuple(
        OptionReading(key="", label=text, highlighted=index == marked[0], row=row)
        for index, (_, _, text) in enumerate(cells)
    )
    return OptionBlock(
        first=row,
        last=row,
        options=options,
        column=cells[0][0],
        pointed=True,
        numbered=False,
        across=True,
    )


def _coloured(layout: Layout, view: RowView) -> int | None:
    """The column where a label on a ground of its own begins, or None.

    A caret cell is too narrow, and of neighbouring rows on the same ground none is marked.
    """
    grid = layout.grid
    runs = grid.runs(view.row)
    if len(runs) == 1 and runs[0].style.ground == (False, -1):
        return None
    column = view.column
    ground = grid.style(view.row, column).ground
    end = column + len(view.text)
    cells = sum(
        min(run.end, end) - max(run.start, column)
        for run in runs
        if run.style.ground == ground and run.start < end and run.end > column
    )
    if cells < 2:
        return None
    siblings = [
        row
        for row in (view.row - 1, view.row + 1)
        if layout.view(row).text and layout.view(row).boxed == view.boxed
    ]
    if any(grid.style(row, column).ground == ground for row in siblings):
        return None
    if ground[0]:
        return column
    aligned = [row for row in siblings if layout.view(row).column == column]
    if not aligned:
        return None
    if not _stands_out(layout, view.row, column) and ground == (False, -1):
        return None
    return None if _outdone(layout, view.row, aligned, column) else column


def _stands_out(layout: Layout, row: int, column: int) -> bool:
    """Whether a label's ground differs from that of the cell left of it."""
    grid = layout.grid
    return column > 0 and grid.style(row, column).ground != grid.style(row, column - 1).ground


def _outdone(layout: Layout, row: int, siblings: list[int], column: int) -> bool:
    """Whether it is a sibling that stands out and this row lies on the common ground."""
    return not _stands_out(layout, row, column) and any(
        _stands_out(layout, sibling, column) for sibling in siblings
    )


class _Block:
    """Grows a block of options up and down from its marked row."""

    def __init__(self, layout: Layout, row: int, column: int, *, by_glyph: bool) -> None:
        self._layout = layout
        self._grid = layout.grid
        self._row = row
        self._column = column
        self._by_glyph = by_glyph
        label = self._label_text(layout.view(row))
        self._numbered = option_label(label) is not None
        self._boxed = layout.view(row).boxed

    def read(self) -> OptionBlock | None:
        """Return the block, or None when the rows are something else."""
        first, last = self._edge(-1), self._edge(1)
        options: list[OptionReading] = []
        pointed = 0
        for row in range(first, last + 1):
            view = self._layout.view(row)
            if not view.text:
                continue
            if not self._is_option(view):
                if not options:
                    return None
                options[-1] = _continued(options[-1], view.text, self._layout.wraps(row - 1))
                continue
            marked = row == self._row and (self._by_glyph or self._is_marked(row))
            if self._by_glyph and _POINTED.match(view.text) and view.column < self._column:
                pointed += 1
            options.append(self._option(view, marked))
        if self._by_glyph and pointed > 1:
            return None  # A bulleted list.
        if len(options) > _MAX_OPTIONS or not options:
            return None
        return OptionBlock(
            first=first,
            last=last,
            options=tuple(options),
            column=self._column,
            pointed=any(option.highlighted for option in options),
            numbered=self._numbered,
            checkboxes=all(_CHECKBOX.match(option.label) for option in options),
        )

    def _is_marked(self, row: int) -> bool:
        view = self._layout.view(row)
        return view.column == self._column and _coloured(self._layout, view) is not None

    def _edge(self, step: int) -> int:
        """The outermost row of the block in one direction."""
        edge = row = self._row
        gap = 0
        pending: list[int] = []
        while 0 <= row + step < self._grid.height:
            row += step
            view = self._layout.view(row)
            if view.boxed != self._boxed:
                break
            if not view.text:
                gap += 1
                if gap > 1:
                    break
                continue
            if is_spinner(view.text) and view.column < self._column:
                break
            if self._is_option(view):
                if gap and not self._follows(view, edge, step):
                    break
                edge, gap = row, 0
                pending.clear()
            elif gap or not self._may_continue(view, row):
                break
            elif step > 0:
                edge = row
            else:
                pending.append(row)
        return edge

    def _may_continue(self, view: RowView, row: int) -> bool:
        if self._layout.wraps(row - 1):
            return True
        return view.column > self._column and not is_hint_text(view.text)

    def _follows(self, view: RowView, edge: int, step: int) -> bool:
        """Across a gap only the next number goes on with a block."""
        here = option_label(self._label_text(view))
        there = option_label(self._label_text(self._layout.view(edge)))
        if here is None or there is None:
            return False
        return here[0].isdigit() and there[0].isdigit() and int(here[0]) == int(there[0]) + step

    def _is_option(self, view: RowView) -> bool:
        if view.row == self._row:
            return True
        label = self._label_text(view)
        if not label:
            return False
        if self._numbered:
            return option_label(label) is not None and abs(self._start(view) - self._column) <= 1
        return self._start(view) == self._column

    def _start(self, view: RowView) -> int:
        mark = _RADIO.match(view.text) or _POINTED.match(view.text)
        if mark is not None and view.column < self._column:
            return view.column + mark.end()
        return view.column

    def _label_text(self, view: RowView) -> str:
        return view.text[max(0, self._start(view) - view.column) :]

    def _option(self, view: RowView, marked: bool) -> OptionReading:
        label = self._label_text(view)
        keyed = option_label(label)
        key = ""
        if keyed is not None:
            key, label = keyed
        elif (hotkey := _HOTKEY.search(label)) is not None and len(hotkey["key"]) == 1:
            key = hotkey["key"]
        return OptionReading(key=key, label=label, highlighted=marked, row=view.row)


def _continued(option: OptionReading, text: str, unbroken: bool) -> OptionReading:
    glue = "" if unbroken else " "
    return attrs.evolve(option, label=f"{option.label}{glue}{text}")
