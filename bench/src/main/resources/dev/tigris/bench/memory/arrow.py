# Writes the table of an Arrow file to another one, and reads the first, each a second time after a
# first one that does not count. Prints both times in seconds, and a sum.
import sys
import time

import pyarrow as pa
import pyarrow.compute

source, target = sys.argv[1:]


def read():
    with pa.OSFile(source) as file:
        return pa.ipc.open_file(file).read_all()


def write(table):
    with pa.OSFile(target, "wb") as sink:
        with pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)


def seconds(function, *arguments):
    begun = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begun


table = read()
write(table)
print(seconds(write, table), seconds(read), pyarrow.compute.sum(table["quantity"]).as_py())
