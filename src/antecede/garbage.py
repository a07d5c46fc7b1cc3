"""The garbage collector of Python, where it would only cost time."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Disable the garbage collector, which would traverse many objects again and again and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def load_for_good() -> Iterator[None]:
    """The same while modules are loaded; their objects are then in the oldest generation, which is rarely traversed."""
    with pause_garbage_collection():
        yield
        gc.freeze()
        gc.unfreeze()
