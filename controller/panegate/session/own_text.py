"""Our own text in a program that reads lines: it stands there like a question's words."""

from typing import Self

import attrs

from panegate.gate.judge import View
from panegate.panes.facts import ComposerReading, Look, ScreenKind, ScreenReading
from panegate.screen.echo import EchoKind, compare_echo
from panegate.screen.grid import Grid

__all__ = ["OwnText", "same_text"]


@attrs.frozen(kw_only=True)
class OwnText:
    """A text that was typed where a program was ready for it, and is not submitted yet."""

    row: int
    """Where it begins, counted from the start of the pane's history."""
    column: int
    text: str
    above: tuple[str, ...]
    """The visible rows above it, as they were when the program was ready."""

    @classmethod
    def typed_into(cls, view: View, text: str) -> Self | None:
        """Return the text as typed at the input area of *view*, where it has one."""
        composer = view.reading.composer
        if composer is None:
            return None
        above = tuple(view.grid.text(row) for row in range(composer.row))
        row = composer.row + view.look.fields.scrolled
        return cls(row=row, column=composer.column, text=text, above=above)

    def read(
        self, reading: ScreenReading, look: Look, grid: Grid, *, whole: bool
    ) -> ScreenReading | None:
        """Return the reading with this text as what stands in the input area.

        Args:
            reading: What the screen alone says.
            look: The look it is of.
            grid: Its rows.
            whole: False while the text is on its way: its beginning alone counts too.

        Returns:
            None where the text does not stand there alone: another text is seen, the rows
            above are others than before, something is below, or an input area is known.

        """
        fields = look.fields
        row = self.row - fields.scrolled
        if reading.composer is not None or reading.kind is ScreenKind.BUSY or row < 0:
            return None
        above = tuple(grid.text(at) for at in range(row))
        if grid.last_row > fields.cursor_y or above != self.above[len(self.above) - row :]:
            return None
        start = (row, self.column)
        echo = compare_echo(grid, fields, start, self.text, composer=None, collapsed_ok=False)
        kinds = (EchoKind.FULL,) if whole else (EchoKind.FULL, EchoKind.PARTIAL)
        if echo.kind not in kinds or echo.line_break:
            return None
        composer = ComposerReading(
            row=row,
            column=self.column,
            last_row=fields.cursor_y,
            text=self.text if echo.kind is EchoKind.FULL else echo.seen,
            prompt_text=grid.slice(row, 0, self.column),
        )
        words = f"our own text stands at row {row}"
        return attrs.evolve(
            reading,
            kind=ScreenKind.READY,
            words=words,
            composer=composer,
            prompt=None,
            shown=None,
        )


def same_text(shown: str, ours: str) -> bool:
    """Tell whether what is shown is ours, or a part of it, wherever it was wrapped."""
    a, b = "".join(shown.split()), "".join(ours.split())
    return bool(a) and (a in b or b in a)
