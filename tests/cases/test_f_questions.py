"""F. A question that was missed, or not shown whole."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.questions import until_asked
from tests.journeys.staging import WITHIN_S, Program, Stage, open_stage

import panegate as pg
from panegate.session.events import Prompt

from . import naive
from .asking import heard, held_back, next_event
from .conftest import ProfileWith
from .test_q_people import resized

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

SAME_TIME_S = 5.0
"""Within so long a question must be known as one."""
WORDINGS = (
    ("Action needed", "Grant the build a socket", "Leave it shut"),
    ("Heads up: this leaves the sandbox", "Carry on", "Stay inside"),
    ("Signature pending", "Sign with the team key", "Sign later"),
    ("The plan is ready for review", "Start the work", "Change the plan"),
    ("Two branches touch this file", "Take ours", "Take theirs"),
    ("A tool wants the network", "Let it out", "Keep it in"),
    ("Budget line crossed", "Spend on", "Halt"),
    ("Workspace not known yet", "Open it all the same", "Back to the list"),
    ("Which model for this", "The small one", "The large one"),
    ("Overwrite seven files", "Overwrite", "Keep them"),
    ("Elevated step ahead", "Elevate", "Skip"),
    ("Nothing was staged", "Stage it all", "Look first"),
)
LANGUAGES = {
    "de": ("Möchten Sie diesen Befehl ausführen?", "Ja, ausführen", "Nein, abbrechen"),
    "ja": ("このコマンドを実行しますか？", "はい、実行する", "いいえ、中止する"),
    "ar": ("هل تريد تنفيذ هذا الأمر؟", "نعم", "لا"),
    "el": ("Θέλετε να εκτελεστεί η εντολή;", "Ναι", "Όχι"),
}


@pytest.fixture
def soon(profile_with: ProfileWith) -> str:
    """A program without a profile, believed a little earlier."""
    return str(profile_with("generic", timing={"settle_s": 0.4}))


async def shown(stage: Stage, profile: str, text: str, **options: bool) -> tuple[Program, Prompt]:
    """Have a program paint *text* and wait for a key; return what it is found to ask."""
    file = stage.folder / f"text-{len(list(stage.folder.glob('text-*')))}"
    file.write_bytes(text.replace("\n", "\r\n").encode())
    launch = {"size": (80, 24)}
    program = await stage.program(
        "show", profile=profile, within_s=None, launch=launch, file=str(file), **options
    )
    await program.truth.wait_for("dialog_painted", WITHIN_S)
    return program, await asyncio.wait_for(until_asked(program.pane), SAME_TIME_S)


def labels(prompt: Prompt) -> list[str]:
    return [option.label for option in prompt.options]


@pytest.mark.asyncio
async def test_f01_twelve_wordings_that_nobody_knows_are_questions(
    tmp_path: Path, soon: str
) -> None:
    async def one(stage: Stage, title: str, first: str, second: str) -> None:
        text = f"{title}\n\n\x1b[7m❯ {first}\x1b[0m\n  {second}\n"
        program, prompt = await shown(stage, soon, text, hide_cursor=True)
        assert program.pane.state is pg.State.PROMPTING
        said = "\n".join(prompt.rows)
        assert all(words in f"{prompt.question}\n{said}" for words in (title, first, second))
        assert labels(prompt) == [first, second]
        refused = await held_back(
            program.pane, "go on", pg.Reason.PROMPTING, program.truth.received_bytes
        )
        assert refused.prompt is not None

    async with open_stage(tmp_path) as stage, asyncio.TaskGroup() as group:
        for wording in WORDINGS:
            group.create_task(one(stage, *wording))


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.asyncio
async def test_f02_rows_without_footer_or_question_mark_are_a_question(
    tmp_path: Path, soon: str, alternate: bool
) -> None:
    rows = ["Permit", "Permit all for now", "Refuse"]
    text = "\n".join(f"{n}. {row}" for n, row in enumerate(rows, 1))
    async with open_stage(tmp_path) as stage:
        _, prompt = await shown(stage, soon, text, hide_cursor=True, alternate=alternate)
        assert labels(prompt) == rows
        assert [option.key for option in prompt.options] == ["1", "2", "3"]
        assert "\n".join(row.rstrip() for row in prompt.rows) == text

        # Enter goes to whatever this may be
        plain = await naive.started(
            stage, "menu", until="dialog_painted", labels=rows, title="", glyph=" "
        )
        await plain.send("go on")
        await plain.truth.wait_for("chosen", WITHIN_S)
        assert plain.said("chosen")[0]["label"] == "Permit"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.asyncio
async def test_f03_a_question_in_another_language_is_kept_code_point_by_code_point(
    tmp_path: Path, soon: str, language: str
) -> None:
    question, *rows = LANGUAGES[language]
    text = "\n".join([question, f"❯ 1. {rows[0]}", f"  2. {rows[1]}", ""])
    async with open_stage(tmp_path) as stage:
        _, prompt = await shown(stage, soon, text, hide_cursor=True)
        assert prompt.question == question
        assert labels(prompt) == rows


@pytest.mark.asyncio
async def test_f04_words_that_escapes_put_apart_stay_apart(tmp_path: Path, soon: str) -> None:
    question = "Do you want to log in with the other account?"
    words, column, drawn = question.split(), 1, ""
    for at, word in enumerate(words):
        letters = "".join(f"\x1b[{31 + n % 6}m{letter}" for n, letter in enumerate(word))
        if at:
            drawn += f"\x1b[{column}G" if at % 2 else "\x1b[1C"
        drawn += letters
        column += len(word) + 1
    option = "\x1b[{row};1H\x1b[0m{mark}\x1b[3G{n}.\x1b[6GUse\x1b[10Gthe\x1b[14G{words}"
    rows = [
        option.format(row=2, mark="❯", n=1, words="first"),
        option.format(row=3, mark="", n=2, words="second"),
    ]
    assert " " not in drawn + "".join(rows)
    async with open_stage(tmp_path) as stage:
        text = "\x1b[H" + drawn + "".join(rows) + "\x1b[4;1H"
        _, prompt = await shown(stage, soon, text, hide_cursor=True)
        assert prompt.question == question
        assert labels(prompt) == ["Use the first", "Use the second"]
        assert "\x1b" not in "".join([prompt.question, *prompt.rows])


@pytest.mark.parametrize("profile", ["standin", "generic"])
@pytest.mark.asyncio
async def test_f06_a_question_that_its_program_clips_is_said_to_be_cut_and_stays_the_same(
    tmp_path: Path, profile_with: ProfileWith, profile: str
) -> None:
    """Its first rows are never drawn, so nobody can surface them."""
    question = f"Shall I {' '.join(f'take step {n} of it' for n in range(90))} and end?"
    settings = pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=0.3)
    async with open_stage(tmp_path, settings=settings) as stage:
        program = await stage.program(
            "composer",
            profile=str(profile_with(profile, timing={"settle_s": 0.5})),
            launch={"size": (80, 24)},
            ask_after_submit=50,
            dialog_question=question,
            dialog_options=["Yes", "No"],
        )
        pane, events = program.pane, stage.ctl.events()
        await pane.send("ask me", within_s=WITHIN_S)
        first = await until_asked(pane)
        assert first.unseen != ""
        assert first.question.endswith("and end?")
        called = await next_event(events, pg.Escalated)
        await resized(stage, program, 60, 20)
        async with asyncio.timeout(WITHIN_S):
            while pane.last_screen().columns != 60 or not pane.confirmed:
                await pane.next_touch()
        second = await until_asked(pane)
        assert (second.id, second.unseen) == (first.id, first.unseen)
        assert (second.question, labels(second)) == (first.question, ["Yes", "No"])
        receipt = await pane.answer(second.id, option="No", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert called.prompt is not None
        assert called.prompt.id == first.id
        more = await heard(events, pg.PromptOpened, pg.PromptChanged, pg.Escalated)
        assert more == []


@pytest.mark.asyncio
async def test_f07_four_answers_are_shown_as_they_are_and_taken_by_name(tmp_path: Path) -> None:
    four = ["North", "East", "South", "West"]
    async with open_stage(tmp_path) as stage:
        program = await stage.program("menu", labels=four)
        prompt = await until_asked(program.pane)
        assert labels(prompt) == four
        assert prompt.default in (None, "1", "North")
        for generic in ("allow", "yes", "y", "approve"):
            with pytest.raises(pg.Refused) as refused:
                await program.pane.answer(prompt.id, option=generic, by="tester")
            assert refused.value.reason is pg.Reason.NO_SUCH_OPTION
        assert program.truth.received_bytes() == b""
        receipt = await program.pane.answer(prompt.id, option="South", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await program.truth.wait_for("chosen", WITHIN_S)
        assert [e["label"] for e in program.said("chosen")] == ["South"]

        plain = await naive.started(stage, "menu", until="dialog_painted", labels=four)
        await plain.send("allow")
        await plain.truth.wait_for("chosen", WITHIN_S)
        assert plain.said("chosen")[0]["label"] == "North"
