"""Checks a case file in a process of its own, with bounded memory and time, and writes it to a store of its own.

python -m antecede.web.case_reader FILE STORE
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

from antecede.errors import AntecedeError
from antecede.web.case_file import SOURCE, unpack_case
from antecede.web.upload_reader import MEMORY, limit_resources


def main(words: list[str]) -> int:
    """Read the file that the words name."""
    limit_resources()
    gc.disable()  # nothing is to be collected: what is read is a tree, and the process ends soon
    found = {}
    try:
        unpack_case(Path(words[0]).read_bytes(), Path(words[1]), SOURCE)
    except AntecedeError as error:
        found = {"error": str(error)}
    except MemoryError:
        found = {"error": f"{SOURCE}: needs more memory than the limit of {MEMORY >> 20} MB"}
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
