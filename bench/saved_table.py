"""antecede from a saved rank table, through its Python interface.

    python -P bench/saved_table.py build FILE.npz QRELS RUN…
    python -P bench/saved_table.py score FILE.npz MEASURE…

`score` prints its seconds as JSON: `imports` to load the code, `work` from opening the file to the means.
"""

from __future__ import annotations

import json
import sys
import time


def build(table_file: str, qrels_file: str, *run_files: str) -> None:
    import antecede

    antecede.rank_table(qrels_file, list(run_files)).save(table_file)


def score(table_file: str, *measures: str) -> None:
    begin = time.perf_counter()
    from antecede import RankTable, evaluate

    loaded = time.perf_counter()
    evaluate(RankTable.load(table_file), list(measures))
    json.dump({"imports": loaded - begin, "work": time.perf_counter() - loaded}, sys.stdout)


if __name__ == "__main__":
    verb = build if sys.argv[1] == "build" else score
    verb(*sys.argv[2:])
