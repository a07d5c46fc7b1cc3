"""One decompressor for everything: bounded steps, bounded memory, bounded ratio, nothing cut short."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from antecede.compression import (
    FREE_BYTES,
    MAX_MEMORY,
    RUN_RATIO,
    Decompressed,
    Meter,
    MeteredFile,
    ZstdDecompressor,
    compression_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class ReadError(Exception):
    """What the readers of these tests raise."""


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    # With a checksum, as the zstd program writes it: without one a changed byte cannot be seen.
    "zstd": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
formats = pytest.mark.parametrize("name", COMPRESSORS)


def read(packed: bytes, step: int = 1 << 16, meter: Meter | None = None) -> bytes:
    meter = meter or Meter(ReadError, RUN_RATIO)
    compression = compression_of(packed)
    assert compression is not None
    stream = Decompressed(MeteredFile(io.BytesIO(packed), meter), compression, meter)
    out = bytearray()
    while part := stream.read(step):
        out += part
    assert (meter.read, meter.decompressed) == (len(packed), len(out))
    return bytes(out)


@formats
@given(data=st.binary(max_size=3000), repeated=st.integers(1, 200), step=st.sampled_from([1, 100, 1 << 17]))
def test_what_was_compressed_comes_back(name: str, data: bytes, repeated: int, step: int) -> None:
    whole = data * (repeated if step > 1 else 1)
    packed = COMPRESSORS[name](whole)
    found = compression_of(packed)
    assert found is not None
    assert found.name == name
    assert read(packed, step) == whole


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "zstd"])
@given(parts=st.lists(st.binary(max_size=50), min_size=1, max_size=5), padding=st.integers(0, 3))
def test_members_in_a_row_are_one_stream(name: str, parts: list[bytes], padding: int) -> None:
    packed = bytes(4 * padding).join(COMPRESSORS[name](part) for part in parts) + bytes(512 * padding)
    assert read(packed) == b"".join(parts)
    with pytest.raises(ReadError, match=f"something else follows the {name} data"):
        read(packed + b"GARBAGE AND MORE")


def test_skippable_frames_of_zstd_are_skipped() -> None:
    skipped = struct.pack("<II", 0x184D2A50, 5) + b"hello"  # as pzstd writes before each frame
    frame = COMPRESSORS["zstd"](b"1 Q0 d 1 1 t\n")
    assert read(skipped + frame + skipped + frame + skipped) == b"1 Q0 d 1 1 t\n" * 2


@formats
def test_a_stream_that_ends_early_is_refused_wherever_it_ends(name: str) -> None:
    packed = COMPRESSORS[name](bytes(range(256)) * 40)
    for end in range(10, len(packed)):
        with pytest.raises(ReadError, match=f"the {name} data ends early|damaged {name} data"):
            read(packed[:end])


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd"])
def test_a_bomb_is_stopped_at_the_ratio(name: str) -> None:
    member = b"1 Q0 EP-0000001-A1 1 0.5 tag\n" * (1 << 18)
    packed = COMPRESSORS[name](member) * 40  # 300 MB
    assert len(packed) * 200 + FREE_BYTES < len(member) * 40
    meter = Meter(ReadError, 200)
    with pytest.raises(ReadError, match="unpacks to more than 200 times its size"):
        read(packed, meter=meter)
    assert meter.exceeded
    assert meter.decompressed <= FREE_BYTES + 200 * len(packed) + (17 << 20)


def test_zstd_gives_little_at_a_time() -> None:
    """A block of one repeated byte takes four bytes and gives 128 KB: the densest that a frame can be."""
    block = struct.pack("<I", (128 << 10) << 3 | 1 << 1)[:3] + b"a"
    frame = b"\x28\xb5\x2f\xfd" + bytes([0, 0x58]) + block * 20_000  # 2.5 GB
    machine = ZstdDecompressor()
    sizes = [len(machine.decompress(frame if not at else b"", 1 << 20)) for at in range(5)]
    assert 0 < max(sizes) <= 17 << 20
    with pytest.raises(ReadError, match="unpacks to more than 1000 times"):
        read(frame)


def test_a_window_that_takes_too_much_memory_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=29, enable_ldm=False)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(ReadError, match=r"damaged zstd data: .*memory"):
        read(packer.compress(b"1 Q0 d 1 1 t\n" * 1000) + packer.flush())
    header = b"\x5d" + struct.pack("<IQ", 2 * MAX_MEMORY, 40)  # of lzma, with the size of its dictionary
    with pytest.raises(ReadError, match="damaged lzma data: Memory usage limit"):
        read(header + bytes(100))


@pytest.mark.parametrize("text", [b"BZh1 Q0 d 1 1 t\n", b"BZhang 0 d 1\n", b"PK 0 d 1\n", b"]1 0 d 1\n", b"1 0 d 1\n"])
def test_text_that_begins_like_a_format_is_text(text: bytes) -> None:
    assert compression_of(text) is None
