"""Chunks that are read straight from their files are those that Zarr reads, and what cannot be read so is left to Zarr."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from zstandard import ZstdError

import searchbench as sb
from searchbench.errors import DamagedData
from searchbench.store.chunks import SPOILT, ChunkFiles
from searchbench.store.codecs import parse_codec
from searchbench.store.writing import Layout, write_database

LAYOUTS = [Layout(chunk=50), Layout(chunk=50, files=3, shard=4), Layout(chunk=7, files=3, shard=2), Layout()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("options", [("sliding:2x3",), ("sliding:2x3", "depth", "bfs"), ("awari:3",)], ids=str)
def test_every_chunk_is_what_zarr_reads(tmp_path: Path, layout: Layout, options: tuple[str, ...]) -> None:
    form = "two-bit" if "bfs" in options else None
    write_database(sb.solve(*options, form=form, threads=1), tmp_path / "x.db", layout=layout)
    for part in sb.open_database(tmp_path / "x.db").parts:
        path = tmp_path / "x.db" / "parts" / part.name
        array, files = zarr.open_array(path, mode="r"), ChunkFiles(path)
        whole, seen = np.asarray(array[:]), 0
        for chunk in range(1 << 20):
            wanted = whole[chunk * files._chunk : (chunk + 1) * files._chunk]
            if not len(wanted):
                break
            found = files.read(chunk)
            assert found.dtype == array.dtype
            assert np.array_equal(found, wanted)
            seen += len(found)
        assert seen == len(whole)


def test_wide_numbers_are_read(tmp_path: Path) -> None:
    from zarr.codecs import Crc32cCodec, ZstdCodec

    numbers = np.arange(1000, dtype=np.uint32) * 4_000_000
    options = {"compressors": [ZstdCodec(level=3), Crc32cCodec()], "filters": None, "dtype": "uint32"}
    for name, shards in (("plain", None), ("sharded", (300,))):
        array = zarr.create_array(tmp_path / name, shape=(1000,), chunks=(100,), shards=shards, **options)
        array[:] = numbers
        found = np.concatenate([ChunkFiles(tmp_path / name).read(chunk) for chunk in range(10)])
        assert np.array_equal(found, numbers)
    for name, wrong in (
        ("without a checksum", {"compressors": [ZstdCodec(level=3)]}),
        ("turned", {"serializer": zarr.codecs.BytesCodec(endian="big")}),
    ):
        zarr.create_array(tmp_path / name, shape=(1000,), chunks=(100,), **{**options, **wrong})
        with pytest.raises(ValueError, match="another kind"):
            ChunkFiles(tmp_path / name)


@pytest.mark.parametrize("codec", ["zstd:19", "gzip:6", "lz4:5", "none"])
@pytest.mark.parametrize("layout", [Layout(chunk=50), Layout(chunk=50, files=3, shard=4)], ids=str)
def test_every_codec_is_read_past_zarr(tmp_path: Path, codec: str, layout: Layout) -> None:
    database = sb.solve("sliding:2x3", threads=1)
    write_database(database, tmp_path / "x.db", layout=layout, codec=parse_codec(codec))
    files = ChunkFiles(tmp_path / "x.db" / "parts" / "all")
    for chunk in range(0, 15, 2):
        assert files.read(chunk).tolist() == database.codes[50 * chunk : 50 * chunk + 50].tolist()
    path = tmp_path / "x.db" / "parts" / "all" / "c" / "2"
    content = path.read_bytes()
    path.write_bytes(content[:12] + bytes([content[12] ^ 4]) + content[13:])
    chunk = 2 if layout.files > 3 else 8
    if codec == "none":
        assert files.read(chunk).tolist() != database.codes[50 * chunk : 50 * chunk + 50].tolist()  # its digest tells
    else:
        with pytest.raises(SPOILT):
            files.read(chunk)


def test_a_chunk_that_is_gone_or_spoilt_is_never_answered(tmp_path: Path) -> None:
    database = sb.solve("sliding:2x3", threads=1)
    write_database(database, tmp_path / "x.db", layout=Layout(chunk=50))
    opened = sb.open_database(tmp_path / "x.db")
    path = tmp_path / "x.db" / "parts" / "all"
    assert opened.residue(0) == database.residue(0)
    files = ChunkFiles(path)
    data = (path / "c" / "3").read_bytes()
    (path / "c" / "3").write_bytes(data[:10] + bytes([data[10] ^ 255]) + data[11:])
    with pytest.raises(DamagedData):
        opened.residue(160)
    (path / "c" / "4").write_bytes((path / "c" / "5").read_bytes())  # a whole chunk, but in the place of another
    with pytest.raises(DamagedData):
        opened.residue(210)
    (path / "c" / "6").write_bytes(b"")
    with pytest.raises((ValueError, ZstdError)):
        files.read(6)
    with pytest.raises(DamagedData):
        opened.residue(310)
    (path / "c" / "7").unlink()
    with pytest.raises(OSError, match="No such file"):
        files.read(7)
    with pytest.raises(DamagedData):
        opened.residue(360)


def test_an_array_written_in_another_way_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = sb.solve("sliding:2x3", threads=1)
    database.save(tmp_path / "x.db")

    def refuse(_self: ChunkFiles, _path: Path) -> None:
        raise ValueError("codecs of another kind")

    monkeypatch.setattr(ChunkFiles, "__init__", refuse)
    opened = sb.open_database(tmp_path / "x.db")
    assert [opened.residue(number) for number in range(0, 720, 9)] == database.codes[::9].tolist()
