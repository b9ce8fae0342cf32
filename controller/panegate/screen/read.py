"""One look turned into a reading of the screen."""

from hashlib import blake2b

import attrs

from panegate.panes.facts import ComposerReading, Look, ScreenKind, ScreenReading, TtyWait
from panegate.screen.composer import find_composer
from panegate.screen.frame import frames
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile
from panegate.screen.prompts import PlacedPrompt, place_prompt
from panegate.screen.reaching import reach_up
from panegate.screen.rules import RuleMatch, first_match

__all__ = ["read_screen"]


def read_screen(
    look: Look,
    profile: Profile,
    *,
    learned: tuple[str, int] | None = None,
    learned_row: int | None = None,
    grid: Grid | None = None,
) -> ScreenReading:
    """Say what a screen looks like: prompting, busy, ready, or unknown.

    A prompt counts unless a busy rule matches below it; busy beats ready. The composer
    is given wherever one is seen, whatever the kind.

    Args:
        look: The rows and the fields of one instant.
        profile: Rules and prompts of the program.
        learned: A shell's prompt text and the column where its input begins.
        learned_row: The row that prompt stands on, while its line editor has the line; see
            `find_composer`.
        grid: The look's rows where they were read already.

    """
    grid = Grid.from_look(look) if grid is None else grid
    fields = look.fields
    composer = find_composer(
        grid,
        fields,
        profile,
        learned=learned,
        learned_row=learned_row,
        reader="" if look.kernel is None else look.kernel.reader_command,
    )
    prompt = place_prompt(grid, fields, profile, look.kernel, composer)
    drawn, unsaid = prompt, look.kernel
    if prompt is None and look.kernel is not None and look.kernel.wait is TtyWait.ABSENT:
        unsaid = attrs.evolve(look.kernel, wait=TtyWait.UNKNOWN)
        drawn = place_prompt(grid, fields, profile, unsaid, composer)
    reaches_up = drawn is not None and drawn.prompt.cut
    if drawn is not None and reaches_up and look.above:
        kernel = look.kernel if drawn is prompt else unsaid
        drawn = reach_up(drawn, look, profile, kernel, composer)
        prompt = None if prompt is None else drawn
    busy = first_match(profile.busy, grid, fields, composer)
    kind, words = _decide(prompt, busy)
    if kind is ScreenKind.PROMPTING and prompt is not None and _in_line_editor(prompt, profile):
        composer = None
    hidden = look.kernel is not None and look.kernel.icanon and look.kernel.echo is False
    if hidden or (kind is ScreenKind.PROMPTING and prompt is not None and prompt.prompt.secret):
        composer = None  # what is typed is not shown, so nothing that is shown is a draft
    if kind is ScreenKind.UNKNOWN:
        ready = first_match(profile.ready, grid, fields, composer)
        if composer is not None:
            kind, words = ScreenKind.READY, _composer_words(composer)
        elif ready is not None:
            kind, words = ScreenKind.READY, ready.words
    whole, body = frames(grid, None if composer is None else (composer.row, composer.last_row))
    return ScreenReading(
        kind=kind,
        words=words,
        composer=composer,
        prompt=prompt.prompt if kind is ScreenKind.PROMPTING and prompt is not None else None,
        shown=drawn.prompt if drawn is not None and _stands(drawn, busy) else None,
        reaches_up=reaches_up,
        frame=whole,
        body=body,
        still=body if profile.busy else _picture(look, composer),
    )


def _picture(look: Look, composer: ComposerReading | None) -> str:
    """Digest everything but the composer: any of it may be how an unknown program shows work."""
    rows = look.rows
    if composer is not None:
        rows = rows[: composer.row] + rows[composer.last_row + 1 :]
    seen = b"\n".join((*rows, look.fields.title.encode("utf-8", "replace")))
    return blake2b(seen, digest_size=16).hexdigest()


def _stands(prompt: PlacedPrompt, busy: RuleMatch | None) -> bool:
    return busy is None or busy.row <= prompt.last


def _in_line_editor(prompt: PlacedPrompt, profile: Profile) -> bool:
    """A question of the line editor itself, such as whether to list all completions."""
    return prompt.by_profile and profile.family in (Family.SHELL, Family.REPL)


def _decide(prompt: PlacedPrompt | None, busy: RuleMatch | None) -> tuple[ScreenKind, str]:
    if prompt is not None and _stands(prompt, busy):
        return ScreenKind.PROMPTING, prompt.words
    if busy is not None:
        return ScreenKind.BUSY, busy.words
    return ScreenKind.UNKNOWN, "neither an input area nor a question is seen"


def _composer_words(composer: ComposerReading) -> str:
    before = f" after {composer.prompt_text!r}" if composer.prompt_text else ""
    holds = f", holding {composer.text[:40]!r}" if composer.text else ""
    return f"composer at row {composer.row}{before}{holds}"
