# Writes the rows of an Arrow file in all the ways that PyArrow has.
import decimal
import os
import sys

import pyarrow as pa
import pyarrow.feather as feather

base, folder = sys.argv[1:3]
with pa.OSFile(base) as source:
    table = pa.ipc.open_file(source).read_all()
names = []


def path(name):
    names.append(name)
    return os.path.join(folder, name)


def file(name, what, rows=None, **options):
    with pa.OSFile(path(name), "wb") as sink:
        with pa.ipc.new_file(sink, what.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
            out.write_table(what, rows)


def stream(name, what, rows=None, **options):
    with pa.OSFile(path(name), "wb") as sink:
        with pa.ipc.new_stream(sink, what.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
            out.write_table(what, rows)


def cast(name, kind, column=None):
    at = table.schema.get_field_index(name)
    return table.set_column(at, pa.field(name, kind), column or table.column(at).cast(kind))


def with_text(kind):
    return cast("text", kind)


file("plain", table)
stream("stream", table)
file("batches", table, 17)
stream("stream-batches", table, 17)
one = table.combine_chunks()
file("one-batch", one)
file("lz4", one, compression="lz4")
file("zstd", one, compression="zstd")
stream("stream-lz4", table, 100, compression="lz4")
stream("stream-zstd", table, 100, compression="zstd")
file("legacy", table, use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4)
stream("stream-legacy", table, use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4)
file("unaligned-slices", pa.concat_tables([table.slice(0, 3), table.slice(3, 64), table.slice(67)]))
stream("stream-slices", pa.concat_tables([table.slice(0, 13), table.slice(13, 0), table.slice(13)]))
with_empty = pa.concat_tables([table.slice(0, 0), table, table.slice(5, 0)])
file("empty-batches", with_empty)
feather.write_feather(table, path("feather-lz4"))
feather.write_feather(table, path("feather-none"), compression="uncompressed")

file("large-text", with_text(pa.large_string()))
file("text-views", with_text(pa.string_view()))
stream("stream-text-views-zstd", with_text(pa.string_view()), 50, compression="zstd")
file("text-dictionary", cast("text", pa.dictionary(pa.int32(), pa.string()),
                             table.column("text").dictionary_encode()))
stream("stream-dictionary-deltas",
       cast("text", pa.dictionary(pa.int32(), pa.string()), pa.chunked_array(
           [chunk.dictionary_encode() for chunk in table.column("text").chunks])),
       emit_dictionary_deltas=True)
growing = ["a", "b", "c", "d"]
file("enum-text", cast("side", pa.string()))
file("enum-uint16", cast("side", pa.dictionary(pa.uint16(), pa.string())))
file("enum-large", cast("side", pa.dictionary(pa.int64(), pa.large_string())))
numbers = table.column("number")
file("number-dictionary", cast("number", pa.dictionary(pa.int32(), pa.int32()),
                               numbers.dictionary_encode()))
file("lists", cast("pair", pa.list_(pa.int32())))
file("large-lists", cast("pair", pa.large_list(pa.int32())))
file("lists-lz4", cast("pair", pa.list_(pa.int32())), compression="lz4")
file("reordered", table.select(list(reversed(table.column_names))))
file("nullable", pa.Table.from_arrays(
    table.columns, schema=pa.schema([pa.field(f.name, f.type) for f in table.schema])))

rows = table.num_rows
numbers = list(range(rows))
more = {
    "nothing": pa.nulls(rows),
    "decimal": pa.array([decimal.Decimal(i) for i in numbers], pa.decimal128(20, 3)),
    "decimal32": pa.array([decimal.Decimal(i) for i in numbers], pa.decimal32(9, 0)),
    "map": pa.array([[("k", i)] for i in numbers], pa.map_(pa.string(), pa.int64())),
    "structs": pa.array([[{"a": i, "b": None}] * (i % 3) for i in numbers]),
    "interval": pa.array([(1, 2, i) for i in numbers], pa.month_day_nano_interval()),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), pa.array(["x"])),
    "views": pa.array(["a text that is not short"] * rows, pa.string_view()),
    "bytes": pa.array([b"\xff\x00"] * rows, pa.large_binary()),
    "byte-views": pa.array([b"not short at all, this"] * rows, pa.binary_view()),
    "list-view": pa.array([[i] for i in numbers], pa.list_view(pa.int16())),
    "dense": pa.UnionArray.from_dense(
        pa.array([0] * rows, pa.int8()), pa.array(numbers, pa.int32()), [pa.array(numbers)]),
    "sparse": pa.UnionArray.from_sparse(pa.array([0] * rows, pa.int8()), [pa.array(numbers)]),
    "half": pa.array(numbers, pa.int16()).cast(pa.float16()),
    "time": pa.array(numbers, pa.time64("us")),
    "duration": pa.array(numbers, pa.duration("ns")),
    "date": pa.array([i * 86_400_000 for i in numbers], pa.date64()),
    "dictionary": pa.array(["a", "b"] * (rows // 2)).dictionary_encode(),
    "bool": pa.array([None, True] * (rows // 2)),
}
wide = pa.table(list(more.values()) + table.columns,
                schema=pa.schema([pa.field(n, a.type) for n, a in more.items()] + list(table.schema)))
file("more-columns", wide)
stream("stream-more-columns", wide.combine_chunks(), 33)
print("\n".join(names))
