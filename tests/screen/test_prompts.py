"""Questions at the live end of a screen, and what only looks like one."""

import pytest
from tests.screen.building import (
    AGENT,
    BASH,
    HIDDEN_READ,
    LINE_READ,
    NOT_READING,
    PYTHON,
    RAW_READ,
    UNKNOWN,
    look,
    profile,
    rule,
)

from panegate.panes.facts import KernelFact, Look, ProbeLevel, PromptReading, TtyWait
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile, Region
from panegate.screen.prompts import read_prompt
from panegate.terms import PromptKind

UNPROBED = KernelFact(level=ProbeLevel.TERMIOS, echo=True, icanon=True)


def read(seen: Look, by: Profile = UNKNOWN) -> PromptReading | None:
    return read_prompt(Grid.from_look(seen), seen.fields, by, seen.kernel)


def asked(seen: Look, by: Profile = UNKNOWN) -> PromptReading:
    prompt = read(seen, by)
    assert prompt is not None
    return prompt


def labels(prompt: PromptReading) -> list[str]:
    return [option.label for option in prompt.options]


def keys(prompt: PromptReading) -> list[str]:
    return [option.key for option in prompt.options]


BOXED = """
● I will remove the build folder.

╭──────────────────────────────────────────────────────────╮
│ Bash command                                             │
│                                                          │
│   rm -rf build                                           │
│   Remove the build folder                                │
│                                                          │
│ Do you want to proceed?                                  │
│ ❯ 1. Yes                                                 │
│   2. Yes, and don't ask again for rm commands in         │
│      /srv/project                                        │
│   3. No, and say what to do differently (esc)            │
╰──────────────────────────────────────────────────────────╯
  Esc to cancel · Tab to amend
"""
RULED = """
❯ remove the build folder

● I will remove it.

────────────────────────────────────────────────────────────
 Bash command

   rm -rf build

 Do you want to proceed?
 ❯ 1. Yes
   2. No, and say what to do differently (esc)

 Esc to cancel
"""
BELOW_THE_QUESTION = """
› remove the build folder

• Working on it

  Would you like to run the following command?

  Reason: the folder is stale

  $ rm -rf build

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with `rm` (p)
  3. No, and say what to do differently (esc)

  Press enter to confirm or esc to cancel
"""
OPEN_FRAME = """
◇  Project name: demo
│
◆  Which framework?
│  ● Vanilla
│  ○ React
│  ○ Vue
└
"""
INQUIRER = """
user@host:~$ npm create thing
? Which framework? (Use arrow keys)
❯ React
  Vue
  Svelte
"""
ACROSS = """
┃  △ Permission required
┃    Shell command
┃  $ rm -rf build
┃
┃  ⟦bg3: Allow once ⟧   Allow always    Reject          ⇆ select  enter confirm
"""


@pytest.mark.parametrize("seen", [look(BOXED, shown=False), look(RULED, shown=False)])
def test_a_framed_permission_gives_question_context_and_options(seen: Look) -> None:
    prompt = asked(seen)
    assert prompt.kind is PromptKind.PERMISSION
    assert prompt.question == "Do you want to proceed?"
    assert prompt.context.startswith("Bash command\n  rm -rf build")
    assert keys(prompt) == ["1", "2", "3"][: len(prompt.options)]
    assert prompt.options[0].highlighted
    assert not prompt.options[1].highlighted
    assert prompt.default == "1"
    assert prompt.cancel_key == "Escape"
    assert not prompt.submits


def test_an_option_over_two_rows_is_one_option() -> None:
    prompt = asked(look(BOXED, shown=False))
    assert labels(prompt) == [
        "Yes",
        "Yes, and don't ask again for rm commands in /srv/project",
        "No, and say what to do differently (esc)",
    ]


def test_rows_are_verbatim_down_to_the_footer() -> None:
    prompt = asked(look(BOXED, shown=False))
    assert "│ ❯ 1. Yes                                                 │" in prompt.rows
    assert prompt.rows[-1].strip("\n") == "  Esc to cancel · Tab to amend"


def test_a_question_above_its_command_is_still_the_question() -> None:
    prompt = asked(look(BELOW_THE_QUESTION, shown=False))
    assert prompt.question == "Would you like to run the following command?"
    assert prompt.context == "Reason: the folder is stale\n$ rm -rf build"
    assert keys(prompt) == ["1", "2", "3"]
    assert prompt.kind is PromptKind.PERMISSION


def test_an_open_frame_with_radio_glyphs_is_a_menu() -> None:
    prompt = asked(look(OPEN_FRAME, shown=False))
    assert prompt.question.endswith("Which framework?")
    assert labels(prompt) == ["Vanilla", "React", "Vue"]
    assert [option.highlighted for option in prompt.options] == [True, False, False]


def test_a_menu_under_a_shell_line_leaves_the_shell_line_out() -> None:
    prompt = asked(look(INQUIRER, shown=False))
    assert prompt.question == "? Which framework? (Use arrow keys)"
    assert labels(prompt) == ["React", "Vue", "Svelte"]
    assert "npm create" not in prompt.context


def test_options_side_by_side_are_told_by_their_ground() -> None:
    prompt = asked(look(ACROSS, shown=False, alternate=True))
    assert labels(prompt) == ["Allow once", "Allow always", "Reject"]
    assert prompt.options[0].highlighted
    assert "rm -rf build" in "\n".join(prompt.rows)
    assert prompt.kind is PromptKind.PERMISSION


def test_four_plain_labels_stay_as_they_are() -> None:
    prompt = asked(look("Pick a direction\n\n❯ North\n  East\n  South\n  West\n", shown=False))
    assert labels(prompt) == ["North", "East", "South", "West"]
    assert prompt.question == "Pick a direction"
    assert prompt.kind is PromptKind.MENU
    assert prompt.default == "North"


def test_numbered_rows_without_any_mark_are_a_menu_when_the_cursor_is_hidden() -> None:
    prompt = asked(
        look("Tool wants to run\n\n1. Permit\n2. Permit all for now\n3. Refuse\n", shown=False)
    )
    assert labels(prompt) == ["Permit", "Permit all for now", "Refuse"]


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Approval pending", "Continue working"),
        ("Eingriff nötig", "Weiter"),
        ("Gate closed", "Open it"),
        ("Mystery box", "Take"),
        ("Achtung!", "Ja"),
        ("Tool asks", "Go"),
    ],
)
@pytest.mark.parametrize("cursor", ["hidden", "behind", "below"])
def test_a_wording_never_seen_before_with_one_highlighted_row_is_a_prompt(
    title: str, words: str, cursor: str
) -> None:
    end = {"hidden": "", "behind": "‸", "below": "\n‸"}[cursor]
    text = f"{title}\n  fetch wants example.org\n  port 443\n⟦r:  {words}  ⟧{end}"
    prompt = asked(look(text, shown=cursor != "hidden"))
    assert title in "\n".join(prompt.rows)
    assert any(words in option.label for option in prompt.options)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Möchten Sie die Datei löschen?", ("Ja, löschen", "Nein")),
        ("このファイルを削除しますか？", ("はい", "いいえ")),
        ("هل تريد حذف الملف؟", ("نعم", "لا")),
        ("Διαγραφή του αρχείου;", ("Ναι", "Όχι")),
    ],
)
@pytest.mark.parametrize("numbered", [True, False])
def test_a_question_in_another_language_is_kept_code_point_by_code_point(
    question: str, options: tuple[str, str], numbered: bool
) -> None:
    rows = [f"  {n}. {o}" if numbered else f"  {o}" for n, o in enumerate(options, 1)]
    prompt = asked(look([question, *rows], shown=False))
    assert prompt.question == question
    assert labels(prompt) == list(options)


def test_a_checkbox_menu_says_what_is_ticked_and_keeps_its_fingerprint() -> None:
    text = (
        "Which parts?\n❯ [ ] core\n  [x] docs\n  [ ] tests\n\nspace to toggle, enter to confirm\n"
    )
    before = asked(look(text, shown=False))
    after = asked(look(text.replace("❯ [ ] core", "❯ [x] core"), shown=False))
    assert labels(before) == ["core", "docs", "tests"]
    assert [option.ticked for option in before.options] == [False, True, False]
    assert [option.ticked for option in after.options] == [True, True, False]
    assert before.many
    assert before.default is None
    assert before.kind is PromptKind.MENU
    assert before.fingerprint == after.fingerprint


def test_moving_the_highlight_keeps_the_fingerprint() -> None:
    up = asked(look("Go on?\n❯ 1. Yes\n  2. No\n", shown=False))
    down = asked(look("Go on?\n  1. Yes\n❯ 2. No\n", shown=False))
    assert up.fingerprint == down.fingerprint
    assert up.default == "1"
    assert down.default == "2"


def test_another_number_in_the_question_changes_the_fingerprint() -> None:
    few = asked(look("Delete 3 files?\n❯ 1. Yes\n  2. No\n", shown=False))
    many = asked(look("Delete 300 files?\n❯ 1. Yes\n  2. No\n", shown=False))
    assert few.fingerprint != many.fingerprint


def test_a_clock_in_the_context_does_not_change_the_fingerprint() -> None:
    text = "────────────\n waiting 12s\n Go on?\n ❯ 1. Yes\n   2. No\n"
    first = asked(look(text, shown=False))
    later = asked(look(text.replace("12s", "59s"), shown=False))
    assert "waiting" in first.context
    assert first.fingerprint == later.fingerprint


def test_rewrapping_keeps_the_fingerprint() -> None:
    words = "Do you want to let this tool write to the configuration of the whole machine?"
    wide = asked(look([words, "❯ 1. Yes", "  2. No"], shown=False))
    narrow = asked(
        look(
            [words[:38].rstrip(), words[38:].strip(), "❯ 1. Yes", "  2. No"], width=40, shown=False
        )
    )
    assert narrow.question == words
    assert wide.fingerprint == narrow.fingerprint


def test_a_word_broken_at_the_edge_is_joined_without_a_blank() -> None:
    url = "https://example.org/" + "a" * 100
    rows = [f"Open {url}"[:50], f"Open {url}"[50:100], f"Open {url}"[100:] + "?", "❯ Yes", "  No"]
    prompt = asked(look(rows, width=50, shown=False))
    assert prompt.question == f"Open {url}?"


def test_a_dialog_in_forty_columns_is_read() -> None:
    rows = """
╭──────────────────────────────────────╮
│ Run a command                        │
│   git push --force origin main       │
│ Do you want to let the tool run this │
│ command now?                         │
│ ❯ 1. Yes                             │
│   2. Yes, and do not ask again for   │
│      git commands                    │
│   3. No                              │
╰──────────────────────────────────────╯
"""
    prompt = asked(look(rows, width=40, height=16, shown=False))
    assert prompt.question == "Do you want to let the tool run this command now?"
    assert labels(prompt)[1] == "Yes, and do not ask again for git commands"


@pytest.mark.parametrize(
    ("row", "keys_", "default"),
    [
        ("Overwrite config? [y/N] ‸", ["y", "N"], "N"),
        (
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ‸",
            ["yes", "no", "fingerprint"],
            None,
        ),
        ("Do you want to continue? [Y/n/q] ‸", ["Y", "n", "q"], "Y"),
        ("Weitermachen? (j/N): ‸", ["j", "N"], "N"),
        ("Stage this hunk [y,n,q,a,d,e,?]? ‸", ["y", "n", "q", "a", "d", "e", "?"], None),
        ("Continue y/n? ‸", ["y", "n"], None),
        ("Run it? (Y)es/(N)o/(D)on't ask again [Yes]: ‸", ["Y", "N", "D"], "Yes"),
    ],
)
@pytest.mark.parametrize("kernel", [None, LINE_READ, RAW_READ, UNPROBED])
def test_choices_behind_a_question_are_its_options(
    row: str, keys_: list[str], default: str | None, kernel: KernelFact | None
) -> None:
    prompt = asked(look(f"some output\n\n{row}", kernel=kernel))
    assert keys(prompt) == keys_
    assert prompt.default == default
    assert prompt.question == row.replace("‸", "").strip()


def test_a_half_typed_answer_does_not_change_the_prompt() -> None:
    empty = asked(look("Overwrite? [y/N] ‸", kernel=LINE_READ))
    typed = asked(look("Overwrite? [y/N] ye‸", kernel=LINE_READ))
    assert empty.fingerprint == typed.fingerprint
    name = asked(look("Your name: ‸", kernel=LINE_READ))
    half = asked(look("Your name: Bob‸", kernel=LINE_READ))
    assert name.fingerprint == half.fingerprint


def test_a_hunk_is_the_context_of_its_question() -> None:
    seen = look("$ git add -p\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n(1/1) Stage this hunk [y,n,q]? ‸")
    prompt = asked(seen)
    assert prompt.context == "@@ -1,2 +1,2 @@\n a\n-b\n+c"
    assert prompt.kind is PromptKind.CONFIRM


def test_echo_off_in_line_mode_is_a_secret() -> None:
    prompt = asked(look("[sudo] Kennwort für u: ‸", kernel=HIDDEN_READ))
    assert prompt.kind is PromptKind.SECRET
    assert prompt.secret
    assert prompt.question == "[sudo] Kennwort für u:"


@pytest.mark.parametrize(
    "row", ["Enter passphrase (empty for no passphrase): ‸", "Password:‸", "API key: ****‸"]
)
def test_the_words_of_a_secret_count_without_the_kernel(row: str) -> None:
    assert asked(look(row)).secret


def test_a_visible_line_read_is_no_secret_whatever_it_is_called() -> None:
    prompt = asked(look("New password policy name: ‸", kernel=LINE_READ))
    assert prompt.kind is PromptKind.TEXT
    assert not prompt.secret


def test_a_blocked_line_read_asks_even_without_words() -> None:
    prompt = asked(look("What is your name?\n‸", kernel=LINE_READ))
    assert prompt.kind is PromptKind.TEXT
    assert prompt.question == "What is your name?"
    assert asked(look("‸", kernel=LINE_READ)).question == ""


def test_a_declared_line_reader_is_not_asking_at_its_prompt_text() -> None:
    declared = profile(Family.LINES, prompts=("> ",), reads_lines=True)
    assert read(look("> ‸", kernel=LINE_READ), declared) is None
    assert asked(look("Allow? [y/n]: ‸", kernel=LINE_READ), declared).options[0].key == "y"


def test_a_declared_line_reader_is_not_asking_at_an_empty_row() -> None:
    declared = profile(Family.LINES, reads_lines=True, at_empty_row=True)
    assert read(look("out\n‸", kernel=LINE_READ), declared) is None
    assert read(look("out\n‸", kernel=LINE_READ), profile(Family.LINES)) is not None


def test_an_undeclared_line_reader_at_a_glyph_is_asking() -> None:
    assert asked(look("> ‸", kernel=LINE_READ)).kind is PromptKind.TEXT
    assert read(look("> ‸", kernel=LINE_READ), profile(reads_lines=True)) is None


def test_a_numbered_list_over_an_answer_line_is_a_menu() -> None:
    seen = look("Fruit\n1) Apple\n2) Banana\n3) Cherry\n#? ‸", kernel=LINE_READ)
    prompt = asked(seen)
    assert prompt.kind is PromptKind.MENU
    assert keys(prompt) == ["1", "2", "3"]
    assert labels(prompt) == ["Apple", "Banana", "Cherry"]
    assert prompt.question == "#?"
    assert prompt.submits


@pytest.mark.parametrize("kernel", [None, RAW_READ])
def test_a_raw_question_with_a_default_is_text(kernel: KernelFact | None) -> None:
    prompt = asked(
        look("This utility will walk you through it.\n\npackage name: (demo) ‸", kernel=kernel)
    )
    assert prompt.kind is PromptKind.TEXT
    assert prompt.default == "demo"


def test_a_word_to_type_is_a_text_prompt() -> None:
    prompt = asked(look("Type DELETE to confirm: ‸"))
    assert prompt.kind is PromptKind.TEXT
    assert prompt.question == "Type DELETE to confirm:"


@pytest.mark.parametrize(
    "rows",
    [
        "Press any key to continue...‸",
        "Hit t to trust this, Esc to leave‸",
        "Press ENTER or type command to continue‸",
        "Drücken Sie eine beliebige Taste . . .‸",
    ],
)
def test_an_invitation_to_press_a_key_is_a_key_prompt(rows: str) -> None:
    prompt = asked(look(rows, kernel=RAW_READ))
    assert prompt.kind is PromptKind.KEY
    assert not prompt.submits


def test_a_key_prompt_names_its_keys() -> None:
    prompt = asked(look("Hit t to trust this, Esc to leave\n‸", kernel=RAW_READ))
    assert [(option.key, option.label) for option in prompt.options] == [
        ("t", "trust this"),
        ("Esc", "leave"),
    ]
    assert prompt.cancel_key == "Escape"


@pytest.mark.parametrize(
    "bottom", [":‸", "⟦r:(END)⟧‸", "⟦r:--More--(45%)⟧‸", "⟦r:f.txt⟧‸", "⟦r:lines 1-20/500 4%⟧‸"]
)
def test_a_pager_at_the_bottom_row_is_a_pager(bottom: str) -> None:
    rows = [f"line {n}" for n in range(23)]
    prompt = asked(look([*rows, bottom], alternate=True, kernel=RAW_READ))
    assert prompt.kind is PromptKind.PAGER
    assert prompt.cancel_key == "q"


def test_a_profile_rule_names_the_kind_and_structure_fills_in() -> None:
    by = profile(
        Family.COMPOSER,
        prompting=(rule(Region.LIVE_END, r"usage limit", kind=PromptKind.LIMIT, words="limit"),),
    )
    prompt = asked(look("You have hit your usage limit.\nIt resets at 15:00.\n", shown=False), by)
    assert prompt.kind is PromptKind.LIMIT
    assert prompt.question == "You have hit your usage limit."
    assert "It resets at 15:00." in prompt.rows


# What is no prompt.


@pytest.mark.parametrize("kernel", [None, UNPROBED, NOT_READING])
@pytest.mark.parametrize(
    "row", ["step 2:", "grep: /x: not there:", "Are you sure about this one?", "Continue? [y/N]"]
)
def test_a_log_line_is_no_prompt_when_the_cursor_went_on(
    row: str, kernel: KernelFact | None
) -> None:
    assert read(look(f"{row}\n‸", kernel=kernel)) is None


@pytest.mark.parametrize("row", ["Loading: ‸", "Continue? [y/N] ‸", "Password: ‸", "Name? ‸"])
def test_a_program_that_does_not_read_asks_nothing(row: str) -> None:
    assert read(look(row, kernel=NOT_READING)) is None
    assert read(look(row)) is not None


def test_a_menu_of_a_program_that_does_not_read_is_no_prompt() -> None:
    raw = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.ABSENT, icanon=False, echo=False)
    assert read(look(BOXED, shown=False, kernel=raw)) is None


@pytest.mark.parametrize("by", [BASH, UNKNOWN], ids=["bash", "unknown"])
@pytest.mark.parametrize(
    "above",
    [
        "Do you want to proceed? [y/N]",
        "+  print('Continue? (y/n)')\n-  Do you want to proceed?\n-  ❯ 1. Yes\n-    2. No",
        "Do you want to proceed?\n❯ 1. Yes\n  2. No",
        "1. one\n2. two\nWhich one?",
        "Password:",
        "Press any key to continue",
    ],
)
def test_a_question_quoted_above_a_shell_prompt_is_none(above: str, by: Profile) -> None:
    assert read(look(f"{above}\nuser@host:~$ ‸", kernel=RAW_READ), by) is None
    assert read(look(f"{above}\nuser@host:~$ ‸"), by) is None


def test_a_question_followed_by_output_is_none() -> None:
    text = "Do you want to proceed?\n❯ 1. Yes\n  2. No\n\nRunning tests\nok 1\nok 2\n"
    assert read(look(text, shown=False)) is None
    assert read(look(text + "‸")) is None


def test_a_finished_dialog_above_a_composer_is_none() -> None:
    text = """
 Do you want to proceed?
 ❯ 1. Yes
   2. No

● Done.

────────────────────────────────────────────────────────────
❯ ‸
────────────────────────────────────────────────────────────
  ? for shortcuts
"""
    for by in (AGENT, UNKNOWN):
        assert read(look(text), by) is None


def test_a_list_and_a_question_in_prose_above_an_empty_box_are_none() -> None:
    text = """
● There are two ways:
  1. Rewrite the parser
  2. Patch the lexer
  Shall I go on with it?

╭──────────────────────────────────────────────────╮
│ > ‸                                              │
╰──────────────────────────────────────────────────╯
  permissions: bypass, Allow/Deny list of 3
"""
    for by in (AGENT, UNKNOWN):
        for shown in (True, False):
            assert read(look(text, shown=shown), by) is None


def test_a_spinner_below_a_question_means_work() -> None:
    text = "1. one\n2. two\nDo you want me to go on?\n\n✻ Thinking… (12s)\n"
    assert read(look(text, shown=False)) is None


@pytest.mark.parametrize(
    "prompt", ["~/project main [!?] ❯ ‸", "what now? $ ‸", "~/src (main ?1) % ‸", "[y/n] user$ ‸"]
)
def test_a_shell_prompt_with_a_question_mark_is_none(prompt: str) -> None:
    assert read(look(f"out\n{prompt}", kernel=RAW_READ)) is None


def test_a_shell_prompt_that_asks_is_known_by_having_been_learned() -> None:
    seen = look("out\nwhat now? ‸", kernel=RAW_READ)
    grid = Grid.from_look(seen)
    assert read_prompt(grid, seen.fields, BASH, seen.kernel) is not None
    learned = ("what now? ", 10)
    assert read_prompt(grid, seen.fields, BASH, seen.kernel, learned=learned) is None


def test_a_server_banner_that_names_control_c_is_none() -> None:
    assert read(look(" * Running on http://127.0.0.1:5000\nPress CTRL+C to quit\n‸")) is None


def test_pasted_text_that_a_shell_shows_in_reverse_is_no_menu() -> None:
    assert read(look("$ ⟦r:echo one⟧\n⟦r:echo two⟧‸", kernel=RAW_READ), BASH) is None


def test_a_status_bar_in_reverse_is_no_menu() -> None:
    bar = "⟦r:" + " main.py  12:40  utf-8".ljust(80) + "⟧"
    assert read(look(["text", *[""] * 20, bar], shown=False)) is None


@pytest.mark.parametrize(
    "bottom",
    [
        "-- INSERT --                                    1,6           All",
        "^X Exit      ^R Read File ^\\ Replace   ^U Paste",
        " 1Help   2Menu   3View   4Edit   5Copy   6RenMov 7Mkdir",
        "F1Help  F2Setup F3SearchF4FilterF5Tree",
    ],
)
def test_an_editor_asks_nothing(bottom: str) -> None:
    rows = ["> quoted?", "Do you want to go on? ‸", *[""] * 20, bottom]
    assert read(look(rows, alternate=True)) is None


def test_a_python_prompt_is_none_and_its_input_call_is_one() -> None:
    assert read(look(">>> ‸", kernel=RAW_READ), PYTHON) is None
    assert asked(look(">>> input('Name? ')\nName? ‸", kernel=RAW_READ), PYTHON).question == "Name?"
