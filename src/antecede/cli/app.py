"""The program: finds the verbs, runs one, and turns an error into one line and an exit code.

Exit codes: 0 done, 1 done but something was rejected or a gate failed, 2 the input or the call is wrong.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from antecede.cli import verbs
from antecede.cli.bundles import Verb, derive_verb, expand_verb
from antecede.cli.verbs import SECTIONS
from antecede.errors import AntecedeError, printable, wording_for_shell
from antecede.files import cannot_write, remedy_for
from antecede.names import added_operations, find_path

if TYPE_CHECKING:
    from collections.abc import Sequence

WRONG_INPUT = 2
INTERRUPTED = 130
LONGEST_MESSAGE = 5000


MODULES = {name: module for section in SECTIONS.values() for module, names in section.items() for name in names}
"""The module of each verb, by the name of the verb."""
GROUPS = tuple(dict.fromkeys(name.split()[0] for name in MODULES if " " in name))
"""The verbs that are followed by another word."""


def program(words: Sequence[str] = (), *, completing: bool = False) -> typer.Typer:
    """The program. Only the verb that `words` start with is loaded whole; without one, all are listed."""
    chosen = choose_verb(words)
    app = typer.Typer(
        cls=ProgramHelp,
        help="Find what came before, and know how much of it you found: patent prior-art retrieval and its evaluation.",
        epilog="Start with: antecede demo. Errors end with exit code 2; --debug shows where they arose.",
        add_completion=completing or not chosen,
        rich_markup_mode=None,  # plain help starts twice as fast as boxed help
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(top)
    groups: dict[str, typer.Typer] = {}
    shown_group = next((word for word in words if word in GROUPS), None)
    for name in [chosen] if chosen else [*MODULES, *added_verbs()]:
        if not chosen and " " in name and name.split()[0] != shown_group:  # the help names it, and no more
            name_group(app, groups, name)
            continue
        function = load_verb(name)
        command = expand_verb(function) if chosen else lambda: None
        examples = "\b\nExamples:\n  " + "\n  ".join(vars(function)["examples"])
        summary = (function.__doc__ or "").partition("\n")[0]
        group, last = name_group(app, groups, name)
        groups.get(group, app).command(last, cls=VerbCommand, short_help=summary, epilog=examples)(command)
    return app


def name_group(app: typer.Typer, groups: dict[str, typer.Typer], name: str) -> tuple[str, str]:
    """The group and the last word of a verb; a new group is added, with the docstring of its module as its help."""
    group, _, last = name.rpartition(" ")
    if group and group not in groups:
        module = next((module for verb, module in MODULES.items() if verb.startswith(f"{group} ")), None)
        about = importlib.import_module(f"{verbs.__name__}.{module}").__doc__ if module else f"Verbs of {group}."
        groups[group] = typer.Typer(rich_markup_mode=None)
        groups[group].callback()(lambda: None)
        app.add_typer(groups[group], name=group, help=about, short_help=(about or "").partition("\n")[0])
    return group, last


OTHERS = "Of other packages"
"""The heading of verbs that belong to no group of ours."""


class ProgramHelp(TyperGroup):
    """The help of the program: verbs under the headings of `SECTIONS`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        sections = {
            heading: [name for names in modules.values() for name in names] for heading, modules in SECTIONS.items()
        }
        for name in added_verbs():
            group = f"{name.partition(' ')[0]} "
            heading = next((head for head, own in sections.items() if any(v.startswith(group) for v in own)), OTHERS)
            sections.setdefault(heading, []).append(name)
        for heading, own in sections.items():
            with formatter.section(heading):
                verbs: dict[str, list[str]] = {}
                for first, *second in map(str.split, own):
                    verbs.setdefault(first, []).extend(second)
                formatter.write_dl([(name, self.summarise(name, inside)) for name, inside in verbs.items()])

    def summarise(self, name: str, verbs: list[str]) -> str:
        """A line for a verb; a group also names its verbs."""
        summary = self.commands[name].short_help or ""
        return f"{summary.rstrip('.')}: {', '.join(verbs)}." if verbs else summary


class VerbCommand(TyperCommand):
    """A verb whose help writes arguments as `QRELS [RUN...]`; releases of typer differ in how they write them."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        parameters = self.get_params(ctx)
        return ["[OPTIONS]", *(write_argument(given) for given in parameters if given.param_type_name == "argument")]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                argument = parameter.param_type_name == "argument"
                heading = "Arguments" if argument else getattr(parameter, "rich_help_panel", None) or "Options"
                name = write_argument(parameter) if argument else record[0]
                sections.setdefault(heading, []).append((name, record[1]))
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def write_argument(argument: Any) -> str:
    """An argument in the help: as declared, in brackets where it may be left out."""
    name: str = argument.metavar
    return name if argument.required or name.startswith("[") else f"[{name}]"


def added_verbs() -> dict[str, str]:
    """The verbs of other packages, and the names of their operations."""
    return {name.replace(".", " ").replace("_", "-"): name for name in added_operations()}


def choose_verb(words: Sequence[str]) -> str | None:
    """The verb that a command line calls; None where it names none, or only a group."""
    given = [word for word in words if not word.startswith("-")]
    names = (" ".join(given[:1]), " ".join(given[:2]))
    known = next((name for name in names if name in MODULES), None)
    if known is not None or not given:
        return known
    added = added_verbs()  # looked for only where the program has no such verb
    return next((name for name in names if name in added), None)


def load_verb(name: str) -> Verb:
    """The function of a verb, or that which its operation declares; one that would hide a builtin ends in `_`."""
    if name not in MODULES:
        return derive_verb(added_operations()[added_verbs()[name]])
    module = importlib.import_module(f"{verbs.__name__}.{MODULES[name]}")
    last = name.rpartition(" ")[2].replace("-", "_")
    function: Verb | None = getattr(module, f"{last}_", None) or getattr(module, last, None)
    path = find_path(name.replace(" ", ".").replace("-", "_")) if function is None else None
    if path is not None:
        return derive_verb(path)
    if function is None:
        raise AttributeError(f"{module.__name__} has no verb {name}")
    return function


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        commit = find_commit()
        print(version("antecede") + (f" (commit {commit})" if commit else ""))
        raise typer.Exit


def find_commit() -> str | None:
    """The commit of the checkout that this program is, or of the repository that it was installed from."""
    import json
    import shutil
    import subprocess
    from importlib.metadata import distribution
    from pathlib import Path

    checkout, git = Path(__file__).resolve().parents[3], shutil.which("git")
    if (checkout / ".git").exists() and git is not None:
        words = [git, "-C", str(checkout), "describe", "--always", "--dirty", "--exclude", "*"]
        described = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - its own words
        return described.stdout.strip() or None
    origin = json.loads(distribution("antecede").read_text("direct_url.json") or "{}")
    commit: str = origin.get("vcs_info", {}).get("commit_id", "")
    return commit[:12] or None


def top(
    _version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error arose: with any verb, anywhere on the command line.")
    ] = False,
) -> None:
    """Options of the program as a whole."""


def main() -> None:
    """Run the program with the arguments of the command line, or answer the shell that asks for completions."""
    if COMPLETION in os.environ:
        complete()
    gc.set_threshold(100_000)  # modules and documents make many objects, and hardly any garbage
    atexit.register(gc.freeze)  # or Python traverses all objects once more before it ends, for a tenth of a second
    run_program()


def run_program() -> None:
    """Run the program; an error becomes one line and an exit code."""
    debug = "--debug" in sys.argv[1:]
    words = [word for word in sys.argv[1:] if word != "--debug"]
    no_verb = not words or (len(words) == 1 and words[0] in GROUPS)
    escape_unencodable()
    try:
        with wording_for_shell():
            code = call([*words, "--help"] if no_verb else words)
        sys.stdout.flush()
        sys.exit(WRONG_INPUT if no_verb else code)
    except AntecedeError as error:
        stop(str(error), debug=debug, picture=error.picture)
    except (typer.Abort, KeyboardInterrupt):
        then = next((CONTINUED[word] for word in words if word in CONTINUED), "")
        print(f"antecede: interrupted{then}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the output has exited, as `| head` does
        discard_output()
        sys.exit(0)
    except (MemoryError, ImportError, SystemError) as error:
        if not isinstance(error, MemoryError) and not any(sign in str(error) for sign in OUT_OF_MEMORY):
            raise
        stop("not enough memory; give smaller files or fewer runs at a time, or raise the memory limit", debug=debug)
    except OSError as error:  # writing failed, for example because the disk is full
        discard_output()
        if error.filename is not None:
            stop(str(cannot_write(os.fsdecode(error.filename), error, "cannot continue")), debug=debug)
        stop(f"cannot continue ({error.strerror or error}); {remedy_for(error)}", debug=debug)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        # A usage error: errors of the parser are recognised by this method, since their class moves between versions.
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "antecede"
        stop(f"{error.format_message().rstrip('.')}; see {path} --help", debug=debug)


OUT_OF_MEMORY = ("failed to map", "without setting an exception")
"""What a library that cannot be loaded into the memory left says, and what the interpreter says in its place."""
CONTINUED = {
    **dict.fromkeys(("add", "index", "run"), "; the same command with --resume continues"),
    **dict.fromkeys(("demo", "experiment"), "; the same command continues with the step that was interrupted"),
}
"""What to do after an interrupted verb that keeps its work."""


COMPLETION = "_ANTECEDE_COMPLETE"
"""Set by the shell when it asks for completions."""


def complete() -> None:
    """Print the completions that the shell asks for; only the verb on its command line is loaded whole."""
    import shlex

    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    try:
        words = shlex.split(line)
    except ValueError:  # a quote that is still open
        words = line.split()
    command = typer.main.get_command(program(words[1:], completing=True))
    command.main(prog_name="antecede", complete_var=COMPLETION)


def call(words: list[str]) -> int:
    """Run the verb that the words name, and return its exit code. (The parser's `main` would hide a broken pipe.)"""
    command = typer.main.get_command(program(words))
    try:
        with command.make_context("antecede", words) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return 0


def escape_unencodable() -> None:
    """Escape characters that the encoding of the output does not have, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Discard the remaining output, so that the interpreter does not fail on it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stop(message: str, *, debug: bool, picture: str = "") -> None:
    """Print one line that says what is wrong, and exit with code 2. Names in it are escaped: see `printable`.

    A picture of the place is printed below.
    """
    if debug:
        raise
    print(f"antecede: {printable(' '.join(message.splitlines()), LONGEST_MESSAGE)}", file=sys.stderr)
    if picture:
        print(picture, file=sys.stderr)
    sys.exit(WRONG_INPUT)
