"""Reading source files: encodings, and clear messages for what can't be read."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from warp_lint.findings import LintError

UNPARSABLE = "ADJ901"


def decode(data: bytes, display: str) -> str | LintError:
    """Text of a Python file, by its byte order mark or coding line (PEP 263), else UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            return LintError(display, 1, 1, f"not valid UTF-16: {error.reason}", UNPARSABLE)
    else:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
            byte = data[error.start]
            message = f"not valid {error.encoding}: byte 0x{byte:02x}; declare the file's encoding or save it as UTF-8"
            return LintError(display, line, column, message, UNPARSABLE)
        except (SyntaxError, LookupError, UnicodeError) as error:
            return LintError(display, 1, 1, str(error), UNPARSABLE)
    if "\0" in text:
        before = text[: text.index("\0")]
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return LintError(display, line, column, "file contains a NUL byte", UNPARSABLE)
    if text.startswith("\ufeff"):
        text = text[1:]
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_source(file: Path, display: str) -> str | LintError:
    """Text of a file on disk, or why there is none."""
    try:
        data = file.read_bytes()
    except OSError as error:
        return LintError(display, 1, 1, f"can't be read: {error.strerror or error}")
    return decode(data, display)
