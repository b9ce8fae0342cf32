"""tmux versions: their order, and what differs between them for a control client."""

import re
from typing import Final

import attrs

from panegate.errors import TmuxTooOld

__all__ = ["MINIMUM", "Version", "require"]

_RELEASE: Final = re.compile(r"(next-)?(\d+)\.(\d+)([a-z]?)(-rc\d*)?")
_OPENBSD: Final = re.compile(r"openbsd-(\d+)\.(\d+)")

# OpenBSD ships snapshots under its own number: the tmux release each is at least as new as.
_OPENBSD_RELEASES: Final[tuple[tuple[tuple[int, int], tuple[int, int, str]], ...]] = (
    ((7, 8), (3, 6, "")),
    ((7, 6), (3, 5, "a")),
    ((7, 5), (3, 4, "")),
    ((7, 2), (3, 3, "a")),
    ((7, 0), (3, 2, "a")),
)
_NEWEST: Final = 1_000_000


@attrs.frozen(order=True)
class Version:
    """One tmux version; compares in order of release.

    ``next-3.8`` and ``3.8-rc`` stand before ``3.8`` and after every ``3.7``;
    ``master`` stands after everything.
    """

    major: int
    minor: int
    released: bool = True
    """False for a snapshot or candidate on the way to ``major.minor``."""
    patch: str = ""
    """The letter of a patch release, such as ``a``; "" without one."""
    text: str = attrs.field(default="", eq=False, order=False)
    """As the server said it."""

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Read what ``#{version}`` or ``tmux -V`` says (``tmux `` in front is fine).

        Raises:
            ValueError: It holds no version that is understood.

        """
        name = text.strip().removeprefix("tmux ").strip()
        if name == "master":
            return cls(_NEWEST, 0, False, "", name)
        if found := _OPENBSD.match(name):
            system = int(found[1]), int(found[2])
            for since, (major, minor, patch) in _OPENBSD_RELEASES:
                if system >= since:
                    return cls(major, minor, True, patch, name)
            return cls(0, 0, True, "", name)
        found = _RELEASE.match(name)
        if found is None:
            msg = f"not a tmux version: {text!r}"
            raise ValueError(msg)
        released = found[1] is None and found[5] is None
        return cls(int(found[2]), int(found[3]), released, found[4], name)

    def __str__(self) -> str:
        return self.text or f"{self.major}.{self.minor}{self.patch}"

    @property
    def supported(self) -> bool:
        """Not older than 3.2a."""
        return self >= MINIMUM

    @property
    def capture_leaks(self) -> bool:
        """``capture-pane -p`` leaks the whole capture in the server (up to 3.5a)."""
        return self <= _V3_5A

    @property
    def buffer_escapes(self) -> bool:
        """``show-buffer`` writes ``vis(3)`` escapes (up to 3.3a)."""
        return self <= _V3_3A

    @property
    def reply_escapes(self) -> bool:
        r"""Replies show control characters as ``\033``, backslash not doubled (3.4, 3.5a)."""
        return _V3_4 <= self <= _V3_5A

    @property
    def holds_input_until_attached(self) -> bool:
        """Commands are not read before the attach is done (from 3.4)."""
        return self >= _V3_4

    @property
    def pushes_messages(self) -> bool:
        """``%message``, ``%config-error`` and ``%paste-buffer-*`` exist (from 3.4)."""
        return self >= _V3_4

    @property
    def pause_in_block(self) -> bool:
        """``%pause``/``%continue`` of our own command come inside its block (up to 3.7)."""
        return self < _NEXT_3_8

    @property
    def config_error_opens_mode(self) -> bool:
        """A broken configuration opens view mode in the first pane (up to 3.3a)."""
        return self <= _V3_3A

    @property
    def run_shell_opens_mode(self) -> bool:
        """Output of ``run-shell`` opens view mode in the target pane (3.3a, 3.4)."""
        return _V3_3 <= self <= _V3_4

    @property
    def nary_and(self) -> bool:
        """``#{&&:a,b,c}`` and ``#{||:a,b,c}`` take more than two (from 3.6)."""
        return self >= _V3_6

    @property
    def paste_needs_S(self) -> bool:
        """``paste-buffer`` changes control characters unless ``-S`` is given (from 3.7).

        Before 3.7 ``-S`` is an error.
        """
        return self >= _V3_7

    @property
    def bracket_paste_flag(self) -> bool:
        """``#{bracket_paste_flag}`` exists (from 3.7)."""
        return self >= _V3_7

    @property
    def dead_signal(self) -> bool:
        """``#{pane_dead_signal}`` exists (from 3.3)."""
        return self >= _V3_3

    @property
    def new_session_ignores_size(self) -> bool:
        """``new-session -d -x -y`` does not set the size (3.2a)."""
        return self < _V3_3

    @property
    def crash_paste_dead_pane(self) -> bool:
        """``paste-buffer`` into a dead pane crashes the server (up to 3.3a)."""
        return self <= _V3_3A

    @property
    def crash_remain_on_exit(self) -> bool:
        """``remain-on-exit`` with a control client can crash the server (3.2a)."""
        return self < _V3_3

    @property
    def crash_early_kill(self) -> bool:
        """SIGKILL of a just started client can crash the server (up to 3.6)."""
        return self < _V3_7

    @property
    def crash_pane_off(self) -> bool:
        """``refresh-client -A %N:off`` on a busy pane can crash the server (up to 3.6)."""
        return self < _V3_7

    @property
    def crash_multi_window_end(self) -> bool:
        """A session of several windows that ends at once can crash the server (up to 3.7)."""
        return self < _NEXT_3_8


MINIMUM: Final = Version(3, 2, True, "a")
"""The oldest tmux that works."""

_V3_3: Final = Version(3, 3)
_V3_3A: Final = Version(3, 3, True, "a")
_V3_4: Final = Version(3, 4)
_V3_5A: Final = Version(3, 5, True, "a")
_V3_6: Final = Version(3, 6)
_V3_7: Final = Version(3, 7)
_NEXT_3_8: Final = Version(3, 8, False)


def require(text: str) -> Version:
    """Return the version *text* names, if it can be worked with.

    Args:
        text: What the server says to ``#{version}``; "" from servers that lack it.

    Raises:
        TmuxTooOld: It is older than 3.2a, or no version at all.

    """
    fix = f"install tmux {MINIMUM} or newer and restart its server"
    try:
        version = Version.parse(text)
    except ValueError:
        msg = f"the tmux server does not say a version that is understood: {text!r}"
        raise TmuxTooOld(msg, fix=fix) from None
    if not version.supported:
        msg = f"tmux {version} is older than {MINIMUM}"
        raise TmuxTooOld(msg, fix=fix)
    return version
