"""Arrays are those that Zarr writes and reads, file by file; damaged chunks are never answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zstandard import ZstdError

import searchbench as sb
from searchbench.errors import DamagedData
from searchbench.store.arrays import ArrayFiles
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


def test_other_arrays_of_zarr_are_refused(tmp_path: Path) -> None:
    from zarr.codecs import Crc32cCodec, ZstdCodec

    options: dict[str, Any] = {"compressors": [ZstdCodec(level=3), Crc32cCodec()], "filters": None, "dtype": "uint32"}
    for name, wrong in (
        ("without a checksum", {"compressors": [ZstdCodec(level=3)]}),
        ("turned", {"serializer": zarr.codecs.BytesCodec(endian="big")}),
        ("in squares", {"shape": (10, 10), "chunks": (5, 5)}),
    ):
        zarr.create_array(tmp_path / name, **{"shape": (1000,), "chunks": (100,), **options, **wrong})
        with pytest.raises(DamagedData, match="another kind"):
            ChunkFiles(tmp_path / name)


CODECS = ["zstd:3", "zstd:19", "gzip:6", "lz4:5", "none"]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("kind", ["uint8", "uint16", "int64", "uint64", "bool"])
def test_arrays_are_those_that_zarr_writes_and_reads(tmp_path: Path, codec: str, kind: str) -> None:
    chance = np.random.default_rng(1)
    group = zarr.create_group(tmp_path / "zarr")
    for number in range(12):
        rows, chunk, per_file = (int(chance.integers(1, most)) for most in (60, 9, 5))
        shape = (rows, 3) if number % 3 == 2 else (rows,)
        values = chance.integers(0, 2 if kind == "bool" else 200, shape).astype(kind)
        packing = parse_codec(codec)
        ours = ArrayFiles(tmp_path / "ours" / str(number), shape, values.dtype, chunk, per_file, 1, packing)
        ours.path.parent.mkdir(exist_ok=True)
        ours.create()
        in_file = chunk * per_file
        middle = rows // in_file // 2 * in_file
        ours.write(middle, values[middle:])
        if middle:
            ours.write(0, values[:middle])
        row = shape[1:]
        made = group.create_array(
            str(number), shape=shape, dtype=kind, chunks=(chunk, *row), shards=(in_file, *row) if per_file > 1 else None,
            fill_value=1, filters=None, compressors=compressors(codec), config={"write_empty_chunks": True},
        )  # fmt: skip
        made[...] = values
        document = json.loads((ours.path / "zarr.json").read_text())
        assert document == json.loads((tmp_path / "zarr" / str(number) / "zarr.json").read_text())
        assert np.array_equal(zarr.open_array(ours.path, mode="r")[...], values)
        for path in (ours.path, tmp_path / "zarr" / str(number)):
            found = ChunkFiles(path).read_all()
            assert (found.dtype, found.shape) == (values.dtype, shape)
            assert np.array_equal(found, values)
    assert json.loads((tmp_path / "ours" / "zarr.json").read_text()) == json.loads(
        (tmp_path / "zarr" / "zarr.json").read_text()
    )


def compressors(codec: str) -> Any:
    """Return Zarr's own codecs for a name of ours."""
    from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

    name, _, level = codec.partition(":")
    if name == "none":
        return None
    lz4 = {"cname": "lz4hc", "shuffle": "noshuffle", "typesize": 1}
    made = {"zstd": (ZstdCodec, {"level": level}), "gzip": (GzipCodec, {"level": level}), "lz4": (BloscCodec, lz4)}
    kind, options = made[name]
    return [kind(**options | ({"clevel": int(level)} if name == "lz4" else {"level": int(level)})), Crc32cCodec()]


@pytest.mark.parametrize("codec", CODECS[1:])
@pytest.mark.parametrize("layout", [Layout(chunk=50), Layout(chunk=50, files=3, shard=4)], ids=str)
def test_every_codec_is_read(tmp_path: Path, codec: str, layout: Layout) -> None:
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


def test_a_wrong_checksum_alone_is_noticed_and_mended(tmp_path: Path) -> None:
    """The last bytes of a shard are the checksum of its index, which no digest covers."""
    database = sb.solve("sliding:2x3", threads=1)
    for name, layout in (("chunks", Layout(chunk=50)), ("shards", Layout(chunk=50, files=3, shard=4))):
        write_database(database, tmp_path / name, layout=layout)
        path = tmp_path / name / "parts" / "all" / "c" / "2"
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(DamagedData, match="checksum"):
            sb.open_database(tmp_path / name).verify()
        sb.repair(tmp_path / name)
        assert sb.open_database(tmp_path / name).verify()
        assert np.array_equal(zarr.open_array(tmp_path / name / "parts" / "all")[...], database.codes)
