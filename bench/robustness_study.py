"""The robustness study, timed.

    python -P bench/robustness_study.py FILE.npz SAMPLES MEASURE…

prints its seconds as JSON, without those needed to load the code and the rank table.
"""

from __future__ import annotations

import json
import sys
import time


def main(table_file: str, samples: str, *measures: str) -> None:
    from antecede import RankTable
    from antecede.study import robustness

    table = RankTable.load(table_file)
    begin = time.perf_counter()
    robustness(table, list(measures), samples=int(samples))
    json.dump({"seconds": time.perf_counter() - begin}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
