# Prints Arrow files and streams, one row a line, in the form of Rows.java.
import sys

import pyarrow as pa


def plain(column):
    """Times as the numbers that they are stored as."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date64(kind) or pa.types.is_duration(kind):
        return column.cast(pa.int64()).to_pylist()
    if pa.types.is_date32(kind):
        return column.cast(pa.int32()).to_pylist()
    return column.to_pylist()


def show(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return value.hex() if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        return value.encode("utf-16-be").hex()
    if isinstance(value, dict):
        return "{%s}" % ",".join("%s=%s" % (k, show(v)) for k, v in value.items())
    if isinstance(value, list):
        return "[%s]" % ",".join(show(v) for v in value)
    return repr(value)


def main():
    out = open(sys.argv[1], "w", encoding="utf-8")
    for path in sys.argv[2:]:
        with open(path, "rb") as source:
            is_file = source.read(6) == b"ARROW1"
            source.seek(0)
            reader = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
            table = reader.read_all()
        table.validate(full=True)
        print("# %d rows" % table.num_rows, file=out)
        for field in table.schema:
            null = "" if field.nullable else " not null"
            print("# %s: %s%s" % (field.name, field.type, null), file=out)
        columns = [plain(column) for column in table.columns]
        for row in zip(*columns):
            print(";".join(show(value) for value in row), file=out)


main()
