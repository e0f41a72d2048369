# Writes one table in several ways, and says nothing. The second argument names packages.
import datetime as d
import decimal
import os
import sys

import pyarrow as pa
import pyarrow.feather

folder = sys.argv[1]
utc = d.timezone.utc
when = d.datetime(2026, 11, 28, 13, 7, 5, 250000)
table = pa.table({
    "tiny": pa.array([-128, None, 127], pa.int8()),
    "large": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "least": pa.array([-2**63, 2**63 - 1, 7], pa.int64()),
    "half": pa.array([1.5, None, -0.0], pa.float64()).cast(pa.float16()),
    "single": pa.array([0.1, None, float("inf")], pa.float32()),
    "double": pa.array([0.1, float("nan"), 1e300], pa.float64()),
    "flag": pa.array([True, False, None]),
    "text": pa.array(["plain", "", 'a "quote", a comma\nand a line']),
    "long": pa.array(["x" * 20, None, "é"], pa.large_string()),
    "bytes": pa.array([b"\x00\xff", b"", None], pa.binary()),
    "hash": pa.array([b"abc", None, b"\x01\x02\x03"], pa.binary(3)),
    "day": pa.array([d.date(2026, 11, 28), d.date(1, 1, 1), None]),
    "day64": pa.array([d.date(1969, 12, 31), None, d.date(9999, 12, 31)], pa.date64()),
    "time": pa.array([d.time(13, 7), None, d.time(23, 59, 59, 999999)], pa.time64("us")),
    "moment": pa.array([when, None, d.datetime(1970, 1, 1)], pa.timestamp("ms")),
    "zoned": pa.array([when.replace(tzinfo=utc), None, d.datetime(1, 1, 1, tzinfo=utc)],
                      pa.timestamp("us", "Europe/Berlin")),
    "span": pa.array([-1, None, 5], pa.int64()).cast(pa.duration("ns")),
    "money": pa.array([decimal.Decimal("-0.05"), None, decimal.Decimal("12345678901234567890.12")],
                      pa.decimal128(38, 2)),
    "wide": pa.array([decimal.Decimal("1e40"), None, decimal.Decimal("-7")], pa.decimal256(60, 0)),
    "side": pa.array(["BUY", None, "SELL"]).dictionary_encode(),
    "codes": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint16()),
                                            pa.array([10, 20], pa.int32())),
    "list": pa.array([[1, None, 3], [], None], pa.list_(pa.int32())),
    "pair": pa.array([[1.5, 2], None, [None, 4]], pa.list_(pa.float64(), 2)),
    "words": pa.array([['a "b', "c\n"], [None], []], pa.large_list(pa.string())),
    "deep": pa.array([[[1], []], None, [[2, 3], None]], pa.list_(pa.list_(pa.int8()))),
    "place": pa.array([{"x": 1, "at": {"y": "one"}}, None, {"x": None, "at": None}],
                      pa.struct([("x", pa.int32()), ("at", pa.struct([("y", pa.string())]))])),
    "none": pa.nulls(3),
})


def write(name, options=None, batch=None, stream=False):
    with pa.OSFile(os.path.join(folder, name), "wb") as sink:
        make = pa.ipc.new_stream if stream else pa.ipc.new_file
        with make(sink, table.schema, options=options) as out:
            out.write_table(table, max_chunksize=batch)


write("file")
write("file-batches", batch=1)
write("file-lz4", pa.ipc.IpcWriteOptions(compression="lz4"))
write("file-zstd", pa.ipc.IpcWriteOptions(compression="zstd"))
write("stream", batch=2, stream=True)
table = table.slice(1, 1).slice(0, 0)
write("empty")
table = pa.table({"map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())), "number": [1]})
write("map")
table = pa.table({"far": pa.array([2**62], pa.int64()).cast(pa.timestamp("s"))})
write("far")

# Texts in twenty buffers of 2 MiB: the first thousand rows need all of them, the next ones the
# first only, and the last ones all again.
buffers = [bytearray(2 << 20) for _ in range(20)]
entries = bytearray()
for row in range(3 * 1024):
    text = b"text %015d" % row
    which = 0 if 1024 <= row < 2048 else row % 20
    place = 40 * row
    buffers[which][place:place + len(text)] = text
    entries += len(text).to_bytes(4, "little") + text[:4] + which.to_bytes(4, "little")
    entries += place.to_bytes(4, "little")
views = pa.Array.from_buffers(pa.string_view(), 3 * 1024,
                              [None, pa.py_buffer(bytes(entries))]
                              + [pa.py_buffer(bytes(each)) for each in buffers])
table = pa.table({"text": views})
write("views")
write("views-lz4", pa.ipc.IpcWriteOptions(compression="lz4"))
