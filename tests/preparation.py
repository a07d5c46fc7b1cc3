"""Compile once what each process of a test run would compile for itself: every module, and the kernels.

python -m tests.preparation
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


def main() -> None:
    with redirect_stdout(StringIO()):
        pytest.main(["--collect-only", "-p", "no:xdist", "-p", "no:cacheprovider"])
    # After pytest, which writes the bytecode of the modules of tests in a way of its own.
    from tests.conftest import call_program
    from tests.documented_folder import lay

    with TemporaryDirectory() as folder:
        lay(Path(folder))
        index = Path(folder, "clefip.index")
        for expression in ("valve NEAR/5 pressure", '"of the"', "ti:(pressur* OR valve)"):
            call_program("search", index, "--where", expression)


if __name__ == "__main__":
    main()
