package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;

/// Compares the checksum of what all partitioners have read with that of what all sorters have
/// written, before the run decides that its outputs get their names.
///
/// ```
///   0          8       16       24
///   +----------+--------+--------+
///   | was read |  low   |  high  |
///   +----------+--------+--------+
/// ```
final class SumCompare implements Module {
  static final String RECORDS = "records";
  static final String LINES = "lines";

  private static final int WAS_READ = 0;
  private static final int LOW = 8;
  private static final int HIGH = 16;
  private static final int BYTES = 24;

  private final boolean isSame;
  private final String what;
  private UInt128 read = UInt128.ZERO;
  private UInt128 written = UInt128.ZERO;

  /// @param isSame whether all records are written; of those with equal keys only the first may be
  /// @param what is summed: `records`, or `lines`, whose sums have 64 bits
  SumCompare(boolean isSame, String what) {
    this.isSame = isSame;
    this.what = what;
  }

  /// Tells a sum.
  static void tell(Stream stream, boolean wasRead, UInt128 sum) {
    Water water = stream.spring().createWater(BYTES);
    Bytes bytes = water.bytes();
    bytes.setLong(WAS_READ, wasRead ? 1 : 0);
    bytes.setLong(LOW, sum.low());
    bytes.setLong(HIGH, sum.high());
    water.setSize(BYTES);
    stream.put(water);
  }

  @Override
  public void process(Water in, Stream out) {
    Bytes bytes = in.bytes();
    UInt128 sum = new UInt128(bytes.getLong(HIGH), bytes.getLong(LOW));
    if (bytes.getLong(WAS_READ) == 1) {
      read = read.plus(sum);
    } else {
      written = written.plus(sum);
    }
  }

  private boolean agree() {
    return what.equals(LINES) ? read.low() == written.low() : read.compareTo(written) == 0;
  }

  @Override
  public void finish(Stream out) throws SortException {
    if (isSame && !agree()) {
      throw new SortException(
          SortException.Kind.DATA,
          ("the sorted %s are not those that were read: checksum %s instead of %s. No part got"
                  + " its name. Test the hosts' memory, disks and network")
              .formatted(what, written.toHex(), read.toHex()));
    }
  }
}
