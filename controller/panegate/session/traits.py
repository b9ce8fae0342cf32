"""What a caller said about a pane."""

import attrs

__all__ = ["TrackerTraits"]


@attrs.frozen(kw_only=True)
class TrackerTraits:
    """What the caller said about the pane when it was launched or adopted."""

    name: str = ""
    where: str = ""
    own_process_is_program: bool = True
    reads_lines: bool = False
    trust_timing: bool = False
    own_pane: bool = False
    launched: bool = False
    """Its output was seen from the first byte on."""
    host: str = ""
    """Name of the host that the program runs on; empty where it is not known."""
    own_prompt: str = ""
    """A prompt that an earlier controller has proven to be the program's own."""
    guard_off: bool = False
    """For trials only: the guard keeps nothing but the pane's identity."""
