from __future__ import annotations

import pytest
from packaging.version import Version

from warp_lint.config import DEFAULT_EXCLUDE, ConfigError, Configs, Overrides, load


def table(write, text):
    return load(write("pyproject.toml", f"[tool.warp-lint]\n{text}\n"))


def test_every_key(write):
    config = table(
        write,
        """
        select = ["ADJ1", "ping-pong"]
        extend-select = ["ADJ503"]
        ignore = ["ADJ104"]
        extend-ignore = ["ADJ108"]
        fail-on = "warning"
        target-warp = "1.16"
        differentiable = true
        exclude = ["old/"]
        extend-exclude = ["gen/*.py"]
        per-file-ignores = { "tests/*" = ["ADJ4"] }
        confirm = { run = ["train.py", "--steps", "4"], timeout = 30, backwards = 2, stop = true }
        """,
    )
    assert config.select == ("ADJ1", "ADJ301")
    assert config.extend_select == ("ADJ503",)
    assert config.ignore == ("ADJ104",)
    assert config.extend_ignore == ("ADJ108",)
    assert config.fail_on == "warning"
    assert config.target_warp == Version("1.16")
    assert config.differentiable is True
    assert config.exclude == ("old/",)
    assert config.extend_exclude == ("gen/*.py",)
    assert config.per_file_ignores == (("tests/*", ("ADJ4",)),)
    assert config.confirm["run"] == ["train.py", "--steps", "4"]


def test_an_empty_table_means_the_defaults(write):
    config = table(write, "")
    assert config.select is None and config.fail_on == "error" and config.differentiable == "auto"
    assert config.exclude == DEFAULT_EXCLUDE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('selct = ["ADJ1"]', "unknown key `selct`; did you mean `select`?"),
        ("per-file-ignore = {}", "did you mean `per-file-ignores`?"),
        ("zzz = 1", "unknown key `zzz`"),
        ('select = ["ADJ777"]', "`select`: unknown rule `ADJ777`"),
        ('ignore = ["ping-pon"]', "`ignore`: unknown rule `ping-pon`; did you mean `ping-pong`?"),
        ('select = "ADJ1"', "`select`: must be a list of strings, not a string"),
        ("select = [1]", "`select`: must be a list of strings, but holds an integer"),
        ('fail-on = "eror"', 'not "eror"; did you mean `error`?'),
        ("fail-on = 3", "`fail-on`: must be one of"),
        ("target-warp = 1.16", "must be a version in quotes"),
        ('target-warp = "newest"', '"newest" is no version'),
        ('differentiable = "yes"', '`differentiable`: must be "auto", true or false, not "yes"'),
        ("differentiable = 1", "`differentiable`: must be"),
        ('per-file-ignores = ["x"]', "`per-file-ignores`: must be a table, not a list"),
        ('per-file-ignores = { "x" = ["E501"] }', '`per-file-ignores`: "x": unknown rule `E501`'),
        ('per-file-ignores = { "x/*" = "ADJ1" }', '`per-file-ignores`: "x/*": must be a list of strings, not a string'),
        ("confirm = { runn = [] }", "[tool.warp-lint.confirm] unknown key `runn`; did you mean `run`?"),
        ("confirm = { timeout = -1 }", "`timeout`: must be a positive number"),
        ("confirm = { stop = 1 }", "`stop`: must be true or false"),
        ("confirm = 3", "`confirm`: must be a table"),
    ],
)
def test_mistakes_name_the_key_and_the_remedy(write, text, message):
    with pytest.raises(ConfigError) as error:
        table(write, text)
    assert message in str(error.value)
    assert "pyproject.toml" in str(error.value)


def test_invalid_toml_is_an_error_only_where_the_file_concerns_us(write):
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(write("pyproject.toml", "[tool.warp-lint\n"))
    assert load(write("pyproject.toml", "[tool.other\n")) is None


def test_a_table_that_is_none(write):
    with pytest.raises(ConfigError, match="must be a table, not an integer"):
        load(write("pyproject.toml", "[tool]\nwarp-lint = 3\n"))


def test_the_nearest_table_wins_and_files_without_one_are_passed_over(write, tmp_path):
    write("pyproject.toml", '[tool.warp-lint]\nfail-on = "info"\n')
    write("inner/pyproject.toml", "[project]\nname = 'inner'\n")
    write("inner/own/pyproject.toml", '[tool.warp-lint]\nfail-on = "never"\n')
    configs = Configs()
    assert configs.for_file(tmp_path / "inner" / "a.py").fail_on == "info"
    assert configs.for_file(tmp_path / "inner" / "a.py").root == tmp_path
    assert configs.for_file(tmp_path / "inner" / "own" / "a.py").fail_on == "never"


def test_the_root_of_a_project_without_a_table(write, tmp_path):
    write("repo/setup.py")
    assert Configs().for_folder(tmp_path / "repo" / "sub").root == tmp_path / "repo"


def test_the_root_without_a_marked_project(write, tmp_path):
    write("lib/pkg/__init__.py")
    write("lib/pkg/sub/__init__.py")
    folder = tmp_path / "lib" / "pkg" / "sub"
    assert Configs().for_folder(folder).root == tmp_path / "lib"
    assert not Configs().for_folder(folder).marked
    named = Configs((folder.parent, tmp_path / "elsewhere"))
    assert named.for_folder(folder).root == folder.parent


def test_the_command_line_replaces_select_and_adds_to_the_rest(write):
    config = table(write, 'select = ["ADJ1"]\nextend-select = ["ADJ503"]\nignore = ["ADJ101"]')
    plain = Overrides().selection(config)
    assert [code for code in ("ADJ101", "ADJ102", "ADJ301", "ADJ503") if plain.enabled(code)] == ["ADJ102", "ADJ503"]
    replaced = Overrides(select=("ADJ3",)).selection(config)
    assert [code for code in ("ADJ101", "ADJ102", "ADJ301", "ADJ503") if replaced.enabled(code)] == ["ADJ301"]
    added = Overrides(extend_select=("ADJ3",), ignore=("ADJ102",)).selection(config)
    assert [code for code in ("ADJ101", "ADJ102", "ADJ301") if added.enabled(code)] == ["ADJ101", "ADJ301"]
