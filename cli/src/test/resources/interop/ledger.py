"""Reads what Java and C wrote into a container, and changes it in place: the test reads it again.

Usage: python3 program.py FILE, beside the ledger.py that `tigris layout --numpy` printed.
"""
import sys

import ledger as types
import numpy

Trade = types.dev_tigris_cli_layout_Ledger_Trade
Ledger = types.dev_tigris_cli_layout_Ledger
Side = types.dev_tigris_cli_layout_Ledger_Side

file = numpy.memmap(sys.argv[1], dtype=numpy.uint8, mode="r+")


def at(offset, dtype, count=1):
    """What lies at an offset, as a view of the file: assigning to it writes."""
    return file[int(offset):int(offset) + count * dtype.itemsize].view(dtype)


def text(value):
    return bytes(value["bytes"][: value["length"]]).decode()


header = at(0, types.tigris_container)[0]
assert header["magic"] == b"TIGRISC1" and header["version"] == 1, header
assert header["fingerprint"] == types.dev_tigris_cli_layout_Ledger_FINGERPRINT, header
root = at(header["root"], Ledger)[0]
assert root["open"] and text(root["currency"]) == "EUR" and root["behindCurrency"] == -1, root

table = at(root["trades"], types.tigris_table)[0]
assert table["size"] == 100, table
trades = at(root["trades"] + types.tigris_table.itemsize, Trade, int(table["size"]))
index = numpy.arange(100)
assert (trades["kind"] == index % 128).all()
assert (trades["number"] == 10_000_000_000 * index).all()
assert (trades["quantity"] == 1000 + 3 * index).all()
assert (trades["price"] == index / 4).all()
assert (trades["fee"] == index / 2).all()
assert (trades["register_"] == 0x20AC).all()
assert (trades["kind_Trade"] == -index).all()
assert (trades["side"] == Side["SELL"]).all()
assert (trades["version"] == 7).all()
assert (trades["place"]["x"] == index).all() and (trades["place"]["y"] == -index).all()
assert (trades["levels"] == numpy.stack([index, -index, 2 * index], axis=1)).all()
assert [text(symbol) for symbol in trades["symbol"]] == [f"C{i}" for i in range(100)]
assert (trades["next"][:-1] == root["trades"] + 16 + Trade.itemsize * index[1:]).all()
assert trades["next"][-1] == 0

trades["quantity"] += 1
trades["side"][50:] = Side["CANCELLED"]
trades["next"] = 0
symbols = trades["symbol"]
symbols["bytes"][:, 0] = ord("P")  # and what lies behind the length means nothing
symbols["length"] = 1
array = at(root["prices"], types.tigris_array)[0]
assert chr(array["letter"]) == "D" and array["length"] == 4, array
prices = at(root["prices"] + types.tigris_array.itemsize, numpy.dtype("<f8"), 4)
assert prices[0] == 99.5, prices
prices[1:] = [1, 2, 3]
file.flush()
