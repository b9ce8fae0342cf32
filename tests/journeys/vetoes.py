"""Screens that nothing but a profile's veto tells from a screen that may be written to."""

from collections.abc import Mapping
from typing import Final

from panegate.gate.guard import FIELD_TERMS, guard_for
from panegate.screen.profile import Profile
from panegate.testing.programs._dialog import Dialog

from .guard_lab import COMPOSER, REFUSED, WRITTEN, Lab, row, screen

__all__ = ["QUESTIONS", "check_vetoes"]

_TRUST: Final = "Hit t to trust this, Esc to leave"

QUESTIONS: Final[Mapping[str, Mapping[str, Dialog]]] = {
    "standin": {
        "numbered rows and no footer": Dialog(footer=""),
        "another glyph": Dialog(footer="", glyph=">"),
        "rows without numbers": Dialog(numbered=False),
        "one key": Dialog(title="", question=_TRUST, letters="t", footer=""),
    }
}
"""By profile: its program's questions, each drawn so that not every veto sees it."""


def check_vetoes(lab: Lab, profile: Profile) -> None:
    """Draw each question far from the input area; the vetoes alone must refuse the write."""
    for words, dialog in QUESTIONS[profile.name].items():
        lab.paint(screen())
        look = lab.look()
        regexes = [veto.regex for veto in profile.vetoes]
        whole = guard_for(look, composer_row=COMPOSER, vetoes=regexes)
        pins = {t.name for t in whole.terms if not t.name.startswith("veto_")} - FIELD_TERMS
        guard = guard_for(look, composer_row=COMPOSER, vetoes=regexes, drop=frozenset(pins))
        assert lab.write(guard, lab.typing("before")) == WRITTEN
        assert lab.log.read(6) == b"before"
        rows = enumerate(dialog.frame(60, shown=False).rows, 10)
        lab.paint(b"".join(row(n, text) for n, text in rows))
        assert lab.write(guard, lab.typing("wrong")) == REFUSED, words
