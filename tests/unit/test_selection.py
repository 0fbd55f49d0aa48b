from __future__ import annotations

import pytest

from warp_lint.findings import Severity
from warp_lint.selection import Selection, UnknownCode, parse_code, parse_codes


@pytest.mark.parametrize(
    ("text", "code"),
    [("ADJ101", "ADJ101"), ("adj3", "ADJ3"), (" ADJ ", "ADJ"), ("ping-pong", "ADJ301"), ("Ping-Pong", "ADJ301")],
)
def test_codes_prefixes_and_names(text, code):
    assert parse_code(text) == code


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ADJ1010", "ADJ101"),
        ("ADJ8", "ADJ"),
        ("ping-pog", "`ping-pong`"),
        ("E501", ""),
        ("", ""),
        ("AD", ""),
    ],
)
def test_unknown_codes_suggest_the_nearest(text, hint):
    with pytest.raises(UnknownCode) as error:
        parse_code(text)
    assert f"unknown rule `{text}`" in str(error.value)
    assert hint in str(error.value)


def test_lists_hold_commas_and_spaces():
    assert parse_codes(["ADJ101, ADJ102", "ADJ3 ping-pong", ""]) == ("ADJ101", "ADJ102", "ADJ3", "ADJ301")


def enabled(selection, *codes):
    return [code for code in codes if selection.enabled(code)]


def test_the_default_is_everything_but_info():
    default = Selection()
    assert default.enabled("ADJ101") and default.enabled("ADJ101", Severity.WARNING)
    assert not default.enabled("ADJ503", Severity.INFO)


def test_a_list_that_names_a_rule_shows_its_info_findings():
    assert Selection(select=("ADJ503",)).enabled("ADJ503", Severity.INFO)
    assert Selection(command_select=("ADJ5",)).enabled("ADJ503", Severity.INFO)
    assert not Selection(select=("ADJ1",)).enabled("ADJ503", Severity.INFO)


@pytest.mark.parametrize(
    ("selection", "on"),
    [
        (Selection(default=False, select=("ADJ1",)), ["ADJ101", "ADJ104"]),
        (Selection(default=False, select=("ADJ1",), ignore=("ADJ104",)), ["ADJ101"]),
        (Selection(default=False, select=("ADJ104",), ignore=("ADJ1",)), ["ADJ104"]),
        (Selection(ignore=("ADJ1",)), ["ADJ301"]),
        (Selection(ignore=("ADJ",)), []),
        (Selection(ignore=("ADJ104",), command_select=("ADJ104",)), ["ADJ101", "ADJ104", "ADJ301"]),
        (Selection(ignore=("ADJ104",), command_select=("ADJ1",)), ["ADJ101", "ADJ301"]),
        (Selection(select=("ADJ104",), command_ignore=("ADJ104",)), ["ADJ101", "ADJ301"]),
        (Selection(default=False), []),
    ],
)
def test_the_longest_prefix_decides_then_the_command_line_then_ignoring(selection, on):
    assert enabled(selection, "ADJ101", "ADJ104", "ADJ301") == on
