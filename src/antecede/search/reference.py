"""The settings of a search as a page of the manual, generated from their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranges import write_number
from antecede.search.settings import search_options

if TYPE_CHECKING:
    from antecede.search.settings import Option

MANUAL_HEAD = """# Search settings

Generated from the code by `make docs`; each setting is declared once, in `src/antecede/search/settings.py`.

Every setting is an option of [search](verbs/search.md), [run](verbs/run.md) and [terms](verbs/terms.md) (those that
affect the query also of [query](verbs/query.md)); a key of `[search]` and `[[runs]]` in an
[experiment file](experiments.md); and a keyword argument of `index.search`, `search_index`, `rank`, `run_topics` and
`make_query` in Python, or a field of `SearchSettings`, which all of them accept. A setting has the same meaning
everywhere.

In `[search]` of an experiment file, a list specifies several runs, one for each value; methods and models are listed as
`methods` and `models` there. Settings that take a list themselves, such as `ipc` and `relevant`, do not multiply runs.
`terms` may also be given by language: `{ en = 75, fr = 45 }`.
"""


def settings_manual() -> str:
    """The manual page of all settings."""
    return "\n\n".join([MANUAL_HEAD.rstrip(), *map(write_section, search_options())]) + "\n"


def write_section(option: Option) -> str:
    """One setting: how it is written in each place, its default and range, and what it does."""
    flags = ", ".join(f"`{flag}`" for flag in option.flags or (f"--{option.name.replace('_', '-')}",))
    facts = [
        f"Command line: {flags}. Python: `{option.name}`.",
        f"Default: {default_text(option)}.",
        *([f"One of {', '.join(f'`{each}`' for each in option.choices)}."] if option.choices else []),
        *([f"Range: `{option.range.as_inequality(option.name)}`."] if option.range is not None else []),
    ]
    return f"## {option.name}\n\n{option.help}\n\n{' '.join(facts)}"


def default_text(option: Option) -> str:
    """The default in words."""
    if option.default_text is not None:
        return option.default_text
    if option.several:
        return ", ".join(f"`{each}`" for each in option.default) or "none"
    return f"`{write_number(option.default)}`".replace("`False`", "off")
