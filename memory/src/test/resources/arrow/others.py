# Adds up the columns of an Arrow file with pandas, Polars and DuckDB.
import sys

import duckdb
import pandas
import polars
import pyarrow.ipc

path = sys.argv[1]
frame = pandas.read_feather(path)
print(frame["number"].sum(), frame["text"].map(len).sum(), frame["side"].count())
frame = polars.read_ipc(path)
print(frame["number"].cast(polars.Int64).sum(), frame["text"].str.len_chars().sum(), frame["side"].count())
rows = pyarrow.ipc.open_file(path).read_all()
print(*duckdb.sql("SELECT sum(number), sum(length(text)), count(side) FROM rows").fetchall()[0])
frame.write_ipc(sys.argv[2])
frame.write_ipc(sys.argv[3], compression="zstd")
frame.write_ipc_stream(sys.argv[4], compression="lz4")
