"""The one place that configures logging; only the command line calls it."""

import logging
import sys

import structlog

__all__ = ["LOG_EVENTS", "configure_logging"]

LOG_EVENTS = {
    "client.attached": ("target", "server"),
    "client.ended": ("pid",),
    "journal.failed": ("write_id", "words"),
    "journal.set_aside": ("path", "words"),
    "look.failed": ("pane_id", "words"),
    "nudge.refused": ("pane_id", "words"),
    "person.needed": ("escalation", "pane", "name", "cause", "question", "where", "words"),
    "request.failed": ("words",),
    "service.ready": ("server", "path"),
    "service.stopping": ("server",),
    "settings.loaded": ("path",),
    "settings.rejected": ("path", "words"),
    "sink.failed": ("sink", "attempts", "words"),
    "sink.gave_up": ("sink", "escalation", "attempts", "words"),
    "write.finished": (
        "write_id",
        "pane_id",
        "intent",
        "fate",
        "reason",
        "n_bytes",
        "ms",
        "digest",
    ),
    "write.recovered": ("write_id", "pane_id", "fate", "words"),
}
"""Every log event and its keys; compatibility-sensitive."""


def configure_logging(*, level: str = "warning", json: bool = False) -> None:
    """Send log lines at *level* and above to standard error."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    logger = logging.getLogger("panegate")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())
