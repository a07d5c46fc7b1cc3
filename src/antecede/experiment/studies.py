"""The studies of an experiment, with their options in its file. A new study is an entry in `STUDIES`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from antecede.comparison import agreement, correlate
from antecede.evaluation import evaluate
from antecede.experiment.settings import (
    Alpha,
    Correction,
    Count,
    ExistingFile,
    MeasureName,
    MethodName,
    Samples,
    Seed,
    Several,
    Test,
    Text,
    one_of,
    within,
)
from antecede.experiment.toml_document import InvalidValueError, Section, describe_value, make_section, refusing
from antecede.ranges import Range
from antecede.study import cutoffs, read_groups, robustness
from antecede.study.cutoffs import CUTOFFS, FAMILIES, parse_family
from antecede.study.judgement_loss import LOSSES, LOST
from antecede.study.term_counts import COUNTS
from antecede.study.term_counts import MEASURES as TERM_MEASURES

if TYPE_CHECKING:
    from antecede.report.results import Study
    from antecede.tables import Table

MEASURES = ("PRES@1000", "AP@1000", "R@1000")
"""The measures that the papers compare."""


def check_family(text: str) -> str:
    """A measure without a cut-off."""
    parse_family(text, 10)
    return text


class RobustnessOptions(Section):
    measures: Several[MeasureName] = MEASURES
    keep: Several[Annotated[float, within(Range())]] | None = None
    samples: Samples = 100
    seed: Seed | None = None
    lose: Annotated[str, one_of(LOSSES)] | None = None
    lost: Annotated[str, one_of(LOST)] | None = None
    groups: Annotated[ExistingFile, AfterValidator(refusing(read_groups))] | None = None
    rel: Count | None = None


class AgreementOptions(Section):
    measures: Several[MeasureName] = MEASURES
    test: Test | None = None
    correction: Correction | None = None
    alpha: Alpha | None = None
    samples: Samples | None = None
    seed: Seed | None = None


class CorrelateOptions(Section):
    measures: Several[MeasureName] = MEASURES


class CutoffOptions(Section):
    measures: Several[Annotated[Text, AfterValidator(refusing(lambda name: parse_family(name, 10) and name))]] = (
        FAMILIES
    )
    at: Several[Count] = CUTOFFS


class TermOptions(Section):
    measures: Several[MeasureName] = TERM_MEASURES
    methods: Several[MethodName] | None = None
    at: Several[Count] = COUNTS


@dataclass(frozen=True)
class StudyDefinition:
    """A study of the runs in a rank table."""

    options: type[Section]
    """The options in the experiment file; None for the default of the study itself."""
    make: Callable[..., "Study"] | None
    """Takes a rank table and the options; None if the study searches and cannot be made from ranks alone."""
    tables: Callable[[Any], Mapping[str, "Table"]]
    default: bool = True
    """Whether it is made unless the file says otherwise."""
    needs_order: bool = False
    """Whether it studies the order of the runs: a measure that scores all runs equally has none."""


STUDIES: dict[str, StudyDefinition] = {
    "robustness": StudyDefinition(
        RobustnessOptions,
        robustness,
        lambda found: {
            "robustness": found.table(),
            **({"robustness-groups": found.groups_table()} if found.sample_names else {}),
        },
        needs_order=True,
    ),
    "agreement": StudyDefinition(
        AgreementOptions,
        lambda ranks, measures, **options: agreement(evaluate(ranks, measures), **options),
        lambda found: {"agreement": found.table(), "contradictions": found.contradictions_table()},
    ),
    "correlate": StudyDefinition(
        CorrelateOptions,
        lambda ranks, measures: correlate(evaluate(ranks, measures)),
        lambda found: {"correlate": found.table()},
    ),
    "cutoffs": StudyDefinition(
        CutoffOptions, cutoffs, lambda found: {"cutoffs": found.table(), "crossings": found.crossings_table()}
    ),
    "terms": StudyDefinition(TermOptions, None, lambda found: {"terms": found.table()}, default=False),
}
"""By the name of the verb. `terms` searches, so it needs the index."""


def expand_switch(value: Any) -> Any:
    """A study in the file: true, false or a table of options."""
    if not isinstance(value, bool | dict):
        raise InvalidValueError(f"must be true or false, or a table of options, not {describe_value(value)}")
    return ({} if value else None) if isinstance(value, bool) else value


StudySection = make_section(
    "StudySection",
    {name: Annotated[each.options | None, BeforeValidator(expand_switch)] for name, each in STUDIES.items()},
)
"""The studies of the file: a table of options, or None for a study that is switched off."""


def choose_studies(given: Section, *, enough_runs: bool) -> dict[str, dict[str, Any]]:
    """The studies to make, with their options: the default ones if there are enough runs, and those in the file."""
    defaults = {name: each.options() for name, each in STUDIES.items() if each.default and enough_runs}
    chosen = {**defaults, **{name: each for name, each in given if name in given.model_fields_set}}
    return {
        name: {option: value for option, value in options if value is not None}
        for name, options in chosen.items()
        if options is not None
    }
