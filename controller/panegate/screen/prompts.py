"""The question a program waits on, read off the live end of its screen."""

import attrs

from panegate.panes.facts import (
    ComposerReading,
    KernelFact,
    PaneFields,
    PromptReading,
    TtyWait,
)
from panegate.screen.applications import is_application
from panegate.screen.composer import find_composer
from panegate.screen.dialogs import find_dialog
from panegate.screen.drawn_rows import read_drawn
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.menus import MenuPrompt, find_menu
from panegate.screen.profile import Family, Profile
from panegate.screen.prompt_rows import (
    RowPrompt,
    read_key_invitation,
    read_listed,
    read_pager,
    read_question,
    read_secret,
)
from panegate.screen.rules import RuleMatch, first_match
from panegate.screen.wording import cancel_key, fingerprint
from panegate.terms import PromptKind

__all__ = ["PlacedPrompt", "place_prompt", "read_prompt"]


@attrs.frozen(kw_only=True)
class PlacedPrompt:
    """A prompt and the rows it takes."""

    prompt: PromptReading
    first: int
    last: int
    words: str
    by_profile: bool = False


def read_prompt(
    grid: Grid,
    fields: PaneFields,
    profile: Profile,
    kernel: KernelFact | None,
    *,
    learned: tuple[str, int] | None = None,
) -> PromptReading | None:
    """Return the question at the live end of the screen, or None.

    A question is where the cursor or the selection is, with nothing but footers below
    it, in a program that may be reading: questions quoted in text above an input area,
    finished dialogs and shell prompts are none. The kernel's word that nobody waits on
    the terminal outweighs the screen.

    Args:
        grid: The screen.
        fields: For the cursor, the alternate screen and the foreground command.
        profile: Its prompting rules come first; then structure decides.
        kernel: What the terminal probe says, where there is one.
        learned: As for `find_composer`.

    """
    reader = "" if kernel is None else kernel.reader_command
    composer = find_composer(grid, fields, profile, learned=learned, reader=reader)
    placed = place_prompt(grid, fields, profile, kernel, composer)
    return None if placed is None else placed.prompt


def place_prompt(
    grid: Grid,
    fields: PaneFields,
    profile: Profile,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
) -> PlacedPrompt | None:
    """Do the work of `read_prompt` with a composer already looked for."""
    if kernel is not None and kernel.wait is TtyWait.ABSENT:
        return None
    layout = Layout(grid)
    ruled = first_match(profile.prompting, grid, fields, composer)
    if ruled is not None:
        placed: PlacedPrompt | None = _by_rule(layout, fields, kernel, ruled)
    else:
        placed = _by_structure(layout, fields, profile, kernel, composer)
    if placed is None or not _is_cut(layout, fields, placed):
        return placed
    return attrs.evolve(placed, prompt=attrs.evolve(placed.prompt, cut=True))


def _is_cut(layout: Layout, fields: PaneFields, placed: PlacedPrompt) -> bool:
    """Whether a prompt may begin above the screen.

    On the alternate screen nothing is kept of what left it, so there only a frame without its
    head says so, or words that fill the screen down to its last row.
    """
    top, prompt = layout.view(0), placed.prompt
    if placed.first != 0 or prompt.kind is PromptKind.PAGER or not top.text:
        return False
    if not fields.alternate_on:
        return fields.history_size > 0
    fills = len(prompt.rows) >= fields.height
    listed = any(option.label in prompt.rows[0] for option in prompt.options if option.label)
    return top.boxed or (fills and not listed)


def _by_rule(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None, ruled: RuleMatch
) -> PlacedPrompt:
    """The profile names the screen; structure fills in what it can."""
    found = _generic(layout, fields, kernel, None)
    if found is None:
        last = layout.grid.last_row
        row = min(ruled.row, last)
        first = row
        while first > 0 and row - first < 12 and layout.view(first - 1).text:
            first -= 1
        context = [layout.view(each).text for each in range(first, row)]
        found = _placed(
            layout,
            RowPrompt(
                kind=ruled.rule.kind or PromptKind.MENU,
                question=layout.view(row).text or fields.title,
                context="\n".join(context),
                first=max(first, 0),
                last=max(last, 0),
            ),
        )
    prompt = found.prompt
    kind = ruled.rule.kind or prompt.kind
    prompt = attrs.evolve(
        prompt,
        kind=kind,
        secret=prompt.secret or kind is PromptKind.SECRET,
        fingerprint=fingerprint(kind, prompt.question, prompt.context, prompt.options),
    )
    last = max(found.last, ruled.row)
    return attrs.evolve(found, prompt=prompt, last=last, words=ruled.words, by_profile=True)


def _by_structure(
    layout: Layout,
    fields: PaneFields,
    profile: Profile,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
) -> PlacedPrompt | None:
    hidden = kernel is not None and kernel.icanon is True and kernel.echo is False
    if hidden:
        secret = read_secret(layout, fields, kernel)
        return None if secret is None else _placed(layout, secret)
    undeclared = profile.family is Family.UNKNOWN and not profile.reads_lines
    if composer is not None and undeclared and _line_read(kernel):
        composer = None  # An undeclared line reader asks; only a declared one is ready.
    by_name = profile.family is not Family.COMPOSER
    reader = "" if kernel is None else kernel.reader_command
    if composer is None and is_application(layout.grid, fields, by_name=by_name, reader=reader):
        invited = read_key_invitation(layout, fields, kernel) or read_listed(layout, fields)
        return None if invited is None else _placed(layout, invited)
    modal = profile.family is Family.UNKNOWN
    if modal and composer is not None and composer.text:
        secret = read_secret(layout, fields, kernel)  # "[sudo] " looks like a prompt of a shell
        if secret is not None:
            return _placed(layout, secret)
    return _generic(layout, fields, kernel, composer, modal=modal)


def _line_read(kernel: KernelFact | None) -> bool:
    return kernel is not None and kernel.icanon is True and kernel.wait is TtyWait.READ


def _generic(
    layout: Layout,
    fields: PaneFields,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
    *,
    modal: bool = False,
) -> PlacedPrompt | None:
    """The first reader that knows the live end's shape."""
    if composer is not None:
        menu = find_menu(layout, fields, kernel, composer, modal=modal)
        return None if menu is None else _placed(layout, menu)
    found: RowPrompt | MenuPrompt | None = (
        read_secret(layout, fields, kernel)
        or read_pager(layout, fields, kernel)
        or _framed(layout, fields)
        or read_drawn(layout, fields)
        or find_menu(layout, fields, kernel, None)
        or read_question(layout, fields, kernel)
        or read_key_invitation(layout, fields, kernel)
    )
    return None if found is None else _placed(layout, found)


def _framed(layout: Layout, fields: PaneFields) -> RowPrompt | None:
    dialog = find_dialog(layout, fields)
    if dialog is None:
        return None
    return RowPrompt(
        kind=dialog.kind,
        question=dialog.question,
        context=dialog.context,
        options=dialog.options,
        default=dialog.default,
        secret=dialog.secret,
        many=dialog.many,
        declines="Escape",
        first=dialog.first,
        last=dialog.last,
    )


def _placed(layout: Layout, found: RowPrompt | MenuPrompt) -> PlacedPrompt:
    grid = layout.grid
    last = max(found.last, found.footer_last if isinstance(found, MenuPrompt) else found.last)
    rows = tuple(grid.text(row) for row in range(found.first, last + 1))
    declines = cancel_key(rows)
    if declines is None and isinstance(found, RowPrompt):
        declines = found.declines
    if found.kind is PromptKind.PAGER:
        declines = "q"
    prompt = PromptReading(
        kind=found.kind,
        question=found.question,
        context=found.context,
        options=found.options,
        default=found.default,
        secret=found.secret,
        rows=rows,
        fingerprint=fingerprint(found.kind, found.question, found.context, found.options),
        cancel_key=declines,
        submits=found.submits,
        many=found.many,
    )
    words = f"{found.kind.value} at rows {found.first}-{found.last}: {found.question[:80]!r}"
    return PlacedPrompt(prompt=prompt, first=found.first, last=found.last, words=words)
