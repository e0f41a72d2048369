# Writes small files that are read in one way or refused.
import os
import sys

import pyarrow as pa

folder = sys.argv[1]


def write(name, table):
    with pa.OSFile(os.path.join(folder, name), "wb") as sink:
        with pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)


def column(name, kind, values):
    write(name, pa.table({name: pa.array(values, kind)}))


write("nulls", pa.table({
    "number": pa.array([1, None, 3], pa.int32()),
    "name": pa.array(["one", "two", None]),
    "side": pa.array(["BUY", None, "SELL"]),
    "place": pa.array([{"x": 1, "y": None}, None, {"x": 3, "y": 3.5}],
                      pa.struct([("x", pa.int32()), ("y", pa.float64())])),
    "pair": pa.array([[1, 2], None, [3, None]], pa.list_(pa.int32())),
    "flag": pa.array([True, None, False]),
}))
write("all-null", pa.table({
    "number": pa.nulls(2),
    "name": pa.nulls(2, pa.string()),
    "side": pa.nulls(2),
    "place": pa.nulls(2, pa.struct([("x", pa.int32()), ("y", pa.float64())])),
    "pair": pa.nulls(2, pa.list_(pa.int32(), 2)),
    "flag": pa.nulls(2, pa.bool_()),
}))
write("narrow", pa.table({
    "tiny": pa.array([-1, 2], pa.int8()),
    "count": pa.array([255, 0], pa.uint8()),
    "number": pa.array([-32768, 32767], pa.int16()),
    "large": pa.array([0, 4294967295], pa.uint32()),
    "real": pa.array([1, -5], pa.int16()),
    "precise": pa.array([2147483647, -2147483648], pa.int32()),
    "half": pa.array([1.5, float("-inf")], pa.float32()).cast(pa.float16()),
    "single": pa.array([0.1, float("nan")], pa.float32()),
    "letter": pa.array([65, 66], pa.uint8()),
    "nanos": pa.array([-1, 1_000_000], pa.timestamp("s")),
    "unsigned": pa.array([255, 1], pa.uint8()),
}))
for name, kind, values in [
    ("int64", pa.int64(), [1]),
    ("uint32", pa.uint32(), [1]),
    ("float", pa.float32(), [1.0]),
    ("string", pa.string(), ["1"]),
    ("date", pa.date32(), [1]),
    ("decimal", pa.decimal128(5), [1]),
    ("bool", pa.bool_(), [True]),
    ("list", pa.list_(pa.int32()), [[1]]),
]:
    write("number-" + name, pa.table({"number": pa.array(values, kind)}))
write("twice", pa.Table.from_arrays(
    [pa.array([1], pa.int32()), pa.array([2], pa.int32())], names=["number", "number"]))
write("others", pa.table({"a": pa.array([1]), "b": pa.array([2])}))
write("long-text", pa.table({"name": pa.array(["short", "x" * 100])}))
write("wrong-constant", pa.table({"side": pa.array(["BUY", "BUYS"])}))
write("short-list", pa.table({"pair": pa.array([[1, 2], [1]], pa.list_(pa.int32()))}))
write("far-time", pa.table({"nanos": pa.array([1 << 60], pa.timestamp("s"))}))
