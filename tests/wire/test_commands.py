"""Quoting, by the rules and by a real tmux."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command, format_literal, nest, quote, sequence
from panegate.wire.payload import unescape_buffer

SAFE = rb'[A-Za-z0-9 _./:=@,"\\-]*'


def unquote(quoted: bytes) -> bytes:
    """Read a double-quoted word as tmux's lexer does."""
    assert quoted[:1] == quoted[-1:] == b'"'
    return re.sub(rb"\\([0-7]{3})", lambda m: bytes((int(m[1], 8),)), quoted[1:-1])


@given(st.binary(max_size=80).filter(lambda data: b"\0" not in data))
def test_quoting_can_be_undone_and_uses_only_harmless_bytes(data: bytes) -> None:
    quoted = quote(data)
    assert re.fullmatch(SAFE, quoted)
    assert unquote(quoted) == data
    assert unquote(unquote(quote(quoted))) == data


@given(st.text(max_size=40).filter(lambda text: "\0" not in text))
def test_text_is_quoted_as_utf8(text: str) -> None:
    try:
        expected = text.encode()
    except UnicodeEncodeError:
        with pytest.raises(ValueError, match="surrogates"):
            quote(text)
    else:
        assert quote(text) == quote(expected)


def test_quoting_by_example() -> None:
    assert quote("~;$a#{x}\"'\\\n%3") == (rb'"\176\073\044a\043\173x\175\042\047\134\012\0453"')
    assert quote(b"\xff") == rb'"\377"'
    assert quote("") == b'""'


def test_a_nul_cannot_be_an_argument() -> None:
    with pytest.raises(ValueError, match="NUL"):
        command("set-buffer", "--", "a\0b")


def test_a_command_quotes_every_argument() -> None:
    assert command("send-keys", "-t", "%1", "-l", "--", b"-x") == (
        rb'send-keys "-t" "\0451" "-l" "--" "-x"'
    )
    assert command("kill-server") == b"kill-server"


@pytest.mark.parametrize("name", ["", "send keys", "send-keys;", "A=b", "-x", "send-", "#", "é"])
def test_a_command_name_is_not_text(name: str) -> None:
    with pytest.raises(ValueError, match="not a tmux command name"):
        command(name)


def test_sequences() -> None:
    one, two = command("kill-pane", "-t", "%1"), command("list-panes")
    assert sequence(one, two) == one + b" ; " + two
    assert sequence(one) == one
    for bad in ((), (one, b"")):
        with pytest.raises(ValueError, match="sequence"):
            sequence(*bad)


def test_nesting_is_quoting_once_more() -> None:
    inner = command("display-message", "-p", "a;b")
    assert unquote(nest(inner)) == inner
    assert command("if-shell", "-F", "1", inner).endswith(nest(inner))


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("plain text: 50% of $HOME", "plain text: 50% of $HOME"),
        ("#{pane_id},#(date)}", "##{pane_id#}#,##(date)#}"),
        ("##", "####"),
        ("[#]", "[##]"),
        ("é😀", "é😀"),
        ("", ""),
    ],
)
def test_format_literals(text: str, embedded: str) -> None:
    assert format_literal(text) == embedded


@pytest.mark.parametrize(
    "text", ["a\nb", "\x1b[m", "\x7f", "\x9b", "\0", "#[bold]", "a##[x", "\ud800"]
)
def test_what_cannot_stand_in_a_format_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be embedded"):
        format_literal(text)


def test_percent_cannot_stand_in_a_format_of_display_message() -> None:
    with pytest.raises(ValueError, match="display-message"):
        format_literal("100%H", strftime=True)
    assert format_literal("100", strftime=True) == "100"


# Against a real tmux.

NASTY = [
    "a;b ; c",
    ";",
    "\\;",
    "-leading",
    "--",
    "$HOME ${HOME} $(id)",
    "#{pane_id} #(echo x) #[bold] ##",
    "~",
    "~root",
    "back\\slash \\033 \\n \\",
    "line 1\nline 2\r\n\ttab",
    "quotes \" ' ` {brace} }",
    "%H %% %begin 1 2 1",
    "# comment",
    "NAME=value",
    "\x01\x1b[31m\x7f",
    "emoji 😀 é \N{COMBINING ACUTE ACCENT}",
    " leading and trailing ",
    "",
]


@pytest.mark.tmux
def test_quoted_text_reaches_tmux_as_it_is(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    for n, text in enumerate([*NASTY, *(bytes((c,)) for c in range(1, 256))]):
        data = text.encode() if isinstance(text, str) else text
        data = data or b"(set-buffer takes no empty text)"
        set_it = command("set-buffer", "-b", "b", "--", data)
        show = command("show-buffer", "-b", "b")
        nested = command("if-shell", "-F", "1", sequence(set_it, show))
        for line in (sequence(set_it, show), nested):
            reply = client.ask(line)
            assert all(b.ok for b in reply.blocks), (n, text, reply)
            rows = [unescape_buffer(row, client.version) for row in reply.blocks[-1].lines]
            assert b"\n".join(rows) == data, text


@pytest.mark.tmux
def test_a_megabyte_survives_and_comes_back_as_one_line(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    one_line = "x" * 300_000
    reply = client.ask(
        command("set-buffer", "-b", "b", "--", one_line), command("show-buffer", "-b", "b")
    )
    assert reply.blocks[1].lines == (one_line.encode(),)
    text = "".join(f"{n} ~$;#\\\"' é😀\n" for n in range(70_000))
    assert len(text) > 1_000_000
    reply = client.ask(
        command("set-buffer", "-b", "b", "--", text), command("show-buffer", "-b", "b")
    )
    rows = [unescape_buffer(row, client.version) for row in reply.blocks[1].lines]
    assert b"\n".join(rows).decode() == text


FORMAT_TEXTS = [
    text for text in NASTY if "#[" not in text and not re.search(r"[\x00-\x1f\x7f]", text)
] + ["a,b", "a}b", "#", "a#", "#,", "#;", "[#", "|| && !", "0", " ", "a:b", "#{l:x}", "*?[a]"]


@pytest.mark.tmux
def test_an_embedded_text_equals_itself_and_nothing_else(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    """Also nested in pairs, as guards are, and never expanded."""
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    for text in FORMAT_TEXTS:
        client.ask(command("set-option", "-g", "@text", text))
        for other, expected in ((text, b"YES"), (text + "x", b"NO")):
            equal = f"#{{==:#{{@text}},{format_literal(other)}}}"
            nested = f"#{{&&:1,#{{&&:{equal},#{{!=:{format_literal(other)},something}}}}}}"
            for condition in (equal, nested):
                line = command(
                    "if-shell",
                    "-F",
                    condition,
                    command("display-message", "-p", "YES"),
                    command("display-message", "-p", "NO"),
                )
                reply = client.ask(line)
                assert reply.blocks[-1].lines == (expected,), (text, condition)


@pytest.mark.tmux
def test_strftime_runs_once_per_level_in_display_message(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    """Why a percent sign is refused there: no fixed doubling is right at every depth."""
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    flat = client.ask(command("display-message", "-p", "%%H")).blocks[0].lines
    nested = client.ask(command("display-message", "-p", "#{?#{==:1,1},%%H,x}")).blocks[0].lines
    assert flat == (b"%H",)
    assert re.fullmatch(rb"[0-9]{2}", nested[0])
