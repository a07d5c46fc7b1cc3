"""Names of runs as labels: safe to draw, short enough, and still told apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 24
"""Signs a label may have."""
NAMELESS = "(no name)"


def labels(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """A label for each name. Long names lose their middle: what tells runs apart stands mostly at the ends.

    Names that would then look alike are numbered.
    """
    safe = [shown(name, 10_000) if name.strip() else NAMELESS for name in names]
    cut = [shortened(name, longest) for name in safe]
    seen: Counter[str] = Counter()
    alike = Counter(cut)
    result = []
    for label in cut:
        seen[label] += 1
        result.append(f"{label} [{seen[label]}]" if alike[label] > 1 else label)
    return result


def shortened(name: str, longest: int) -> str:
    """The name itself, or its two ends with an ellipsis between."""
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[-tail:]}"
