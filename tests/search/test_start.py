"""What a search loads: nothing that only reading files or building an index needs."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from antecede.ranking.features import lexical
from antecede.search.engine import find_topic
from antecede.engine import open_index
from antecede.search.engine import search_index
print(*sys.modules)
"""


def test_a_search_loads_no_reader_of_files() -> None:
    loaded = {
        *subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True).stdout.split()
    }
    assert "antecede.search.engine" in loaded
    readers = {"lxml", "antecede.corpus.collection", "antecede.corpus.applications", "antecede.corpus.splitter"}
    assert not loaded & {*readers, "antecede.index.chunk", "antecede.index.build"}
