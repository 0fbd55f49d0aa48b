from __future__ import annotations

import pytest

from warp_lint.findings import LintError
from warp_lint.source import decode, read_source


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1\r\ny = 2\r", "x = 1\ny = 2\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("s = 'å'\n".encode(), "s = 'å'\n"),
        ("# coding: latin-1\ns = 'å'\n".encode("latin-1"), "# coding: latin-1\ns = 'å'\n"),
        ("s = 'å'\n".encode("utf-16"), "s = 'å'\n"),
        (b"x = 1\n\x0c\ny = 2\n", "x = 1\n\x0c\ny = 2\n"),
    ],
)
def test_encodings(data, text):
    assert decode(data, "a.py") == text


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        ("x = 1\ns = 'å'\n".encode("latin-1"), (2, 6), "not valid utf-8: byte 0xe5"),
        (b"x = 1\ny\0 = 2\n", (2, 2), "NUL byte"),
        (b"# coding: klingon\n", (1, 1), "unknown encoding"),
        (b"\xff\xfex", (1, 1), "not valid UTF-16"),
    ],
)
def test_what_cannot_be_decoded(data, place, message):
    error = decode(data, "a.py")
    assert isinstance(error, LintError)
    assert (error.path, error.line, error.column, error.code) == ("a.py", *place, "ADJ901")
    assert message in error.message


def test_what_cannot_be_read(tmp_path):
    error = read_source(tmp_path, "x.py")
    assert isinstance(error, LintError)
    assert error.message == "can't be read: Is a directory" and not error.code
