"""SQLite files as nobody but a stranger makes them."""

from __future__ import annotations

LEVELS, CHILDREN = 8, 300


def with_endless_schema(content: bytes, table: str) -> bytes:
    """A file whose schema takes for ever to read: its pages name the next one hundreds of times each.

    The last one has a row that says nothing new: the index that SQLite makes by itself for the key of a table.

    Args:
        content: A file whose schema fits on its first page.
        table: A table with such an index.
    """
    size = int.from_bytes(content[16:18], "big")
    first = len(content) // size + 1
    cells, begin = (int.from_bytes(content[at : at + 2], "big") for at in (103, 105))
    tables = content[100 : 108 + 2 * cells].ljust(begin, b"\0") + content[begin:size]  # the schema, on another page
    texts = [text.encode() for text in ("index", f"sqlite_autoindex_{table}_1", table)]
    record = bytes((6, *(13 + 2 * len(text) for text in texts), 1, 0)) + b"".join(texts) + b"\3"
    row = bytes((len(record), 1)) + record
    at = (size - len(row)).to_bytes(2, "big")
    leaf = (b"\x0d\0\0\0\1" + at + b"\0" + at).ljust(size - len(row), b"\0") + row
    levels = [_inner_page(size, [first + level] * CHILDREN) for level in range(LEVELS)]
    root = _inner_page(size, [first + LEVELS + 1, first + LEVELS], 100)
    header = content[:28] + (first + LEVELS + 1).to_bytes(4, "big") + content[32:100]
    return header + root[100:] + content[size:] + leaf + b"".join(levels) + tables


def _inner_page(size: int, children: list[int], start: int = 0) -> bytes:
    """A page of a table that names others; the header of the file, if any, is left blank."""
    cells = [child.to_bytes(4, "big") + b"\1" for child in children[:-1]]
    first = size - 5 * len(cells)
    head = b"\5\0\0" + len(cells).to_bytes(2, "big") + first.to_bytes(2, "big") + b"\0"
    head += children[-1].to_bytes(4, "big")
    head += b"".join((first + 5 * at).to_bytes(2, "big") for at in range(len(cells)))
    return (bytes(start) + head).ljust(first, b"\0") + b"".join(cells)
