# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices of other packages have the bits of those in memory, whatever their chunks are."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from optional import package

import tessera
import tessera.linalg

M, N = 1500, 60
LIMIT = "2MiB"


@pytest.fixture(params=[np.float32, np.float64])
def a(request):
    return np.random.default_rng(1).standard_normal((M, N)).astype(request.param)


def same(stream, a):
    assert isinstance(stream, tessera.StreamedMatrix)
    assert stream.shape == a.shape and stream.dtype == a.dtype and stream.order == "C"
    v = np.random.default_rng(2).standard_normal(a.shape[1]).astype(a.dtype)
    u = np.random.default_rng(3).standard_normal(a.shape[0]).astype(a.dtype)
    for again in (stream, pickle.loads(pickle.dumps(stream))):
        assert tessera.atax(again, v).tobytes() == tessera.atax(a, v).tobytes()
        assert tessera.rmatvec(again, u).tobytes() == tessera.rmatvec(a, u).tobytes()
    found, expected = (tessera.linalg.lstsq(x, u)[0] for x in (stream, a))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("sizes", [[M], [1, 0, 700, 7, M - 708], [100] * 15])
def test_blocks(a, sizes):
    same(tessera.from_blocks(np.split(a, np.cumsum(sizes)[:-1]), memory_limit=LIMIT), a)


def test_blocks_are_sliced_and_not_copied(a):
    class Counting:
        shape, dtype = a.shape, a.dtype
        rows = 0

        def __getitem__(self, part):
            assert part[0].stop - part[0].start < M
            Counting.rows += part[0].stop - part[0].start
            return a[part]

    tessera.matvec(tessera.from_blocks([Counting(), Counting()], memory_limit="256KiB"), np.ones(N, a.dtype))
    assert Counting.rows == 2 * M


def test_types_of_blocks():
    halves = np.arange(6).reshape(3, 2).astype(np.float16)
    stream = tessera.from_blocks([halves, halves.astype(np.float32)])
    assert stream.dtype == np.float32
    assert tessera.matvec(stream, np.ones(2, np.float32)).tolist() == [1, 5, 9] * 2
    assert tessera.from_blocks([[[1, 2]], np.ones((1, 2), bool)]).dtype == np.float64
    assert tessera.from_blocks([halves], dtype="f64").dtype == np.float64
    big = np.array([[2**53, 2**53 + 1]])
    for wrong, sentence in ((big, "found 9007199254740993 in row 0, which float64 does not hold exactly"),
                            (big.astype(np.uint64), "found 9007199254740993 in row 0")):
        with pytest.raises(ValueError, match=sentence):
            tessera.matvec(tessera.from_blocks([wrong]), np.ones(2))
    assert tessera.matvec(tessera.from_blocks([big - 1]), np.array([0.0, 1.0])).tolist() == [2.0**53]
    with pytest.raises(ValueError, match=r"found 1e\+300 in row 1, which float32 does not hold"):
        tessera.matvec(tessera.from_blocks([[[1.0], [1e300]]], dtype="f32"), np.ones(1, np.float32))
    with pytest.raises(TypeError, match="expected real numbers, found elements of type complex128"):
        tessera.from_blocks([np.ones((2, 2), complex)])
    with pytest.raises(ValueError, match=r"with 2 columns, found shape \(2, 3\) of block 1"):
        tessera.from_blocks([np.ones((2, 2)), np.ones((2, 3))])
    with pytest.raises(ValueError, match=r"expected matrices, found shape \(2,\) of block 1"):
        tessera.from_blocks([np.ones((2, 2)), np.ones(2)])
    with pytest.raises(TypeError, match="expected a sequence of matrices, found one ndarray"):
        tessera.from_blocks(np.ones((2, 2)))
    with pytest.raises(ValueError, match="at least one row and one column"):
        tessera.from_blocks([np.ones((0, 2))])
    with pytest.raises(TypeError, match="found 1 masked ones in rows from 0 on"):
        tessera.matvec(tessera.from_blocks([np.ma.masked_greater(np.ones((2, 2)) * [[1], [5]], 4)[:, :1]]), np.ones(1))


@pytest.mark.parametrize("chunks", [(M, N), (100, 7), ((1, 700, 799), (30, 30))])
def test_dask(a, chunks):
    dask_array = package("dask.array")
    same(tessera.from_dask(dask_array.from_array(a, chunks=chunks), memory_limit="4MiB"), a)


def test_dask_on_workers(a):
    distributed = package("distributed")
    dask_array = package("dask.array")
    v = np.ones(N, a.dtype)
    for workers in (1, 2, 5):
        with distributed.Client(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None):
            x = dask_array.from_array(a, chunks=(M // workers, N))
            assert tessera.atax(tessera.from_dask(x), v).tobytes() == tessera.atax(a, v).tobytes()


def test_chunks_that_are_too_large_for_the_limit():
    dask_array = package("dask.array")
    x = dask_array.ones((M, N), chunks=(M, N))
    with pytest.raises(ValueError, match=rf"at least {M * N * 8 * 4} bytes, found 1048576: .*x.rechunk"):
        tessera.from_dask(x, memory_limit="1MiB")
    with pytest.raises(ValueError, match="x.compute_chunk_sizes"):
        tessera.from_dask(x[x[:, 0] > 0])
    with pytest.raises(TypeError, match="expected a dask array, found ndarray"):
        tessera.from_dask(np.ones((2, 2)))


def test_each_chunk_is_computed_once_in_a_pass(a):
    dask_array = package("dask.array")
    computed = []

    def made(block_info=None):
        (first, end), _ = block_info[None]["array-location"]
        computed.append(first)
        return a[first:end]

    x = dask_array.map_blocks(made, chunks=((500,) * 3, (N,)), dtype=a.dtype, meta=np.empty((0, 0), a.dtype))
    tessera.matvec(tessera.from_dask(x, memory_limit="2MiB"), np.ones(N, a.dtype))
    assert sorted(computed) == [0, 500, 1000]


def test_xarray(a):
    xarray = package("xarray")
    same(tessera.from_xarray(xarray.DataArray(a), memory_limit=LIMIT), a)
    with pytest.raises(TypeError, match='found Dataset; name one of its variables: ds\\["name"\\]'):
        tessera.from_xarray(xarray.Dataset())


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("chunks", [(100, 7), (M, 5), (1, N)])
def test_zarr(a, zarr_format, chunks, tmp_path):
    zarr = package("zarr")
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=zarr_format)
    made = group.create_array("x", shape=a.shape, chunks=chunks, dtype=a.dtype)
    made[:] = a
    same(tessera.from_zarr(tmp_path / "a.zarr", name="x", memory_limit=LIMIT), a)
    same(tessera.from_zarr(group["x"], memory_limit="1536KiB"), a)
    with pytest.raises(ValueError, match="expected an array, found Group; name one of it: x"):
        tessera.from_zarr(tmp_path / "a.zarr")
    made.attrs["scale_factor"] = 0.5
    with pytest.raises(ValueError, match="attribute scale_factor = 0.5; open the array with xarray"):
        tessera.from_zarr(group["x"])


def h5ad(path, a):
    """What AnnData stores of a dense X, a layer, an entry of obsm and a sparse layer."""
    with package("h5py").File(path, "w") as file:
        file["X"], file["layers/twice"], file["obsm/X_pca"] = a, 2 * a, a[:, :3]
        for name in ("data", "indices", "indptr"):
            file[f"layers/sparse/{name}"] = np.arange(3)
        file["layers/sparse"].attrs["encoding-type"] = "csr_matrix"
    return path


def test_anndata_files(a, tmp_path):
    if not tessera.info()["hdf5"]:
        pytest.skip("NOT RUN: this build reads no HDF5 files")
    path = h5ad(tmp_path / "a.h5ad", a)
    same(tessera.from_anndata(path, memory_limit=LIMIT), a)
    same(tessera.from_anndata(path, layer="twice", memory_limit=LIMIT), 2 * a)
    assert tessera.from_anndata(str(path), obsm="X_pca").shape == (M, 3)
    with pytest.raises(OSError, match=r"is a sparse matrix: .*data, indices and indptr; store its .toarray\(\) .* layer"):
        tessera.from_anndata(path, layer="sparse")
    with pytest.raises(OSError, match="cannot be opened: expected a dataset"):
        tessera.from_anndata(path, layer="missing")
    with pytest.raises(ValueError, match="expected layer or obsm, found both"):
        tessera.from_anndata(path, layer="twice", obsm="X_pca")


def test_anndata_objects(a, tmp_path):
    anndata, sparse = package("anndata"), package("scipy.sparse")
    made = anndata.AnnData(a, layers={"sparse": sparse.csr_matrix(a)}, obsm={"X_pca": a[:, :3]})
    same(tessera.from_anndata(made, memory_limit=LIMIT), a)
    same(tessera.from_anndata(made[10:50], memory_limit=LIMIT), a[10:50])
    assert tessera.from_anndata(made, obsm="X_pca").shape == (M, 3)
    with pytest.raises(TypeError, match=r"layers/sparse is sparse: .*toarray\(\), for example as a layer, and pass layer="):
        tessera.from_anndata(made, layer="sparse")


def safetensors(path, **tensors):
    header, data = {"__metadata__": {"made": "by hand"}}, b""
    for name, (kind, values) in tensors.items():
        raw = values.tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_safetensors(a, tmp_path):
    kind = {4: "F32", 8: "F64"}[a.dtype.itemsize]
    path = safetensors(tmp_path / "a.safetensors", odd=("U8", np.arange(3, dtype="u1")), a=(kind, a))
    same(tessera.from_safetensors(path, "a", memory_limit=LIMIT), a)
    with pytest.raises(ValueError, match="expected the name of a tensor, one of odd, a; none is named"):
        tessera.from_safetensors(path)
    with pytest.raises(ValueError, match=r"found tensor 'odd' of shape \(3,\)"):
        tessera.from_safetensors(path, "odd")
    stream = tessera.from_safetensors(path, "a")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(OSError, match="is truncated or damaged: expected"):
        tessera.from_safetensors(path, "a")
    with pytest.raises(OSError, match="has changed since it was opened"):
        tessera.matvec(stream, np.ones(N, a.dtype))


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_half_precision_of_safetensors(kind, a, tmp_path):
    wide = a.astype(np.float16).astype(np.float32) if kind == "F16" else a.astype(np.float32).view(np.uint32) >> 16
    stored = wide.astype(np.float16 if kind == "F16" else np.uint16)
    wide = wide if kind == "F16" else (wide << 16).astype(np.uint32).view(np.float32)
    same(tessera.from_safetensors(safetensors(tmp_path / "a.safetensors", a=(kind, stored)), memory_limit=LIMIT), wide)


def test_files_of_the_package_safetensors(a, tmp_path):
    package("safetensors.numpy").save_file({"w": a}, tmp_path / "a.safetensors")
    same(tessera.from_safetensors(tmp_path / "a.safetensors", "w", memory_limit=LIMIT), a)


@pytest.mark.parametrize("content", [b"", b"\x05", b"\xff" * 40, b"\x02" + b"\0" * 7 + b"[]", b"\x09" + b"\0" * 7 + b'{"a":[1]}'])
def test_files_that_are_no_safetensors(content, tmp_path):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises((OSError, ValueError), match="is no safetensors file|expected the name of a tensor"):
        tessera.from_safetensors(tmp_path / "a", "a")


@pytest.mark.parametrize("is_compressed", [False, True])
def test_fits(a, is_compressed, tmp_path):
    fits = package("astropy.io.fits")
    path = tmp_path / "a.fits"
    if is_compressed:  # without loss
        image = fits.CompImageHDU(a, compression_type="GZIP_2", tile_shape=(100, N), quantize_level=0)
    else:
        image = fits.ImageHDU(a)
    image.name = "IMAGE"
    table = fits.BinTableHDU.from_columns([fits.Column("t", "D", array=np.arange(3.0))])
    fits.HDUList([fits.PrimaryHDU(), table, image, fits.ImageHDU(2 * a)]).writeto(path)
    same(tessera.from_fits(path, memory_limit=LIMIT), a)
    same(tessera.from_fits(path, "IMAGE", memory_limit=LIMIT), a)
    same(tessera.from_fits(str(path), 3, memory_limit=LIMIT), 2 * a)
    with pytest.raises(ValueError, match=r"expected an image, found a table in HDU 1; images are in \[2, 3\]"):
        tessera.from_fits(path, 1)
    with pytest.raises(ValueError, match=r"expected an image or a cube of images, found shape \(\) in HDU 0"):
        tessera.from_fits(path, 0)
    stream = tessera.from_fits(path)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(OSError, match="has changed since it was opened"):
        tessera.matvec(stream, np.ones(N, a.dtype))


def test_scaled_fits_and_cubes(tmp_path):
    fits = package("astropy.io.fits")
    counts = np.arange(60, dtype=np.uint16).reshape(5, 3, 4) + 40000  # stored with BZERO
    fits.PrimaryHDU(counts).writeto(tmp_path / "cube.fits")
    same(tessera.from_fits(tmp_path / "cube.fits"), counts.reshape(5, 12).astype(float))
    assert tessera.from_fits(tmp_path / "cube.fits", dtype="f32").dtype == np.float32
    scaled = fits.PrimaryHDU(np.arange(12, dtype=np.int16).reshape(4, 3))
    scaled.header["BSCALE"], scaled.header["BZERO"], scaled.header["BLANK"] = 0.5, 10.0, 6
    scaled.writeto(tmp_path / "scaled.fits")
    found = tessera.matvec(tessera.from_fits(tmp_path / "scaled.fits", dtype="f64"), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_array_equal(found, [10, 11.5, np.nan, 14.5])
    fits.PrimaryHDU(np.zeros(4)).writeto(tmp_path / "line.fits")
    with pytest.raises(ValueError, match="expected an image, found none"):
        tessera.from_fits(tmp_path / "line.fits")
    (tmp_path / "no.fits").write_bytes(b"nothing")
    with pytest.raises(OSError, match=r"no\.fits: expected a FITS file, found: "):
        tessera.from_fits(tmp_path / "no.fits")
    for missing in (7, "NONE"):
        with pytest.raises(ValueError, match=rf"scaled\.fits: has no HDU {missing!r}; images are in \[0\]"):
            tessera.from_fits(tmp_path / "scaled.fits", missing)


def test_paths_of_a_wrong_kind():
    for name in ("from_safetensors", "from_fits"):
        for wrong in (None, 3):
            with pytest.raises(TypeError, match=f"tessera.{name}: path must be a text or a path, found {wrong}"):
                getattr(tessera, name)(wrong)
def parquet(path, columns, **options):
    arrow, parquet = package("pyarrow"), package("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), path, **options)
    return path


@pytest.mark.parametrize("rows", [M, 70])
def test_parquet(a, rows, tmp_path):
    path = parquet(tmp_path / "a.parquet", {f"c{j}": a[:, j] for j in range(N)}, row_group_size=rows)
    same(tessera.from_parquet(path, memory_limit=LIMIT), a)
    same(tessera.from_parquet(path, columns=["c7", "c2"], memory_limit=LIMIT), np.ascontiguousarray(a[:, [7, 2]]))
    same(tessera.from_parquet([path, path], memory_limit=LIMIT), np.concatenate([a, a]))


def test_missing_values_in_parquet(tmp_path):
    values = [1, None, 2**53, 4] * 30
    columns = {"x": values, "y": [0.5, 1.5, None, 4.0] * 30, "z": range(120)}
    found = []
    for rows, statistics in ((120, True), (7, False)):
        path = parquet(tmp_path / "a.parquet", columns, row_group_size=rows, write_statistics=statistics)
        with pytest.raises(ValueError, match="column 'x' has [0-9]+ missing values: expected none; nulls=\"mean\""):
            tessera.matvec(tessera.from_parquet(path), np.ones(3))
        found.append(tessera.matvec(tessera.from_parquet(path, nulls="mean"), np.array([1.0, 1e3, 0.0])))
    assert found[0].tobytes() == found[1].tobytes()
    assert found[0][:4].tolist() == [501, (5 + 2**53) / 3 + 1500, 2**53 + 2000, 4004]
    with pytest.raises(ValueError, match="nulls must be \"error\" or \"mean\", found 'drop'"):
        tessera.from_parquet(path, nulls="drop")


def test_columns_of_parquet_that_are_no_numbers(tmp_path):
    path = parquet(tmp_path / "a.parquet", {"name": ["a", "b"], "x": [1.0, 2.0], "i": [2**53 + 1, 0]})
    with pytest.raises(TypeError, match=r"found column 'name' of type string; choose columns, for example columns=\['x', 'i'\]"):
        tessera.from_parquet(path)
    with pytest.raises(ValueError, match="expected one column 'y', found the columns name, x, i"):
        tessera.from_parquet(path, columns=["y"])
    with pytest.raises(ValueError, match="found 9007199254740993 in row 0"):
        tessera.matvec(tessera.from_parquet(path, columns=["i"]), np.ones(1))


@pytest.mark.parametrize("compression", [None, "lz4"])
@pytest.mark.parametrize("rows", [M, 70])
def test_arrow(a, rows, compression, tmp_path):
    arrow, ipc = package("pyarrow"), package("pyarrow.ipc")
    table = arrow.table({f"c{j}": a[:, j] for j in range(N)})
    batches = [*table.slice(0, 70).to_batches(), *table.slice(70, 0).to_batches(), *table.slice(70).to_batches(rows)]
    table = arrow.Table.from_batches(batches)
    with ipc.new_file(tmp_path / "a.arrow", table.schema, options=ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)
    for source in (table, tmp_path / "a.arrow"):
        same(tessera.from_arrow(source, memory_limit=LIMIT), a)
        part = tessera.from_arrow(source, columns=["c7", "c2"], memory_limit=LIMIT)
        same(part, np.ascontiguousarray(a[:, [7, 2]]))
    stream = tessera.from_arrow(tmp_path / "a.arrow")
    (tmp_path / "b.arrow").write_bytes(b"nothing")
    with pytest.raises(OSError, match="expected an Arrow IPC file, found"):
        tessera.from_arrow(tmp_path / "b.arrow")
    (tmp_path / "b.arrow").replace(tmp_path / "a.arrow")
    with pytest.raises(OSError, match="has changed since it was opened"):
        tessera.matvec(stream, np.ones(N, a.dtype))


def test_missing_values_in_arrow():
    arrow = package("pyarrow")
    table = arrow.table({"x": [1.0, None, 3.0, 8.0], "n": [None, 4, 6, 5], "b": [True, False, True, True]})
    with pytest.raises(ValueError, match="from_arrow: column 'x' has 1 missing values"):
        tessera.from_arrow(table)
    for batch in (4, 1):
        parts = arrow.Table.from_batches(table.to_batches(batch))
        stream = tessera.from_arrow(parts, nulls="mean")
        assert tessera.matvec(stream, np.array([100.0, 10.0, 1.0])).tolist() == [151, 440, 361, 851]
    with pytest.raises(TypeError, match="found column 's' of type string$"):
        tessera.from_arrow(arrow.table({"s": ["a"]}))
    with pytest.raises(TypeError, match=r"found column 's' of type string; choose columns, for example columns=\['x'\]"):
        tessera.from_arrow(arrow.table({"s": ["a"], "x": [1.0]}))
    with pytest.raises(TypeError, match="expected a pyarrow.Table or a path, found list"):
        tessera.from_arrow([1.0])


def test_pandas(a):
    pandas = package("pandas")
    for order in ("C", "F"):
        frame = pandas.DataFrame(np.asarray(a, order=order), copy=False)
        found = tessera.from_pandas(frame)
        assert np.shares_memory(found, frame.iloc[:, 0].to_numpy())
        assert found.flags[f"{order}_CONTIGUOUS"] and found.tobytes() == a.tobytes()
        v = np.ones(N, a.dtype)
        assert tessera.atax(found, v).tobytes() == tessera.atax(np.asarray(a, order=order), v).tobytes()
    assert tessera.from_pandas(pandas.DataFrame(a), order="F").flags.f_contiguous
    mixed = pandas.DataFrame({"x": [1, 2], "y": [0.5, 1.5], "z": pandas.array([True, False])})
    assert tessera.from_pandas(mixed).tolist() == [[1, 0.5, 1], [2, 1.5, 0]]
    missing = pandas.DataFrame({"x": [1.0, np.nan, 3.0], "n": pandas.array([None, 4, 6], "Int64")})
    with pytest.raises(ValueError, match="column 'x' has 1 missing values"):
        tessera.from_pandas(missing)
    with pytest.raises(ValueError, match="column 'n' has 1 missing values"):
        tessera.from_pandas(missing[["n"]])
    assert tessera.from_pandas(missing, nulls="mean").tolist() == [[1, 5], [2, 4], [3, 6]]
    with pytest.raises(TypeError, match="expected columns of numbers, found column 'name'"):
        tessera.from_pandas(pandas.DataFrame({"name": ["a"]}))


def test_polars(a):
    polars = package("polars")
    frame = polars.DataFrame(np.asfortranarray(a))
    found = tessera.from_polars(frame)
    assert found.flags.f_contiguous and found.tobytes() == a.tobytes()
    assert np.shares_memory(found, tessera.from_polars(frame))
    assert tessera.from_polars(frame, order="C").flags.c_contiguous
    v = np.ones(N, a.dtype)
    assert tessera.atax(found, v).tobytes() == tessera.atax(np.asfortranarray(a), v).tobytes()
    missing = polars.DataFrame({"x": [1.0, None, 3.0], "n": [None, 4, 6], "b": [True, False, True]})
    with pytest.raises(ValueError, match="column 'x' has 1 missing values"):
        tessera.from_polars(missing)
    assert tessera.from_polars(missing, nulls="mean").tolist() == [[1, 5, 1], [2, 4, 0], [3, 6, 1]]
    with pytest.raises(TypeError, match="expected columns of numbers, found column 'name' of type String"):
        tessera.from_polars(polars.DataFrame({"name": ["a"]}))
    with pytest.raises(TypeError, match=r"found LazyFrame; call its collect\(\)"):
        tessera.from_polars(frame.lazy())


@pytest.mark.parametrize(
    ("call", "name"),
    [("from_zarr('a.zarr')", "zarr"), ("from_parquet('a.parquet')", "pyarrow"), ("from_fits(sys.executable)", "astropy")],
)
def test_a_package_that_is_missing_is_named(call, name):
    program = f"import sys; sys.modules['{name}'] = None\nimport tessera\ntry:\n tessera.{call}\n"
    program += "except ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == f"tessera.{call.split('(')[0]} needs the package {name}: pip install {name}\n"


def test_the_program_names_what_only_python_reads(a, tmp_path):
    path = safetensors(tmp_path / "a.safetensors", a=("F32", a.astype(np.float32)))
    done = subprocess.run([sys.executable, "-B", "-m", "tessera", "show", str(path)], capture_output=True, text=True, timeout=100)
    assert done.returncode != 0
    assert "is a safetensors file: expected one of NumPy" in done.stderr
    with pytest.raises(OSError, match="only the Python package reads; use tessera.from_safetensors there"):
        tessera.open(path)


def test_a_limit_that_is_named_is_enough(tmp_path):
    a = np.random.default_rng(4).standard_normal((900, 60))
    path = parquet(tmp_path / "a.parquet", {f"c{j}": a[:, j] for j in range(60)})
    with pytest.raises(ValueError, match="expected a limit of at least ([0-9]+) bytes, found 8000$") as refused:
        tessera.linalg.lsmr(tessera.from_parquet(path, memory_limit=8000), np.ones(900))
    enough = int(str(refused.value).split("at least ")[1].split(" ")[0])
    found = tessera.linalg.lsmr(tessera.from_parquet(path, memory_limit=enough), np.ones(900))
    assert found.x.tobytes() == tessera.linalg.lsmr(a, np.ones(900)).x.tobytes()
    with pytest.raises(ValueError, match="expected a memory_limit of at least 1920 bytes, found 1000: 1 rows of 480"):
        tessera.from_parquet(path, memory_limit=1000)


def test_a_matrix_that_fits_into_a_quarter_of_the_limit_is_read_once():
    dask_array = package("dask.array")
    computed = []

    def made(block_info=None):
        computed.append(block_info[None]["array-location"][0][0])
        return np.ones((500, 600))

    x = dask_array.map_blocks(made, chunks=((500,) * 3, (600,)), dtype=float, meta=np.empty((0, 0)))
    needed = 4 * 1500 * 600 * 8
    for limit, passes in ((needed, 1), (needed // 2, 2)):
        computed.clear()
        stream = tessera.from_dask(x, memory_limit=limit)
        for _ in range(2):
            tessera.matvec(stream, np.ones(600))
        assert sorted(computed) == sorted([0, 500, 1000] * passes)


def test_reads_are_counted(a):
    stream = tessera.from_blocks([a], memory_limit=LIMIT)
    assert stream.reads == 0
    tessera.atax(stream, np.ones(N, a.dtype))
    assert stream.reads == 1
    tessera.linalg.lsmr(stream, np.ones(M, a.dtype), maxiter=2)
    assert stream.reads > 2




@pytest.mark.parametrize(
    ("blocks", "sentence"),
    [
        (lambda: None, "from_blocks: expected a sequence of matrices, found None"),
        (lambda: [np.full((2, 2), "a")], "from_blocks: expected real numbers, found elements of type"),
        (lambda: [tessera.from_blocks([np.ones((2, 2))])], "from_blocks: expected arrays, found a streamed matrix as block 0"),
    ],
)
def test_blocks_that_are_no_arrays_of_numbers(blocks, sentence):
    with pytest.raises(TypeError, match=sentence):
        tessera.from_blocks(blocks())


def test_data_frames_as_blocks_and_with_sparse_columns():
    pandas = package("pandas")
    a = np.arange(6.0).reshape(3, 2)
    stream = tessera.from_blocks([pandas.DataFrame(a[:1]), pandas.DataFrame(a[1:])])
    assert tessera.matvec(stream, np.ones(2)).tolist() == [1, 5, 9]
    frame = pandas.DataFrame({"a": pandas.arrays.SparseArray([0.0, 2.0, 4.0]), "b": a[:, 1]})
    assert tessera.from_pandas(frame).tolist() == a.tolist()


def test_files_of_another_format_and_wrong_names(tmp_path):
    arrow, parquet, zarr = package("pyarrow"), package("pyarrow.parquet"), package("zarr")
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    parquet.write_table(arrow.table({"a": [1.0], "b": [2.0]}), tmp_path / "p.parquet")
    zarr.open_group(tmp_path / "g.zarr", mode="w").create_array("x", data=np.ones((2, 2)))
    for call, error_type, sentence in (
        (lambda: tessera.from_parquet(tmp_path / "a.npy"), OSError, "a.npy: expected a Parquet file, found: "),
        (lambda: tessera.from_parquet(tmp_path), IsADirectoryError, "found a folder; pass a list of its files"),
        (lambda: tessera.from_parquet(None), TypeError, "expected a path or a sequence of paths, found NoneType"),
        (lambda: tessera.from_parquet(tmp_path / "p.parquet", columns="ab"), TypeError, "a sequence of names, found 'ab'"),
        (lambda: tessera.from_arrow(arrow.table({"a": [1.0]}), columns=[0]), TypeError, r"a sequence of names, found \[0\]"),
        (lambda: tessera.from_zarr(tmp_path), OSError, "expected an array or a group of Zarr, found neither"),
        (lambda: tessera.from_zarr(tmp_path / "none.zarr"), FileNotFoundError, "none.zarr"),
        (lambda: tessera.from_zarr(np.ones((2, 2))), TypeError, "an array or a group of Zarr, found ndarray"),
        (lambda: tessera.from_zarr(tmp_path / "g.zarr/x", name="x"), ValueError, "name is for groups, found 'x' with an array"),
        (lambda: tessera.from_zarr(tmp_path / "g.zarr", name="y"), ValueError, "one of the names x, found 'y'"),
    ):
        with pytest.raises(error_type, match=sentence):
            call()
    polars = package("polars")
    with pytest.raises(TypeError, match="found column 'a' of type Int128"):
        tessera.from_polars(polars.DataFrame({"a": [1]}).cast(polars.Int128))


@pytest.mark.parametrize("kind", ["dask", "zarr", "parquet", "arrow", "xarray", "h5ad", "npz", "callback", "by columns"])
def test_rows_for_a_rank_are_read_and_not_kept(kind, tmp_path):
    from tessera._sources import rows_of

    a = np.random.default_rng(1).standard_normal((700, 5))
    if kind == "dask":
        stream = tessera.from_dask(package("dask.array").from_array(a, chunks=(130, 2)))
    elif kind == "zarr":
        package("zarr").create_array(tmp_path / "x.zarr", data=a, chunks=(64, 2))
        stream = tessera.from_zarr(tmp_path / "x.zarr", memory_limit="16KiB")
    elif kind in ("parquet", "arrow"):
        table = package("pyarrow").table({f"x{j}": a[:, j] for j in range(5)})
        package("pyarrow.parquet").write_table(table, tmp_path / "x.parquet", row_group_size=90)
        stream = tessera.from_arrow(table) if kind == "arrow" else tessera.from_parquet(tmp_path / "x.parquet")
    elif kind == "xarray":
        stream = tessera.from_xarray(package("xarray").DataArray(a))
    elif kind == "h5ad":
        with package("h5py").File(tmp_path / "x.h5ad", "w") as file:
            file.create_dataset("X", data=a, chunks=(90, 2), compression="gzip")
        stream = tessera.from_anndata(tmp_path / "x.h5ad")
    elif kind == "npz":
        np.savez_compressed(tmp_path / "x.npz", x=np.asfortranarray(a))
        stream = tessera.open(f"{tmp_path}/x.npz:x", memory_limit="16KiB")
    else:
        order = "C" if kind == "callback" else "F"
        stream = tessera.from_callback(700, 5, lambda rows, cols: a[rows, cols], order=order, memory_limit="16KiB")
    for first, end in ((100, 450), (0, 100), (450, 700), (700, 700)):
        rows = rows_of(stream, first, end)
        assert rows.flags[f"{stream.order}_CONTIGUOUS"]
        np.testing.assert_array_equal(rows, a[first:end])
    if kind in ("dask", "zarr", "parquet", "arrow", "xarray"):
        assert not stream.__reduce__()[1][0].held
    else:
        assert stream.reads == 1
