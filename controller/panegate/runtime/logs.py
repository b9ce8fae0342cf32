"""The library's logger: structlog over the standard library's ``panegate`` logger.

Nothing is configured here: without the embedder's configuration only warnings show.
"""

import logging

import structlog

__all__ = ["get_logger"]


def get_logger() -> structlog.stdlib.BoundLogger:
    """Return the bound logger of this package."""
    logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger("panegate"), wrapper_class=structlog.stdlib.BoundLogger
    )
    return logger
