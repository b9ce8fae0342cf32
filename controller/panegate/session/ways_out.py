"""How a person gets out of whatever has a pane: by declining a question, or by keys.

Nothing here writes. What is asked is left by an answer that declines it, a person's
decision; what asks nothing is left by an interrupt or by the program's own keys.
"""

from collections.abc import Mapping
from typing import Final

import attrs

from panegate.panes.beliefs import Belief
from panegate.panes.facts import Look, PromptReading, ScreenReading
from panegate.screen.applications import is_finder
from panegate.screen.profile import Family, Profile
from panegate.terms import PromptKind, State

__all__ = ["LEAVING_KEYS", "declinable", "leaving_keys", "way_to_decline"]

_VI: Final = ("Escape", ":", "q", "!", "Enter")
LEAVING_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "view", "vimdiff", "vim.basic", "vim.tiny"), _VI),
    **dict.fromkeys(("nano", "pico", "emacs"), ("C-x",)),
    "emacs": ("C-x", "C-c"),
    **dict.fromkeys(
        ("top", "htop", "btop", "atop", "less", "more", "man", "tig", "lazygit"), ("q",)
    ),
    **dict.fromkeys(("mc", "mcedit"), ("F10",)),
    **dict.fromkeys(("python", "python3", "ipython", "node", "sqlite3", "psql", "gdb"), ("C-d",)),
}
"""The keys that end a program, by its command: what it would lose is lost or asked about."""
_AT_A_LINE: Final = (PromptKind.TEXT, PromptKind.SECRET, PromptKind.CONFIRM, PromptKind.KEY)


def way_to_decline(prompt: PromptReading, look: Look, profile: Profile) -> str | None:
    """Return the key that declines a question, None where none is known.

    Its own rows say it best. A question at a line on the ordinary screen is left as the
    terminal itself offers it, by the interrupt key; a dialog that says nothing is not guessed.
    """
    if prompt.cancel_key is not None:
        return prompt.cancel_key
    kernel, fields = look.kernel, look.fields
    if is_finder(fields, "" if kernel is None else kernel.reader_command):
        return "Escape"
    if fields.alternate_on or profile.family is Family.COMPOSER:
        return None
    line_mode = kernel is not None and kernel.icanon is True
    return profile.interrupt if line_mode or prompt.kind in _AT_A_LINE else None


def declinable(
    reading: ScreenReading, belief: Belief, look: Look, profile: Profile
) -> tuple[ScreenReading, Belief]:
    """Return a look's reading and belief, their question with the key that declines it."""
    if reading.prompt is not None:
        key = way_to_decline(reading.prompt, look, profile)
        reading = attrs.evolve(reading, prompt=attrs.evolve(reading.prompt, cancel_key=key))
    if belief.prompt is not None:
        key = way_to_decline(belief.prompt, look, profile)
        belief = attrs.evolve(belief, prompt=attrs.evolve(belief.prompt, cancel_key=key))
    return reading, belief


def leaving_keys(state: State, look: Look | None) -> tuple[str, ...]:
    """Return the keys that end the program in front, () where an interrupt is the way."""
    if state not in (State.BUSY, State.SILENT, State.BOOTING) or look is None:
        return ()
    reader = look.kernel.reader_command if look.kernel is not None else ""
    return LEAVING_KEYS.get(look.fields.command) or LEAVING_KEYS.get(reader) or ()
