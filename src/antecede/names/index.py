"""Building and keeping an index: `ac.index.build` is `antecede index`, `ac.index.add` is `antecede add`."""

from typing import TYPE_CHECKING

from antecede.names import offer

if TYPE_CHECKING:
    from antecede.index import add_to_index, build_index, merge_index, verify_index
    from antecede.index.statistics import describe_index

    add = add_to_index
    build = build_index
    info = describe_index
    merge = merge_index
    verify = verify_index
else:
    __getattr__, __dir__ = offer(__name__)
