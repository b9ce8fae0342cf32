"""One file into a profile: every key, and every way to be wrong, with its line."""

from pathlib import Path

import attrs
import pytest

from panegate.profiles.reading import Problem, ProfileFile, read_profile
from panegate.screen.profile import Family, Profile, Region
from panegate.terms import FaultKind, PromptKind

PATH = Path("/profiles/mine.toml")


def read(text: str, base: ProfileFile | None = None) -> Profile:
    file, problems = read_profile(text, path=PATH, base=base)
    assert problems == ()
    assert file is not None
    return file.profile


def problems_of(text: str) -> list[tuple[int | None, str]]:
    file, problems = read_profile(text, path=PATH)
    assert problems
    assert file is None
    return [(problem.line, problem.message) for problem in problems]


def test_an_empty_file_is_a_profile_of_defaults_named_after_the_file() -> None:
    assert read("") == Profile(name="mine")


EVERY_KEY = r"""
name = "mine"
family = "composer"
words = "w"
commands = ["a", "b"]
shown_as = ["node", "a"]
python_modules = ["m"]
prompts = ['> ']
continuations = ['\.\.\. ']
reads_lines = true
at_empty_row = true
prompt_cycle = true
interrupt = "Escape"
clear = ["C-a", "C-k"]
takes_input_while_busy = true
trust = "timing"
seen_in = "1.2"
marks = [{ mark = "title", pattern = "^x", state = "busy" }]
[[ready]]
region = "title"
pattern = 'Ready'
[[busy]]
region = "live_end"
pattern = 'Working'
words = "works"
[[prompting]]
region = "cursor_row"
pattern = 'ok\?'
kind = "confirm"
[[vetoes]]
regex = "^a+$"
sample = "aa"
[[faults]]
pattern = '● API Error: .+'
kind = "server"
sample = "● API Error: 500 it broke"
coloured = true
[launch_env]
A = "b"
[composer]
glyphs = [">"]
hints = ['Try .*']
collapsed = ['\[Pasted']
[timing]
look_s = 0.05
settle_s = 1
silence_s = 60.0
echo_within_s = 6.0
react_within_s = 7.0
[submit]
key = "\n"
gap_s = 0.1
line_break = true
bracketed = false
multi_line = true
max_plain_chars = 10
takes_tabs = false
one_screen = true
opens_modes = "/!"
[arguments]
with_value = ["-o"]
not_with = ["-c"]
despite = ["-i"]
max_words = 1
"""


def test_every_key_arrives_in_its_field() -> None:
    file, problems = read_profile(EVERY_KEY, path=PATH)
    assert problems == ()
    assert file is not None
    profile = file.profile
    assert profile.family is Family.COMPOSER
    assert profile.commands == ("a", "b", "node")
    assert [p.pattern for p in profile.prompts] == ["> "]
    assert profile.ready[0].region is Region.TITLE
    assert profile.prompting[0].kind is PromptKind.CONFIRM
    assert profile.busy[0].words == "works"
    assert profile.marks[0].state == "busy"
    assert (profile.vetoes[0].regex, profile.vetoes[0].sample) == ("^a+$", "aa")
    [fault] = profile.faults
    assert (fault.kind, fault.coloured) == (FaultKind.SERVER, True)
    assert profile.composer.collapsed[0].search("[Pasted text]")
    assert profile.submit.key == b"\n"
    assert profile.submit.bracketed is False
    assert profile.timing.settle_s == 1.0
    assert isinstance(profile.timing.settle_s, float)
    assert file.selects == ("a", "b")
    assert file.python_modules == ("m",)
    assert profile.arguments.max_words == 1


def test_the_example_above_names_every_field_there_is() -> None:
    profile = read(EVERY_KEY)
    for part in (profile, profile.timing, profile.submit, profile.composer):
        for field in attrs.fields(type(part)):
            default = field.default
            if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
                continue
            assert getattr(part, field.name) != default, field.name


def _fault(pattern: str, sample: str) -> str:
    return f"[[faults]]\npattern = '{pattern}'\nkind = 'server'\nsample = '{sample}'\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("family = \n", 1, "not TOML"),
        ("\n\nwords = 'a\n", 3, "not TOML"),
        ("prompts = [\n'a',\n", 2, "not TOML"),
        ("words = 'a'\nfamly = 'repl'\n", 2, "unknown key 'famly'"),
        ("[timing]\nsettle = 1.0\n", 2, "unknown key 'settle'"),
        ("[tming]\n", 1, "unknown key 'tming'"),
        ("[[busy]]\nregion = 'screen'\npattern = 'x'\nwhere = 1\n", 4, "unknown key 'where'"),
        ("family = 'ssh'\n", 1, "family must be one of 'shell', 'repl'"),
        ("words = 3\n", 1, "words must be text, not a whole number"),
        ("\nreads_lines = 'yes'\n", 2, "must be true or false, not text"),
        ("prompts = '> '\n", 1, "prompts must be an array, not text"),
        ("prompts = [\n'> ',\n7,\n]\n", 3, "prompts[2] must be a regular expression"),
        ("prompts = [\n'> ',\n'(',\n]\n", 3, "prompts[2] is not a regular expression: missing )"),
        ("prompts = ['x{99999999999}']\n", 1, "is not a regular expression"),
        ("faults = ['x']\n", 1, "faults[1] must be a table"),
        (_fault("● API Error: .+", "● API Error"), 4, "sample must be a whole sentence"),
        (_fault("● Failed", "● Failed"), 4, "sample must be a whole sentence"),
        (_fault(".*API Error: .+", "● API Error: 500"), 2, "also behind '  '"),
        (_fault(r"\s*● API Error: .+", "● API Error: 500"), 2, "begin it with the sign"),
        (_fault(r"\S+ API Error: .+", "● API Error: 500"), 2, "also behind"),
        ("prompts = ['a', ' *']\n", 1, "prompts must not match an empty row"),
        ("timing = 3\n", 1, "timing must be a table"),
        ("[timing]\nlook_s = true\n", 2, "look_s must be a number, not true or false"),
        ("[timing]\nlook_s = -1\n", 2, "must not be -1"),
        ("[timing]\nlook_s = inf\n", 2, "must not be inf"),
        ("[timing]\nlook_s = nan\n", 2, "must not be nan"),
        ("[timing]\n\nsettle_s = 0\n", 3, "settle_s must be more than 0"),
        ("[submit]\nmax_plain_chars = 1.5\n", 2, "must be a whole number, not a number"),
        ("[submit]\nkey = ''\n", 2, "key must be some text"),
        ("busy = [1]\n", 1, "busy[1] must be a table"),
        ("[[busy]]\npattern = 'x'\n", 1, "region is missing"),
        ("[[busy]]\nregion = 'screen'\npattern = 'x*'\n", 3, "matches an empty row"),
        ("[[prompting]]\nregion='screen'\npattern='x'\nkind='?'\n", 4, "kind must be one of"),
        ("[[vetoes]]\nregex = ' '\nsample = 'a'\n", 1, "must not be empty"),
        ("[[vetoes]]\nregex = 'a'\n", 1, "sample is missing"),
        ("[[marks]]\nmark='bell'\npattern='x'\nstate='busy'\n", 2, "mark must be one of"),
        ("[[marks]]\nmark='title'\npattern='x'\nstate='idle'\n", 4, "state must be one of"),
        ("trust = 'always'\n", 1, "trust must be empty or 'timing'"),
        ("interrupt = 'ctrl c'\n", 1, "'ctrl c' is not a tmux key name"),
        ("clear = ['C-e',\n'C u']\n", 2, "'C u' is not a tmux key name"),
        ("name = 'other'\n", 1, "is not the file's name 'mine'"),
        ("shown_as = [1]\n", 1, "shown_as[1] must be text"),
        ("[arguments]\nmax_words = 'a'\n", 2, "max_words must be a whole number"),
        ("[arguments]\nmax = 1\n", 2, "unknown key 'max'"),
        ("seen_in = 2026-01-01\n", 1, "must be text, not a date"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, words: str) -> None:
    [(found_line, message)] = problems_of(text)
    assert found_line == line
    assert words in message


def test_all_problems_are_listed_by_line() -> None:
    text = "family = 'x'\n[timing]\nb = 1\n[[busy]]\nregion = 'screen'\n"
    assert [line for line, _ in problems_of(text)] == [1, 3, 4]


def test_a_file_name_that_is_no_profile_name_is_a_problem() -> None:
    _, problems = read_profile("", path=Path("My Profile.toml"))
    assert [problem.line for problem in problems] == [None]


def test_a_problem_reads_as_file_line_and_words() -> None:
    assert str(Problem(Path("a.toml"), 3, "bad")) == "a.toml:3: bad"
    assert str(Problem(Path("a.toml"), None, "bad")) == "a.toml: bad"


def test_what_a_file_extends_is_replaced_key_by_key() -> None:
    base, _ = read_profile(EVERY_KEY, path=Path("/other/mine.toml"))
    profile = read("words = 'new'\nprompts = ['% ']\n[timing]\nlook_s = 0.5\n", base)
    assert profile.name == "mine"
    assert profile.words == "new"
    assert [p.pattern for p in profile.prompts] == ["% "]
    assert (profile.timing.look_s, profile.timing.silence_s) == (0.5, 60.0)
    assert profile.family is Family.COMPOSER
    assert profile.submit.key == b"\n"


def test_inherited_commands_fit_but_do_not_select() -> None:
    base, _ = read_profile(EVERY_KEY.replace('"mine"', '"base"'), path=Path("base.toml"))
    file, _ = read_profile("shown_as = ['sh']\n", path=PATH, base=base)
    assert file is not None
    assert file.selects == ()
    assert file.profile.commands == ("a", "b", "node", "sh")


def test_launch_variables_are_texts() -> None:
    assert read("[launch_env]\nA = 'b'\n").launch_env == {"A": "b"}
    assert problems_of("[launch_env]\nA = 1\n")[0][0] == 2
    assert problems_of("launch_env = 'A'\n")[0][1].endswith("must be a table, not text")
