"""Questions in texts are no prompts: whoever prints them, and whatever stands below."""

from collections.abc import Callable, Sequence

import pytest
from tests.screen.building import AGENT, BASH, LINE_READ, NOT_READING, RAW_READ, UNKNOWN, look
from tests.screen.prose import Text, draw, question_rows
from wcwidth import wcwidth

from panegate.panes.facts import KernelFact, Look, ScreenKind
from panegate.screen.profile import Profile
from panegate.screen.read import read_screen

N_TEXTS = 300
HEIGHT = 24
BOX = "╭{0}╮", "│ > {1}│", "╰{0}╯"


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return draw(N_TEXTS, seed=7)


def wrapped(rows: Sequence[str], width: int) -> list[str]:
    """Break rows at the width, as a terminal does."""
    out: list[str] = []
    for row in rows:
        line, used = "", 0
        for character in row:
            cells = max(0, wcwidth(character))
            if used + cells > width:
                out.append(line)
                line, used = "", 0
            line, used = line + character, used + cells
        out.append(line)
    return out


def printed(rows: list[str], width: int, kernel: KernelFact | None) -> Look:
    """A program that prints, and goes on with something that is not to be seen."""
    shown = rows[-(HEIGHT - 1) :]
    return look([*shown, ""], width=width, height=HEIGHT, cursor=(len(shown), 0), kernel=kernel)


def unfinished(rows: list[str], width: int, kernel: KernelFact | None) -> Look:
    """The same, and its last row has no end yet."""
    shown = rows[-HEIGHT:]
    return look(shown, width=width, height=HEIGHT, kernel=kernel)


def at_a_shell(rows: list[str], width: int, kernel: KernelFact | None) -> Look:
    shown = [*rows[-(HEIGHT - 1) :], "user@host:~$ "]
    at = (len(shown) - 1, 13)
    return look(shown, width=width, height=HEIGHT, cursor=at, kernel=kernel, command="bash")


def over_a_box(rows: list[str], width: int, kernel: KernelFact | None) -> Look:
    box = [row.format("─" * (width - 2), " " * (width - 5)) for row in BOX]
    shown = [*rows[-(HEIGHT - 5) :], "", *box]
    at = (len(shown) - 2, 4)
    return look(shown, width=width, height=HEIGHT, cursor=at, kernel=kernel, alternate=True)


def over_a_spinner(rows: list[str], width: int, kernel: KernelFact | None) -> Look:
    shown = [*rows[-(HEIGHT - 3) :], "", "✻ Working… (12s)"]
    return look(shown, width=width, height=HEIGHT, shown=False, kernel=kernel, alternate=True)


Scene = Callable[[list[str], int, KernelFact | None], Look]
SCENES: list[tuple[Scene, KernelFact | None, Profile, ScreenKind]] = [
    (printed, None, UNKNOWN, ScreenKind.UNKNOWN),
    (printed, NOT_READING, UNKNOWN, ScreenKind.UNKNOWN),
    (unfinished, NOT_READING, UNKNOWN, ScreenKind.UNKNOWN),
    (at_a_shell, RAW_READ, BASH, ScreenKind.READY),
    (at_a_shell, RAW_READ, UNKNOWN, ScreenKind.READY),
    (at_a_shell, None, BASH, ScreenKind.READY),
    (at_a_shell, LINE_READ, BASH, ScreenKind.READY),
    (over_a_box, None, UNKNOWN, ScreenKind.READY),
    (over_a_box, RAW_READ, UNKNOWN, ScreenKind.READY),
    (over_a_box, RAW_READ, AGENT, ScreenKind.READY),
    (over_a_spinner, None, UNKNOWN, ScreenKind.UNKNOWN),
    (over_a_spinner, RAW_READ, AGENT, ScreenKind.UNKNOWN),
]


def test_the_texts_do_contain_questions(texts: list[Text]) -> None:
    assert len(texts) == N_TEXTS
    assert all(question_rows(rows) for _, rows in texts)
    assert len({name.split(":")[0] for name, _ in texts}) >= 8
    assert any("?" in rows[-1] for _, rows in texts)


@pytest.mark.parametrize("width", [100, 40])
@pytest.mark.parametrize(
    ("scene", "kernel", "by", "kind"),
    SCENES,
    ids=[
        f"{s.__name__}-{'-' if k is None else k.wait.value}-{b.family.value}"
        for s, k, b, _ in SCENES
    ],
)
def test_no_text_is_a_prompt(
    texts: list[Text],
    width: int,
    scene: Scene,
    kernel: KernelFact | None,
    by: Profile,
    kind: ScreenKind,
) -> None:
    prompts, others = {}, {}
    for name, rows in texts:
        seen = scene(wrapped(rows, width), width, kernel)
        reading = read_screen(seen, by)
        if reading.kind is ScreenKind.PROMPTING:
            prompts[name] = reading.words
        elif kind is ScreenKind.READY is not reading.kind:
            others[name] = reading.words
    assert prompts == {}
    assert others == {}
