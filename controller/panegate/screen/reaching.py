"""Questions taller than the screen: read on in the history above it."""

import attrs

from panegate.panes.facts import ComposerReading, KernelFact, Look
from panegate.screen.grid import Grid
from panegate.screen.profile import Profile
from panegate.screen.prompts import PlacedPrompt, place_prompt

__all__ = ["reach_up"]


def reach_up(
    placed: PlacedPrompt,
    look: Look,
    profile: Profile,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
) -> PlacedPrompt:
    """Return a prompt with the words that stand above the screen, as far as the look has them.

    Its options and its place stay those of the screen; what is read above it must lead to the
    same ones.
    """
    n = len(look.above)
    if n == 0:
        return placed
    fields = attrs.evolve(
        look.fields,
        cursor_y=look.fields.cursor_y + n,
        height=look.fields.height + n,
        history_size=max(0, look.fields.history_size - n),
    )
    tall = Grid((*look.above, *look.rows), width=fields.width, height=fields.height)
    if composer is not None:
        composer = attrs.evolve(composer, row=composer.row + n, last_row=composer.last_row + n)
    whole = place_prompt(tall, fields, profile, kernel, composer)
    if whole is None or whole.prompt.kind is not placed.prompt.kind:
        return placed
    if _choices(whole) != _choices(placed):
        return placed
    prompt = attrs.evolve(
        placed.prompt,
        question=whole.prompt.question,
        context=whole.prompt.context,
        rows=whole.prompt.rows,
        cut=whole.prompt.cut,
        fingerprint=whole.prompt.fingerprint,
    )
    return attrs.evolve(placed, prompt=prompt)


def _choices(placed: PlacedPrompt) -> list[tuple[str, str]]:
    return [(option.key, option.label) for option in placed.prompt.options]
