"""antecede case user"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli.bundles import verb
from antecede.cli.outputs import Input


@verb(
    "antecede case user users.json ann < password.txt",
    "antecede case user users.json ann --remove",
)
def user(
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The users file; it is created if it does not exist.", show_default=False),
        Input(),
    ],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the user.", show_default=False)],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the user.")] = False,
) -> None:
    """Add a user of the page, or change the password, which is asked for or read from standard input; or remove one.

    Only a hash of the password (argon2) is stored.
    """
    import getpass
    import sys

    from antecede.cli.output import show_text
    from antecede.web.access import put_user

    password = None
    if not remove:
        asked = sys.stdin is not None and sys.stdin.isatty()
        password = getpass.getpass("Password: ") if asked else sys.stdin.readline().rstrip("\r\n")
    put_user(file, name, password)
    show_text(f"{file}: {name} {'removed' if remove else 'may sign in'}")
