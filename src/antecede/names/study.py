"""Studies of measures and judgements: `ac.study.robustness` is `antecede study robustness`."""

from typing import TYPE_CHECKING

from antecede.names import offer

if TYPE_CHECKING:
    from antecede.comparison import agreement as agreement
    from antecede.comparison import correlation as correlation
    from antecede.comparison.correlation_intervals import intervals as intervals
    from antecede.comparison.equivalence import bayes as bayes
    from antecede.comparison.equivalence import equivalence as equivalence
    from antecede.comparison.mixed_model import mixed as mixed
    from antecede.comparison.power import power as power
    from antecede.comparison.tukey import tukey as tukey
    from antecede.experiment.search_studies import query_length as query_length
    from antecede.experiment.search_studies import retrievability as retrievability
    from antecede.study import cutoffs as cutoffs
    from antecede.study import judges as judges
    from antecede.study import measures as measures
    from antecede.study import published as published
    from antecede.study import robustness as robustness
    from antecede.study import simulate as simulate
    from antecede.study.reproducibility import reproducibility as reproducibility
else:
    __getattr__, __dir__ = offer(__name__)
