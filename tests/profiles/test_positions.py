import pytest

from panegate.profiles.positions import Positions

TEXT = """\
name = "a"  # [not a table]
prompts = [
  '''one, "two" ]''',  # ] , [
  "esc \\" , ]", 'three',

  '''fo
ur = 4
[nor this]''', "five",
]
"quoted-key" = 1
inline = [{ regex = "a,b", sample = "]" }, { regex = "c" }]

[timing]
look_s = 1
[[busy]]
region = "screen"
[[busy]]
pattern = '''
x = 1
'''
words = "after"
[ composer ]
glyphs = ["[", "#"]
"""


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (("name",), 1),
        (("prompts",), 2),
        (("prompts", 0), 3),
        (("prompts", 1), 4),
        (("prompts", 2), 4),
        (("prompts", 3), 6),
        (("prompts", 4), 8),
        (("quoted-key",), 10),
        (("inline", 0), 11),
        (("inline", 1, "regex"), 11),
        (("timing", "look_s"), 14),
        (("busy", 0, "region"), 16),
        (("busy", 1), 17),
        (("busy", 1, "pattern"), 18),
        (("busy", 1, "words"), 21),
        (("composer",), 22),
        (("composer", "glyphs", 1), 23),
    ],
)
def test_each_part_has_the_line_it_starts_on(steps: tuple[str | int, ...], line: int) -> None:
    assert Positions(TEXT).line(steps) == line


def test_a_missing_part_gets_the_line_of_the_nearest_part_around_it() -> None:
    assert Positions(TEXT).line(("busy", 1, "kind")) == 17
    assert Positions(TEXT).line(("nothing", 3)) is None


def test_a_key_inside_a_text_of_several_lines_is_no_key() -> None:
    positions = Positions(TEXT)
    assert positions.line(("ur",)) is None
    assert positions.line(("busy", 1, "x")) == 17


@pytest.mark.parametrize("text", ["", "a = '''", "a = [", "]]]]", "[", 'a = "\\', "[[x", "= ="])
def test_a_text_that_is_not_toml_never_raises(text: str) -> None:
    assert Positions(text).line(("z",)) is None
