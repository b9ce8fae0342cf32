"""``python -m panegate`` and the ``panegate`` command."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit with its status."""
    from panegate.cli.main import run  # only when something is to be run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
