"""Instructions of the machine that numba has no name for, to be used in compiled loops."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


def load(_: Any, array: Any, at: Any) -> Any:
    """How to load eight bytes that may begin anywhere."""

    def written(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        place = builder.bitcast(builder.gep(data, [given[1]]), ir.IntType(64).as_pointer())
        found = builder.load(place, align=1)
        return found if sys.byteorder == "little" else builder.bswap(found)

    return types.uint64(array, at), written


def count_zeros(_: Any, number: Any) -> Any:
    """How to count the bits that are not set before the lowest that is."""

    def written(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(number), written


eight_at = cast("Callable[[NDArray[np.uint8], np.uint64], np.uint64]", intrinsic(load))
"""The eight bytes of an array from a place on as one number, the first the lowest; they must be there."""
zeros_below = cast("Callable[[np.uint64], np.uint64]", intrinsic(count_zeros))
"""How many bits of a number lie below the lowest that is set; 64 if none is."""
