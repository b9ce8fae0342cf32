"""Lines of ``/proc/PID/syscall`` are read for the machine they come from."""

import pytest

from panegate.probes.syscalls import TABLES, Call, Shape, is_endless, parse_call

X86, ARM = TABLES["x86_64"], TABLES["aarch64"]
STACK = b" 0x7ffd88c10ff8 0x7fe266528929\n"
ARGUMENTS = b" 0x0 0x7f601db9ef30 0x1 0x556e0413b280 0x0 0x0"


@pytest.mark.parametrize(
    ("number", "x86", "arm"),
    [
        (0, Shape.READ_0, Shape.OTHER),
        (63, Shape.OTHER, Shape.READ_0),
        (19, Shape.READ_0, Shape.OTHER),
        (65, Shape.OTHER, Shape.READ_0),
        (40, Shape.READ_1, Shape.OTHER),
        (7, Shape.POLL, Shape.OTHER),
        (271, Shape.PPOLL, Shape.OTHER),
        (73, Shape.OTHER, Shape.PPOLL),
        (23, Shape.SELECT, Shape.OTHER),
        (270, Shape.SELECT, Shape.OTHER),
        (72, Shape.OTHER, Shape.SELECT),
        (232, Shape.EPOLL, Shape.OTHER),
        (281, Shape.EPOLL, Shape.OTHER),
        (22, Shape.OTHER, Shape.EPOLL),
        (441, Shape.EPOLL, Shape.EPOLL),
        (426, Shape.RING, Shape.RING),
        (219, Shape.RESTART, Shape.OTHER),
        (128, Shape.OTHER, Shape.RESTART),
        (230, Shape.OTHER, Shape.OTHER),
    ],
)
def test_numbers_mean_what_the_machine_says(number: int, x86: Shape, arm: Shape) -> None:
    line = b"%d" % number + ARGUMENTS + STACK
    arguments = (0, 0x7F601DB9EF30, 1, 0x556E0413B280, 0, 0)
    assert parse_call(line, X86) == Call(x86, arguments)
    assert parse_call(line, ARM) == Call(arm, arguments)


@pytest.mark.parametrize("line", [b"running\n", b"-1 0x7ffd88c10ff8 0x7fe266528929\n"])
def test_a_thread_outside_of_system_calls_waits_for_nothing(line: bytes) -> None:
    assert parse_call(line, X86) == Call(Shape.OTHER, ())


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"0 0x0\n",
        b"x" + ARGUMENTS + STACK,
        b"3" + ARGUMENTS + b" 0xffd88c10 0xf7526929\n",  # read() of a 32-bit program
    ],
)
def test_what_cannot_be_told_is_not_guessed(line: bytes) -> None:
    assert parse_call(line, X86) is None


def test_a_day_and_more_is_for_ever() -> None:
    assert [is_endless(s) for s in (0, 4, 86_399, 86_400, 10**8)] == [False] * 3 + [True] * 2
