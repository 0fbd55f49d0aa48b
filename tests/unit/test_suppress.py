from __future__ import annotations

import pytest

from warp_lint import suppress
from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location


def finding(line, code="ADJ101"):
    return Finding(code, RULES[code].name, RULES[code].severity, Location("a.py", line, 1, line, 5), "message")


def left(source, *findings, noqa=True):
    """Lines and codes that the comments of `source` leave."""
    kept = suppress.read(source, "a.py").apply(findings, noqa)
    return [(item.location.line, item.code) for item in kept]


def unused(source, *findings, judged=lambda prefix: True):
    comments = suppress.read(source, "a.py")
    comments.apply(findings)
    return [(item.location.line, item.location.column, item.message) for item in comments.unused(judged)]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA: ADJ101",
        "# noqa:ADJ101",
        "# noqa: E501, ADJ101",
        "# noqa: E501 ADJ101 because",
        "# noqa: ADJ1",
        "# a reason  # noqa: ADJ101",
        "# warp-lint: ignore",
        "# warp-lint: ignore[ADJ101]",
        "# warp-lint: ignore[ADJ101] tested by hand",
        "# warp-lint: ignore[ADJ3, ADJ101]",
        "# warp-lint: ignore[inplace-multiply]",
        "#warp-lint:ignore[adj101]",
        "# type: ignore # warp-lint: ignore[ADJ1]",
    ],
)
def test_comments_that_silence(comment):
    source = f"x = 1  {comment}\ny = 2\n"
    assert left(source, finding(1), finding(2)) == [(2, "ADJ101")]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: ADJ102",
        "# noqa: ADJ1011",
        "# warp-lint: ignore[ADJ102]",
        "# warp-lint: ignore[]",
        "# warp-lint: ignore[ADJ999]",
        "# warp-lint ignore[ADJ101]",
        "# warp-lint: nothing",
        "'# noqa'",
    ],
)
def test_comments_that_do_not(comment):
    assert left(f"x = 1, {comment}\n" if comment[0] == "'" else f"x = 1  {comment}\n", finding(1)) == [(1, "ADJ101")]


MULTI = '''\
total = (
    first
    + second  # warp-lint: ignore[ADJ101]
)
text = """
# noqa
"""; x = 1  # noqa
@decorated
def f(
    a,
    b,
):  # noqa: ADJ101
    return a
'''


def test_the_whole_logical_line_is_covered():
    every = [finding(line) for line in range(1, 14)]
    assert [line for line, _ in left(MULTI, *every)] == [8, 13]


def test_a_continued_line():
    assert left("x = 1 + \\\n    2  # noqa\ny = 3\n", finding(1), finding(2), finding(3)) == [(3, "ADJ101")]


def test_a_comment_of_its_own_line_covers_the_next_statement():
    source = "# warp-lint: ignore[ADJ101] measured\n\nx = [\n  1,\n]\ny = 2\n"
    assert [line for line, _ in left(source, *(finding(n) for n in range(1, 7)))] == [1, 2, 6]


def test_noqa_on_its_own_line_covers_nothing():
    assert left("# noqa\nx = 1\n", finding(2)) == [(2, "ADJ101")]


def test_whole_files():
    both = [finding(2), finding(3, "ADJ301")]
    assert left("# warp-lint: ignore-file\nx = 1\ny = 2\n", *both) == []
    assert left("# warp-lint: ignore-file[ADJ3] old\nx = 1\ny = 2\n", *both) == [(2, "ADJ101")]
    assert left("x = 1\ny = 2\nz = 3\n# flake8: noqa: ADJ301\n", *both) == [(2, "ADJ101")]
    assert left("# ruff: noqa\nx = 1\ny = 2\n", *both) == []


def test_a_caller_that_honours_noqa_itself():
    source = "x = 1  # noqa: ADJ101\ny = 2  # warp-lint: ignore[ADJ101]\n"
    assert left(source, finding(1), finding(2), noqa=False) == [(1, "ADJ101")]
    comments = suppress.read(source, "a.py")
    comments.apply([finding(1), finding(2)], noqa=False)
    assert comments.unused(lambda prefix: True) == []


def test_unused_comments():
    source = "x = 1  # noqa: ADJ101\ny = 2  # warp-lint: ignore[ADJ101, ADJ3]\nz = 3  # warp-lint: ignore\n"
    assert unused(source, finding(2)) == [
        (1, 8, "this comment suppresses `ADJ101`, which is not reported here"),
        (2, 8, "this comment suppresses `ADJ3`, which is not reported here"),
        (3, 8, "this comment suppresses nothing"),
    ]
    assert unused(source, finding(1), finding(2), finding(2, "ADJ301"), finding(3)) == []


def test_unused_is_said_only_of_rules_that_could_report():
    source = "x = 1  # noqa: ADJ101\ny = 2  # warp-lint: ignore[ADJ301]\nz = 3  # noqa\nw = 4  # noqa: E501\n"
    assert unused(source, judged=lambda prefix: prefix == "ADJ301") == [
        (2, 8, "this comment suppresses `ADJ301`, which is not reported here")
    ]


def test_comments_that_cannot_be_understood():
    source = "x = 1  # warp-lint: ingore[ADJ101]\ny = 2  # warp-lint: ignore[ping-pon]\n"
    assert unused(source, judged=lambda prefix: False) == [
        (1, 8, "`ingore` is neither `ignore` nor `ignore-file`"),
        (2, 8, "unknown rule `ping-pon`; did you mean `ping-pong`?"),
    ]


def test_text_that_the_tokenizer_refuses():
    assert left("x = (  # noqa\n", finding(1)) == [(1, "ADJ101")]
    assert left("x = 'a\n# noqa\n", finding(1)) == [(1, "ADJ101")]


@pytest.mark.parametrize(
    ("source", "findings", "expected"),
    [
        ("x = 1  # noqa\n", True, True),
        ("x = 1  # noqa\n", False, False),
        ("x = 1  # noqa: ADJ101\n", False, True),
        ("x = 1  # warp-lint: ignore\n", False, True),
        ("x = 1\n", True, False),
        ("warp_lint = 1\n", False, False),
        ("import a  # noqa: E402, F401\n", True, False),
        ("import a  # noqa: E402,adj101\n", True, True),
        ("import a  # noqa: because\n", True, True),
        ("import a  # NOQA\n# noqa: E402\n", True, True),
    ],
)
def test_the_tokenizer_runs_only_where_comments_matter(source, findings, expected):
    assert suppress.must_read(source, findings) is expected
