"""The shipped files against rows that real programs showed."""

from pathlib import Path

import pytest

from panegate import profiles
from panegate.screen.profile import Family, Profile, Region
from panegate.terms import PromptKind

SHIPPED = Path(profiles.__file__).parent
NAMES = sorted(path.stem for path in SHIPPED.glob("*.toml"))

PROMPTS = {
    "bash": [
        "bash-5.2# ",
        "bash-3.2$ ",
        "me@host:~/src$ ",
        "root@host:/# ",
        "[me@host src]$ ",
        "(venv) me@host:~$ ",
        "❯ ",
        "me@host src> ",
    ],
    "sh": ["$ ", "# ", "sh-5.2$ "],
    "zsh": [
        "vm# ",
        "vm% ",
        "me@mac ~ % ",
        "❯ ",
        "➜  src ",
        "➜  src git:(main) ",
        "➜  src git:(main) ✗ ",
        "vm> ",
    ],
    "fish": ["root@vm /t/p/prof# ", "root@vm /t/p/prof [127]# ", "me@vm ~> ", "p> "],
    "python": [">>> "],
    "ipython": ["In [1]: ", "In [12]: ", "[ins] In [3]: "],
    "node": ["> "],
    "sqlite3": ["sqlite> "],
    "psql": ["postgres=# ", "my-db=> ", "postgres=*# ", "postgres=!# ", "db^> ", "!?> "],
    "gdb": ["(gdb) "],
}
CONTINUATIONS = {
    "bash": ["> "],
    "sh": ["> "],
    "zsh": ["then> ", "for if> ", "heredoc> ", "dquote> ", "cmdsubst> ", "function> ", "cmdand> "],
    "fish": ["                   ", " "],
    "python": ["... "],
    "ipython": ["   ...: ", "    ...: "],
    "node": ["... ", "..... ", "| "],
    "sqlite3": ["   ...> ", "'  ...> ", "(x1...> "],
    "psql": [
        "postgres-# ",
        "postgres(# ",
        "postgres'# ",
        'postgres"# ',
        "db$> ",
        "db*# ",
        "db-*# ",
    ],
    "gdb": [">", " >"],
}
NO_PROMPTS = {
    "bash": [
        "bash-5.2# echo a > ",
        "bash-5.2# # ",
        "name? ",
        "#? ",
        "(reverse-i-search)`': ",
        "Display all 1532 possibilities? (y or n)",
        "--More--",
        "Password: ",
    ],
    "sh": ["# echo $ ", "# # ", "name? ", "#? "],
    "zsh": [
        "vm# echo > ",
        "name? ",
        "zsh: correct 'ecoh' to 'echo' [nyae]? ",
        "zsh: sure you want to delete the only file in /tmp/x [yn]? ",
    ],
    "fish": ["name? ", "root@vm /tmp# ls > "],
    "python": ["(Pdb) ", "help> ", "name? ", ">>> x", ">>>  ", ":"],
    "ipython": ["Out[1]: ", "ipdb> ", "Do you really want to exit ([y]/n)? ", "In [1]: x"],
    "node": ["name> ", "> x", "debug> "],
    "sqlite3": ["sqlite> select ", "...> "],
    "psql": [
        "name? ",
        'Enter new password for user "postgres": ',
        "postgres=# select 1 = ",
        "postgres=# a=# ",
        ":",
    ],
    "gdb": [
        "Quit anyway? (y or n) ",
        "Make breakpoint pending on future shared library load? (y or [n]) ",
        "--Type <RET> for more, q to quit, c to continue without paging--",
    ],
}


def pairs(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, row) for name, rows in table.items() for row in rows]


def at_prompt(profile: Profile, row: str) -> bool:
    return any(pattern.fullmatch(row) for pattern in profile.prompts)


def at_continuation(profile: Profile, row: str) -> bool:
    return any(pattern.fullmatch(row) for pattern in profile.continuations)


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_file_is_right(name: str) -> None:
    assert profiles.check(SHIPPED / f"{name}.toml") == []
    profile = profiles.load(SHIPPED / f"{name}.toml")
    assert profile.words
    assert profile.name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_file_says_where_it_was_seen(name: str) -> None:
    first = (SHIPPED / f"{name}.toml").read_text(encoding="utf-8").split("\n", 1)[0]
    assert first.startswith("# ")
    seen_in = profiles.load(name).seen_in
    assert bool(seen_in) is (name not in ("generic", "lines"))


def test_every_program_with_a_prompt_is_tried_here() -> None:
    assert {*PROMPTS, "generic", "lines", "standin"} == set(NAMES)
    assert PROMPTS.keys() == CONTINUATIONS.keys() == NO_PROMPTS.keys()


@pytest.mark.parametrize(("name", "row"), pairs(PROMPTS))
def test_an_empty_prompt_row_is_the_prompt_and_no_continuation(name: str, row: str) -> None:
    profile = profiles.load(name)
    assert at_prompt(profile, row)
    assert not at_continuation(profile, row)


@pytest.mark.parametrize(("name", "row"), pairs(PROMPTS))
def test_typed_text_stands_behind_the_prompt(name: str, row: str) -> None:
    text = "x = 'a' # b $ c > d"
    found = next(
        found for pattern in profiles.load(name).prompts if (found := pattern.match(row + text))
    )
    assert found.end() == len(row)
    assert not at_prompt(profiles.load(name), row + text)


@pytest.mark.parametrize(("name", "row"), pairs(CONTINUATIONS))
def test_a_continuation_row_is_no_prompt(name: str, row: str) -> None:
    profile = profiles.load(name)
    assert at_continuation(profile, row)
    assert not at_prompt(profile, row)


@pytest.mark.parametrize(("name", "row"), pairs(NO_PROMPTS))
def test_questions_and_drafts_are_no_prompt(name: str, row: str) -> None:
    assert not at_prompt(profiles.load(name), row)


@pytest.mark.parametrize(
    ("name", "row", "kind"),
    [
        ("bash", "Display all 1532 possibilities? (y or n)", PromptKind.CONFIRM),
        ("bash", "--More--", PromptKind.PAGER),
        ("zsh", "zsh: correct 'ecoh' to 'echo' [nyae]?", PromptKind.CONFIRM),
        ("zsh", "zsh: sure you want to delete all 3 files in /x [yn]?", PromptKind.CONFIRM),
        ("zsh", "zsh: do you wish to see all 1089 possibilities (363 lines)?", PromptKind.CONFIRM),
        ("gdb", "Start it from the beginning? (y or n) ", PromptKind.CONFIRM),
        ("gdb", "load? (y or [n])", PromptKind.CONFIRM),
        (
            "gdb",
            "--Type <RET> for more, q to quit, c to continue without paging--",
            PromptKind.PAGER,
        ),
        ("psql", ":", PromptKind.PAGER),
        ("psql", "(END)", PromptKind.PAGER),
        ("ipython", "Do you really want to exit ([y]/n)? ", PromptKind.CONFIRM),
    ],
)
def test_a_programs_own_question_is_known_with_or_without_the_blank(
    name: str, row: str, kind: PromptKind
) -> None:
    rules = [rule for rule in profiles.load(name).prompting if rule.region is Region.CURSOR_ROW]
    assert {rule.kind for rule in rules if rule.pattern.search(row)} == {kind}


def test_generic_claims_nothing() -> None:
    generic = profiles.load("generic")
    assert generic.family is Family.UNKNOWN
    claims = ("commands", "prompts", "ready", "busy", "prompting", "marks", "reads_lines", "trust")
    assert not any(getattr(generic, claim) for claim in claims)
    assert generic.timing.settle_s >= 1.02


def test_multi_line_text_is_one_message_only_where_it_was_seen_to_be() -> None:
    multi = {name for name in NAMES if profiles.load(name).submit.multi_line}
    assert multi == {"bash", "zsh", "fish", "python", "ipython", "sqlite3", "psql", "standin"}
