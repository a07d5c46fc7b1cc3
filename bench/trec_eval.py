"""Gets the C program trec_eval where a package of it exists: Maven Central has it for Linux on x86-64."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from bench.peers import FETCHED_TREC_EVAL, trec_eval_program
from bench.section import WORK, tell

ARTIFACT = "uk.ac.gla.dcs.terrierteam:jtreceval:0.0.5"
ARCHIVE = "jtreceval-0.0.5.jar"
SHA256 = "76ee01253a2f6a161d01cff955f3c4c96fb15d8b0cb6545509668f80bf42c608"
PROGRAM = "trec_eval-linux-amd64"


def provide() -> None:
    """Fetch trec_eval unless there is one. Without Maven, or offline, the bench goes on without it."""
    if trec_eval_program() is not None:
        return
    maven = shutil.which("mvn")
    if maven is None or (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return
    tell(f"fetching trec_eval ({ARTIFACT} from Maven Central) into bench/work")
    FETCHED_TREC_EVAL.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FETCHED_TREC_EVAL.parent) as folder:
        # A repository of its own: nothing is left in the user's home.
        settings = (f"-Dmaven.repo.local={WORK / 'maven'}", f"-DoutputDirectory={folder}", f"-Dartifact={ARTIFACT}")
        command = [maven, "-q", "-B", "dependency:copy", *settings]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
        except (subprocess.SubprocessError, OSError):
            tell("trec_eval could not be fetched")
            return
        _unpack(Path(folder) / ARCHIVE)


def _unpack(archive: Path) -> None:
    """Take the program out of the archive, if it is the archive we know."""
    content = archive.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        tell(f"{archive.name} is not the file we know; trec_eval is left out")
        return
    with zipfile.ZipFile(archive) as members:
        fresh = archive.with_name("trec_eval")
        fresh.write_bytes(members.read(PROGRAM))
    fresh.chmod(0o755)
    fresh.replace(FETCHED_TREC_EVAL)
