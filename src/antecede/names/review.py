"""Reviews of what was found: `ac.review.start` is `antecede review start`."""

from typing import TYPE_CHECKING

from antecede.names import offer

if TYPE_CHECKING:
    from antecede.review.assessment import calibrate as calibrate
    from antecede.review.estimators import estimate as estimate
    from antecede.review.judged_topics import read_judged as read_judged
    from antecede.review.simulation import simulate_reviews
    from antecede.review.sources import start_review
    from antecede.review.status import review_status
    from antecede.review.stopping import decide

    simulate = simulate_reviews
    start = start_review
    status = review_status
    stop = decide
else:
    __getattr__, __dir__ = offer(__name__)
