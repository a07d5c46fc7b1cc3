"""Files, folders and archives: everything in them comes out once, in order, and nothing is left on the disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from antecede.corpus.document import Rejected
from antecede.corpus.files import Entry, find_entries
from antecede.corpus.streams import read_fully
from antecede.errors import InputError
from tests.corpus.hostile_files import zipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TEXT = b"<patent>" + bytes(range(32, 127)) * 30 + b"</patent>"
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


def contents(*paths: str | Path) -> dict[str, bytes | str]:
    """Label to content, or to the reason why there is none."""
    found: dict[str, bytes | str] = {}
    for entry in find_entries(paths):
        name = (entry.file if isinstance(entry, Rejected) else entry.label).replace(f"{Path(paths[0]).parent}/", "")
        assert name not in found
        found[name] = entry.reason if isinstance(entry, Rejected) else read_fully(entry.stream, 1 << 30)
    return found


def tarred(members: Mapping[str, bytes], kind: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("name", COMPRESSED)
def test_compression_is_told_by_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / "named.xml"
    path.write_bytes(COMPRESSED[name](TEXT))
    assert contents(path) == {"named.xml": TEXT}
    path.write_bytes(COMPRESSED[name](TEXT) * 3)
    assert contents(path) == {"named.xml": TEXT * 3}
    path.write_bytes(COMPRESSED[name](b""))
    assert contents(path) == {"named.xml": b""}
    path.write_bytes(COMPRESSED[name](COMPRESSED[name](TEXT)))
    assert contents(path) == {"named.xml": TEXT}


@pytest.mark.parametrize("name", ["", *COMPRESSED])
def test_archives_and_compressed_archives(name: str, tmp_path: Path) -> None:
    pack = COMPRESSED.get(name, bytes)
    path = tmp_path / "a.bin"
    want: dict[str, bytes | str] = {"a.bin!one.xml": TEXT, "a.bin!sub/two.xml": b"2", "a.bin!empty": b""}
    for archive in (zipped, tarred):
        path.write_bytes(pack(archive({"one.xml": TEXT, "sub/two.xml": b"2", "empty": b""})))
        assert contents(path) == want


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_names_of_every_kind_of_tar(kind: int, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    long = "d" * 90 + "/" + "f" * 60
    names = [long, "short", "ümlaut.xml"] + ([] if kind == tarfile.USTAR_FORMAT else ["x" * 300])
    path.write_bytes(tarred(dict.fromkeys(names, TEXT), kind))
    assert contents(path) == {f"a.tar!{name}": TEXT for name in names}


def test_archives_inside_archives_as_the_offices_ship_them(tmp_path: Path) -> None:
    inner = zipped({"x.xml": TEXT, "y.xml.gz": gzip.compress(b"y")})
    path = tmp_path / "bulk.zip"
    path.write_bytes(zipped({"Root/DOC/EP.zip": inner, "index.txt": b"i"}))
    assert contents(path) == {
        "bulk.zip!Root/DOC/EP.zip!x.xml": TEXT,
        "bulk.zip!Root/DOC/EP.zip!y.xml.gz": b"y",
        "bulk.zip!index.txt": b"i",
    }
    path.write_bytes(tarred({"week.zip": inner}))
    assert contents(path)["bulk.zip!week.zip!x.xml"] == TEXT


def test_a_member_may_be_left_unread(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for archive in (zipped, tarred):
        path.write_bytes(archive({"1": TEXT * 100, "2": TEXT, "3": b"3"}))
        heads = [entry.stream.read(3) for entry in find_entries([path]) if isinstance(entry, Entry)]
        assert heads == [b"<pa", b"<pa", b"3"]


def test_folders_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = "b10.xml b9.xml a/2.xml a/10.xml .DS_Store ._b9.xml __MACOSX/x .git/config .x"
    for name in names.split():
        (tmp_path / "f" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "f" / name).write_bytes(name.encode())
    assert list(contents(tmp_path / "f")) == ["f/.x", "f/a/2.xml", "f/a/10.xml", "f/b9.xml", "f/b10.xml"]
    assert list(contents(tmp_path / "f/b10.xml", tmp_path / "f/b9.xml")) == ["b10.xml", "b9.xml"]


def test_links_pipes_and_loops_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.xml").write_bytes(TEXT)
    (folder / "sub" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "z_again").symlink_to(folder / "sub", target_is_directory=True)
    (folder / "link.xml").symlink_to(folder / "sub" / "a.xml")
    (folder / "lost").symlink_to(folder / "nowhere")
    (folder / "circle").symlink_to(folder / "circle")
    os.mkfifo(folder / "pipe")
    found = contents(folder)
    assert found["f/sub/a.xml"] == found["f/link.xml"] == TEXT
    assert found["f/sub/up"] == found["f/z_again"] == "a link to a folder that was already read"
    assert found["f/pipe"] == "not a complete file but a link, a pipe, a device or a part"
    assert found["f/lost"] == "cannot be opened: No such file or directory"
    assert str(found["f/circle"]).startswith("cannot be opened: ")
    assert len(found) == 7


def test_a_deep_folder(tmp_path: Path) -> None:
    deep = tmp_path / "d"
    for _ in range(400):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "x.xml").write_bytes(TEXT)
    assert list(contents(tmp_path / "d").values()) == [TEXT]


def test_a_file_that_is_not_there_or_may_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.xml: cannot be opened: No such file"):
        list(find_entries([tmp_path / "nothing.xml"]))
    path = tmp_path / "secret.xml"
    path.write_bytes(TEXT)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert contents(path) == {"secret.xml": "cannot be opened: Permission denied"}
    path.chmod(stat.S_IRWXU)


def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.xml"))
    path.write_bytes(TEXT)
    (label,) = contents(tmp_path)
    assert label.endswith("/\ufffd.xml")


def test_standard_input() -> None:
    code = (
        "from antecede.corpus.files import find_entries\n"
        "for each in find_entries(['-']): print(each.label, len(each.stream.read(100)))"
    )
    packed = tarred({"x": b"12345"})
    for data, want in ((TEXT, "- 100\n"), (zipped({"x": b"123"}), "-!x 3\n"), (gzip.compress(packed), "-!x 5\n")):
        done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
        assert done.stdout.decode() == want


def test_progress_ends_where_the_files_do(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(TEXT * 1000)
    (tmp_path / "b.zip").write_bytes(zipped({"1": TEXT * 1000, "2": TEXT}))
    (tmp_path / "c.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "d").write_bytes(b"")
    total = sum(path.stat().st_size for path in tmp_path.iterdir())
    told: list[tuple[int, int]] = []
    for entry in find_entries([tmp_path], progress=lambda done, whole: told.append((done, whole))):
        assert isinstance(entry, Entry)
        read_fully(entry.stream, 1000)  # not to its end
    assert told[-1] == (total, total)
    assert all(0 <= done <= whole == total for done, whole in told)


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "work"))
    path = tmp_path / "a.tar"
    path.write_bytes(tarred({"in.zip": zipped({"x.xml": TEXT}), "y.xml": TEXT}))
    assert len(contents(path)) == 2
    assert not list((tmp_path / "work").iterdir())


def test_empty_archives_are_a_row(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({}))
    assert contents(path) == {"a.zip": "an archive without files"}
    path.write_bytes(zipped({"dir/": b"", "__MACOSX/._x": b"x"}))
    assert contents(path) == {"a.zip": "an archive without files"}
