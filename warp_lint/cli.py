"""The command line: arguments in, report and exit code out. No rule logic, nothing heavy at the top."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from warp_lint import __version__

if TYPE_CHECKING:
    from warp_lint.config import Overrides
    from warp_lint.confirming import Confirmation
    from warp_lint.engine import Result
    from warp_lint.report.model import Report

EXIT_OK, EXIT_FINDINGS, EXIT_TROUBLE, EXIT_UNCONFIRMED = 0, 1, 2, 3
FORMATS = ("text", "json", "html")
FAIL_ON = ("error", "warning", "info", "confirmed", "never")
_STDIN = "<stdin>"


class UsageError(Exception):
    """Options that make no sense; the message is for the user."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run with these arguments (default: the process's) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["rule"]:
            return _rule(arguments[1:])
        return _lint(arguments)
    except UsageError as error:
        print(f"warp-lint: error: {error}", file=sys.stderr)
        return EXIT_TROUBLE
    except BrokenPipeError:
        # The reader (a pager, `head`) went away: nothing left to say, and nothing to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_TROUBLE
    except KeyboardInterrupt:
        print("warp-lint: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        if os.environ.get("WARP_LINT_DEBUG"):
            raise
        text = " ".join(str(error).split())
        print(
            f"warp-lint: internal error: {type(error).__name__}: {text} (WARP_LINT_DEBUG=1 shows where)",
            file=sys.stderr,
        )
        return EXIT_TROUBLE


def _terminated(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def run() -> NoReturn:
    """The installed command: a process of its own, too short-lived for a garbage collector to pay. It ends
    without taking its memory apart, which would cost seconds after a large run, or after Ctrl-C."""
    gc.disable()
    if hasattr(signal, "SIGTERM"):  # what --confirm has started must end with us
        signal.signal(signal.SIGTERM, _terminated)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(code)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        from warp_lint.selection import suggest

        hint = ""
        if message.startswith("unrecognized arguments: -"):
            word = message.partition(": ")[2].split()[0].partition("=")[0]
            hint = suggest(word, self._option_string_actions)
        raise UsageError(f"{message}{hint} (see --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="warp-lint",
        description="Finds, proves and explains wrong gradients in programs written with NVIDIA Warp.",
        epilog="`warp-lint rule CODE` prints a rule's page, `warp-lint rule --all` every page. "
        "Exit codes: 0 nothing to report, 1 findings at or above --fail-on, 2 wrong usage or unreadable input, "
        "3 --confirm could not run anything.",
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: .); `-`: standard input")
    parser.add_argument("--version", action="version", version=f"warp-lint {__version__}")
    rules = parser.add_argument_group("rules (codes, prefixes of codes, or names; separated by commas)")
    rules.add_argument("--select", action="append", metavar="CODES", help="use these rules instead of the default")
    rules.add_argument("--extend-select", action="append", metavar="CODES", help="use these rules as well")
    rules.add_argument("--ignore", action="append", metavar="CODES", help="leave these rules out")
    rules.add_argument("--extend-ignore", action="append", metavar="CODES", help="leave these rules out as well")
    rules.add_argument("--target-warp", metavar="VERSION", help="judge for this Warp (default: the one installed)")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    output.add_argument("--output-file", metavar="FILE", help="write the report to a file")
    output.add_argument("--fail-on", choices=FAIL_ON, help="what makes the exit code 1 (default: error)")
    run = parser.add_argument_group("running")
    run.add_argument("-j", "--jobs", metavar="N", help="processes (default: `auto`, one per processor where it pays)")
    run.add_argument("--stdin-filename", metavar="FILE", help="name of what comes from standard input")
    run.add_argument("--no-cache", action="store_true", help="neither use nor keep results")
    confirm = parser.add_argument_group("confirming (EXECUTES the code it is given, in subprocesses)")
    confirm.add_argument(
        "--confirm",
        metavar="MODE",
        help="prove findings with numbers: kernels alone, and the program if one file is named. `--confirm=kernels`: "
        "run no program; `--confirm=all`: also check kernels without findings. A mode needs the `=`. Arguments after "
        "`--` go to the program",
    )
    confirm.add_argument("-m", dest="module", metavar="MODULE", help="the program to run, as a module")
    confirm.add_argument("--confirm-timeout", metavar="SECONDS", help="limit for the program (default: 600)")
    confirm.add_argument("--confirm-backwards", metavar="N", help="backward passes checked per tape (default: 9)")
    confirm.add_argument("--confirm-stop", action="store_true", help="end the program once they are checked")
    return parser


def _parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Options, and the program's own arguments (after `--`, under --confirm)."""
    own = list(arguments)
    program: list[str] = []
    if "--" in own and any(word.partition("=")[0] == "--confirm" for word in own[: own.index("--")]):
        at = own.index("--")
        own, program = own[:at], own[at + 1 :]
    # `--confirm sim.py`: the file is no value of the option, which takes one only after `=`.
    for word, after in pairwise(own):
        if word == "--confirm" and after in ("findings", "kernels", "all") and not os.path.exists(after):
            raise UsageError(f"--confirm {after}: there is no such file; did you mean `--confirm={after}`?")
    own = ["--confirm=findings" if word == "--confirm" else word for word in own]
    options = _parser().parse_intermixed_args(own)
    if options.confirm not in (None, "findings", "kernels", "all"):
        from warp_lint.selection import suggest

        hint = suggest(options.confirm, ["findings", "kernels", "all"])
        raise UsageError(f"--confirm={options.confirm}: must be `findings`, `kernels` or `all`{hint}")
    for name in ("module", "confirm_timeout", "confirm_backwards", "confirm_stop"):
        if getattr(options, name) and not options.confirm:
            flag = "-m" if name == "module" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} needs --confirm")
    return options, program


def _lint(arguments: Sequence[str]) -> int:
    options, program = _parse(arguments)
    from warp_lint.config import ConfigError
    from warp_lint.engine import Request, lint

    overrides = _overrides(options)
    if options.output_file:
        _writable(Path(options.output_file))
    paths, buffers = _inputs(options)
    request = Request(paths, overrides, buffers, jobs=_jobs(options.jobs), cache=not options.no_cache)
    if options.confirm:
        from warp_lint.confirming import get_ready

        get_ready()
    try:
        result = lint(request)
        fail_on = overrides.fail_on or _fail_on(result, request.paths)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    _say_unknown(result.warp_version)
    confirmation = _confirm(options, program, result) if options.confirm else None
    report = _report(result, confirmation, color=_color(sys.stdout) and not options.output_file)
    _write(_render(report, options.format), options.output_file)
    if report.errors:
        return EXIT_TROUBLE
    if confirmation is not None and not confirmation.ran:
        shown = options.format == "text" and not options.output_file
        if not shown or not any(confirmation.reason in text for text in confirmation.observations):
            print(f"warp-lint: --confirm could not run anything: {confirmation.reason}", file=sys.stderr)
        return EXIT_UNCONFIRMED
    return EXIT_FINDINGS if fails(report, fail_on) else EXIT_OK


def _say_unknown(judged: str) -> None:
    """A Warp outside the measured versions is judged like the nearest of them: that is said."""
    from packaging.version import Version

    from warp_lint.settings import NEWEST_KNOWN, OLDEST_KNOWN

    version = Version(judged)
    if version.release[:2] > NEWEST_KNOWN.release[:2]:
        age, known = "newer", NEWEST_KNOWN
    elif version.release[:2] < OLDEST_KNOWN.release[:2]:
        age, known = "older", OLDEST_KNOWN
    else:
        return
    nearest = f"{known.major}.{known.minor}"
    print(f"warp-lint: Warp {judged} is {age} than those measured; judged like {nearest}", file=sys.stderr)


def fails(report: Report, fail_on: str) -> bool:
    """Do the findings reach the threshold? A refuted one never does."""
    from warp_lint.findings import Severity, Status

    if fail_on == "never":
        return False
    for finding in report.findings:
        status = finding.verdict.status if finding.verdict else Status.UNTESTED
        if fail_on == "confirmed":
            if status is Status.CONFIRMED:
                return True
        elif status is not Status.REFUTED and finding.severity >= Severity[fail_on.upper()]:
            return True
    return False


def _overrides(options: argparse.Namespace) -> Overrides:
    from warp_lint.config import Overrides, parse_version
    from warp_lint.selection import parse_codes

    def codes(name: str) -> tuple[str, ...]:
        try:
            return parse_codes(getattr(options, name) or ())
        except ValueError as error:
            raise UsageError(f"--{name.replace('_', '-')}: {error}") from None

    version = None
    if options.target_warp is not None:
        try:
            version = parse_version(options.target_warp)
        except ValueError as error:
            raise UsageError(f"--target-warp: {error}") from None
    return Overrides(
        select=codes("select") if options.select else None,
        extend_select=codes("extend_select"),
        ignore=codes("ignore") if options.ignore else None,
        extend_ignore=codes("extend_ignore"),
        fail_on=options.fail_on,
        target_warp=version,
    )


def _inputs(options: argparse.Namespace) -> tuple[list[Path], dict[Path, str | bytes]]:
    """Paths to lint, and what standard input stands for."""
    from warp_lint.discover import absolute

    words: list[str] = options.paths
    if options.stdin_filename and "-" not in words:
        raise UsageError("--stdin-filename needs `-` among the paths")
    if options.module:
        from warp_lint.confirming import module_file

        file = module_file(options.module)
        if file is None:
            raise UsageError(f"-m {options.module}: no such module below the working folder")
        words = [*words, str(file)]
    elif not words:
        words = ["."]
    buffers: dict[Path, str | bytes] = {}
    paths: list[Path] = []
    for word in words:
        if word == "-":
            file = absolute(Path(options.stdin_filename or _STDIN))
            buffers[file] = sys.stdin.buffer.read()
            paths.append(file)
        elif "\0" in word or not word:
            raise UsageError(f"{word!r} is no path")
        else:
            paths.append(Path(word))
    return paths, buffers


def _jobs(text: str | None) -> int:
    if text is None or text == "auto":
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise UsageError(f"-j {text}: must be a positive number or `auto`")


def _fail_on(result: Result, paths: Sequence[Path]) -> str:
    """The configuration of the first path decides."""
    from warp_lint.discover import absolute

    first = absolute(paths[0])
    config = result.configs.for_folder(first) if os.path.isdir(first) else result.configs.for_file(first)
    return config.fail_on


def _confirm(options: argparse.Namespace, program: list[str], result: Result) -> Confirmation:
    from warp_lint.confirming import Plan, confirm

    def number(name: str) -> float | None:
        text = getattr(options, name)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < 1e9:
            raise UsageError(f"--{name.replace('_', '-')} {text}: must be a positive number")
        return value

    named = [Path(word) for word in options.paths if word != "-"]
    plan = Plan(
        mode=options.confirm,
        module=options.module,
        files=tuple(path for path in named if os.path.isfile(path)) if len(named) == len(options.paths) else (),
        arguments=tuple(program),
        timeout=number("confirm_timeout"),
        backwards=number("confirm_backwards"),
        stop=options.confirm_stop,
        machine_output=options.format != "text" and options.output_file is None,
    )
    return confirm(result, plan, lambda text: print(f"warp-lint: {text}", file=sys.stderr, flush=True))


def _report(result: Result, confirmation: Confirmation | None, color: bool) -> Report:
    from warp_lint.engine import Displayer
    from warp_lint.report.model import Report

    return Report(
        findings=tuple(result.findings if confirmation is None else confirmation.findings),
        errors=tuple(result.errors),
        warp_version=result.warp_version,
        files=result.files,
        lines=Displayer(Path.cwd()).lines(result.units),
        observations=confirmation.observations if confirmation else (),
        program=confirmation.program if confirmation else None,
        color=color,
    )


def _render(report: Report, name: str) -> str:
    import importlib

    text: str = importlib.import_module(f"warp_lint.report.{name}").render(report)
    return text


def _write(text: str, file: str | None) -> None:
    if file is None:
        if sys.stdout is None:  # closed by who started this; the exit code still tells
            return
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(file).write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        raise UsageError(f"--output-file {file}: {error.strerror or error}") from None


def _writable(file: Path) -> None:
    """Say what is wrong with the report's place before the work, which may take minutes, not after it."""
    if os.path.isdir(file):
        raise UsageError(f"--output-file {file}: is a folder")
    if not os.path.isdir(file.parent):
        raise UsageError(f"--output-file {file}: no such folder as {file.parent}")


def _color(stream: TextIO | None) -> bool:
    """On a terminal, unless NO_COLOR is set; FORCE_COLOR wins where there is none."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _rule(arguments: Sequence[str]) -> int:
    parser = _Parser(prog="warp-lint rule", description="Print the pages of rules.", allow_abbrev=False)
    parser.add_argument("codes", nargs="*", metavar="CODE", help="code or name of a rule, or a prefix of codes")
    parser.add_argument("--all", action="store_true", help="every rule")
    options = parser.parse_args(list(arguments))
    if not options.codes and not options.all:
        raise UsageError("warp-lint rule needs a code, or --all")
    from warp_lint.catalogue import describe
    from warp_lint.codes import RULES
    from warp_lint.selection import parse_codes

    try:
        prefixes = ("ADJ",) if options.all else parse_codes(options.codes)
    except ValueError as error:
        raise UsageError(str(error)) from None
    chosen = [rule for rule in RULES.values() if rule.code.startswith(prefixes)]
    _write("\n".join(describe(rule).rstrip() + "\n" for rule in chosen), None)
    return EXIT_OK
