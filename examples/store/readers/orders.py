"""Reads a file of the store with the standard library: sums all orders, and finds one by its number.

The schema in the file says where the fields lie, so that this reads the files of each version.
"""
import mmap
import re
import struct
import sys

FORMATS = {"long": "q", "int": "i", "boolean": "?", "ref": "Q"}
MASK = (1 << 64) - 1


def mix(value):
    z = (value + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


class Orders:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, _, _, _, root, schema = struct.unpack_from("<8sIIQQQQ", self.memory, 0)
        if magic != b"TIGRISC1" or version != 1 or root == 0:
            raise ValueError(path + " is no container with orders")
        length = struct.unpack_from("<q", self.memory, schema)[0]
        self.shapes = self.parse(bytes(self.memory[schema + 8:schema + 8 + length]).decode())
        self.table = self.field("store.Orders", root, "table")
        self.slots = self.field("store.Orders", root, "slots")
        self.size = struct.unpack_from("<q", self.memory, self.table)[0]
        self.length = struct.unpack_from("<q", self.memory, self.slots + 8)[0]

    @staticmethod
    def parse(schema):
        """The size of each class, and of each field its place and type."""
        shapes, fields = {}, {}
        for line in schema.splitlines():
            if match := re.match(r"struct (\S+) (\d+)", line):
                fields = {}
                shapes[match[1]] = int(match[2]), fields
            elif match := re.match(r" +(\d+) (\w+) (?:\d+ )?(\w+)$", line):
                fields[match[3]] = int(match[1]), match[2]
        return shapes

    def field(self, shape, at, name):
        place, kind = self.shapes[shape][1][name]
        if kind == "text":
            length = struct.unpack_from("<i", self.memory, at + place)[0]
            return bytes(self.memory[at + place + 4:at + place + 4 + length]).decode()
        return struct.unpack_from("<" + FORMATS[kind], self.memory, at + place)[0]

    def at(self, row):
        return self.table + 16 + row * self.shapes["store.Order"][0]

    def cents(self):
        size, fields = self.shapes["store.Order"]
        place = fields["cents"][0]
        rows = struct.Struct("<%dxi%dx" % (place, size - place - 4))
        return sum(cents for cents, in rows.iter_unpack(self.memory[self.at(0):self.at(self.size)]))

    def find(self, number):
        slot = mix(number) & (self.length - 1)
        while row := struct.unpack_from("<I", self.memory, self.slots + 16 + 4 * slot)[0]:
            at = self.at(row - 1)
            if self.field("store.Order", at, "number") == number:
                return at
            slot = (slot + 1) & (self.length - 1)
        return None


orders = Orders(sys.argv[1])
print(orders.size, "orders,", orders.cents(), "cents")
number = int(sys.argv[2])
found = orders.find(number)
if found is None:
    print("no order", number)
else:
    print(number, orders.field("store.Order", found, "product"),
          orders.field("store.Order", found, "cents"))
