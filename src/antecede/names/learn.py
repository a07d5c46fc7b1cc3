"""What a collection teaches: `ac.learn.weights` is `antecede learn weights`."""

from typing import TYPE_CHECKING

from antecede.names import offer

if TYPE_CHECKING:
    from antecede.index import learn_space
    from antecede.learning.weights import weights as weights
    from antecede.query.translation import learn_translations

    space = learn_space
    translations = learn_translations
else:
    __getattr__, __dir__ = offer(__name__)
