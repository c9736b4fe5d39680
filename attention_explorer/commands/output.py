"""What the command line prints, and where."""

from __future__ import annotations

import os
import sys

from attention_explorer.errors import ExportError


def complain(sentence: str) -> None:
    """Say something on standard error."""
    print(f"attention-explorer: {sentence}", file=sys.stderr)


def encoded(text: str) -> bytes:
    """Return words for standard output: a letter that its encoding does not have becomes a question mark."""
    return text.encode(getattr(sys.stdout, "encoding", None) or "utf-8", "replace")


def write_out(data: bytes) -> int:
    """Write to standard output and return the exit code: 1 if its reader has gone, which is no error to speak of."""
    if sys.stdout is None:  # closed before the start, as ">&-" does
        raise ExportError("Standard output is closed. Name a file instead.")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        # At its end Python would try again to write what is left, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 1
        raise ExportError(f"Standard output takes no more: {error.strerror}. Make room, or name a file.") from error
    return 0
