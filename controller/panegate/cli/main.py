"""The entry point: cheap answers at once, everything else by click."""

import os
import sys
from collections.abc import Sequence

from panegate.cli.table import help_text

__all__ = ["run"]

_HELP = ("-h", "--help", "help")
_VERSION = ("-V", "--version")
_COMPLETE = "_PANEGATE_COMPLETE"


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit status.

    Top-level help and version are answered without any third-party module.

    Args:
        argv: The arguments behind the program's name.

    """
    if _COMPLETE not in os.environ:
        if not argv:
            sys.stdout.write(help_text())
            return 2
        if argv[0] in _HELP and len(argv) == 1:
            sys.stdout.write(help_text())
            return 0
        if argv[0] in _VERSION:
            from panegate import __version__

            sys.stdout.write(f"panegate {__version__}\n")
            return 0
    from panegate.cli.app import invoke  # brings click

    return invoke(list(argv))
