"""A whole look: which kind of evidence wins."""

from tests.screen.building import (
    AGENT,
    BASH,
    LINE_READ,
    UNKNOWN,
    composer_rule,
    look,
    profile,
    rule,
)

from panegate.panes.facts import ScreenKind
from panegate.screen.profile import Family, Region
from panegate.screen.read import read_screen

MENU = "Do you want to proceed?\n❯ 1. Yes\n  2. No\n"
BOX = "───────────\n❯ ‸\n───────────\n"
BUSY = rule(Region.LIVE_END, r"esc to interrupt", words="spinner")
CLI = profile(Family.COMPOSER, composer=composer_rule(("❯",)), busy=(BUSY,))


def test_a_composer_is_ready() -> None:
    reading = read_screen(look(BOX), CLI)
    assert reading.kind is ScreenKind.READY
    assert reading.words == "composer at row 1 after '❯ '"
    assert reading.composer is not None


def test_busy_beats_ready_and_the_composer_is_still_given() -> None:
    reading = read_screen(look("✻ Thinking… (esc to interrupt)\n" + BOX), CLI)
    assert reading.kind is ScreenKind.BUSY
    assert reading.words == "spinner at row 0"
    assert reading.composer is not None


def test_a_prompt_below_a_frozen_spinner_is_prompting() -> None:
    reading = read_screen(look("✻ Working… (esc to interrupt)\n\n" + MENU, shown=False), CLI)
    assert reading.kind is ScreenKind.PROMPTING
    assert reading.prompt is not None
    assert reading.prompt.question == "Do you want to proceed?"


def test_a_busy_row_below_a_question_is_busy() -> None:
    by = profile(Family.COMPOSER, busy=(rule(Region.LIVE_END, "Waiting for the model"),))
    reading = read_screen(look(MENU + "\n  Waiting for the model   3s\n", shown=False), by)
    assert reading.kind is ScreenKind.BUSY
    assert reading.prompt is None


def test_a_busy_title_beats_a_question_on_screen_and_an_asking_title_stands() -> None:
    by = profile(
        Family.COMPOSER,
        busy=(rule(Region.TITLE, "^[⠀-⣿]"),),
        prompting=(rule(Region.TITLE, "Action Required"),),
    )
    assert read_screen(look(MENU, shown=False, title="⠋ dir"), by).kind is ScreenKind.BUSY
    asking = read_screen(look(MENU, shown=False, title="[ ! ] Action Required"), by)
    assert asking.kind is ScreenKind.PROMPTING
    assert asking.prompt is not None
    assert asking.prompt.question == "Do you want to proceed?"


def test_a_ready_rule_counts_without_a_composer() -> None:
    by = profile(Family.COMPOSER, ready=(rule(Region.TITLE, "Ready", words="title"),))
    reading = read_screen(look("text", shown=False, title="◇ Ready (dir)"), by)
    assert reading.kind is ScreenKind.READY
    assert reading.words == "title in the title"
    assert reading.composer is None


def test_nothing_to_go_by_is_unknown() -> None:
    reading = read_screen(look("compiling foo.c\n‸"), UNKNOWN)
    assert reading.kind is ScreenKind.UNKNOWN
    assert reading.composer is None
    assert reading.prompt is None


def test_an_undeclared_line_read_is_prompting_though_a_glyph_is_seen() -> None:
    assert read_screen(look("> ‸", kernel=LINE_READ), UNKNOWN).kind is ScreenKind.PROMPTING
    assert read_screen(look("> ‸"), UNKNOWN).kind is ScreenKind.READY


def test_a_learned_prompt_reaches_the_composer_and_the_prompt_reader() -> None:
    seen = look("what now? ‸")
    assert read_screen(seen, BASH).kind is ScreenKind.PROMPTING
    reading = read_screen(seen, BASH, learned=("what now? ", 10))
    assert reading.kind is ScreenKind.READY


def test_the_body_is_blind_to_the_draft_and_the_frame_is_not() -> None:
    empty = read_screen(look("● Done\n" + BOX), AGENT)
    typed = read_screen(look("● Done\n" + BOX.replace("‸", "fix it‸")), AGENT)
    assert empty.body == typed.body
    assert empty.frame != typed.frame
    other = read_screen(look("● Gone\n" + BOX), AGENT)
    assert empty.body != other.body


def test_a_completion_popup_beside_a_draft_is_prompting_and_keeps_the_composer() -> None:
    screen = "───────────\n❯ /he‸\n───────────\n⟦r:/help    show help⟧\n/hello   greet\n"
    reading = read_screen(look(screen), AGENT)
    assert reading.kind is ScreenKind.PROMPTING
    assert reading.prompt is not None
    assert [option.highlighted for option in reading.prompt.options] == [True, False]
    assert reading.composer is not None
    assert reading.composer.text == "/he"


def test_what_must_stand_still_is_the_masked_body_where_the_profile_knows_work() -> None:
    clock = [read_screen(look(BOX + f"  up {n}s\n"), CLI).still for n in (1, 2)]
    assert clock[0] == clock[1] != ""
    assert read_screen(look("more\n" + BOX + "  up 1s\n"), CLI).still != clock[0]


def test_of_an_unknown_program_everything_but_its_composer_must_stand_still() -> None:
    def still(screen: str, title: str = "t") -> str:
        return read_screen(look(screen, title=title), UNKNOWN).still

    plain = still(BOX + "  up 1s\n")
    assert plain == still(BOX.replace("‸", "a draft‸") + "  up 1s\n") != ""
    assert plain != still(BOX + "  up 2s\n")
    assert plain != still(BOX + "  up 1s\n", title="⠋ t")
    assert plain != still(BOX + "  ⟦b:up 1s⟧\n")
