"""Logs in which a text of a document, a model or a server cannot pretend to be another message."""

import logging

from specfn._internal.characters import one_line


def one_line_log(name: str) -> logging.Logger:
    """Return the log of a name. Each of its messages is one line, without invisible characters."""
    log = logging.getLogger(name)
    log.addFilter(_make_one_line)
    return log


def _make_one_line(record: logging.LogRecord) -> bool:
    record.msg, record.args = one_line(record.getMessage()), ()
    return True


#: The log of calls and conversations.
calls_log = one_line_log("specfn.calling")
