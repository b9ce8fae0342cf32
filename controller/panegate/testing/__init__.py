"""Tools for testing an orchestrator; import what you need from the modules here.

Nothing is imported by this package itself, so that the stand-in programs start fast
and need nothing but the standard library. See README.md beside this file.
"""

__all__: list[str] = []
