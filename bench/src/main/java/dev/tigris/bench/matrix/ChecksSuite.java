package dev.tigris.bench.matrix;

import dev.tigris.bench.Scale;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import java.util.ArrayList;
import java.util.List;

/// The papers' unrolled loop, with checks of each access, beside one in C without them. One element
/// of C is an operation.
public final class ChecksSuite implements Suite {
  static final String PEER = "C, no checks";
  static final String ARRAY = "array";
  static final String JBUF = "jbuf";
  static final String C = "c";

  /// Makes a suite; the measuring process calls this.
  public ChecksSuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    CTwin twin = CTwin.load("multiply");
    for (int size : ColumnSuite.SIZES) {
      Columns columns = new Columns(new Operands(scale.pick(size / 8, size, size)));
      Trial unchecked = columns.byC(twin, "multiply");
      add(contests, ARRAY, size, columns, columns.byArrays(ColumnLoops::unrolled), unchecked);
      add(contests, JBUF, size, columns, columns.byJbufs(ColumnLoops::unrolled), unchecked);
      add(contests, C, size, columns, columns.byC(twin, "multiply_checked"), unchecked);
    }
    return contests;
  }

  private static void add(
      List<Contest> contests, String what, int size, Columns columns, Trial ours, Trial rival) {
    int elements = columns.operands().size * columns.operands().size;
    contests.add(Contest.timed(ColumnSuite.figure(what, size), PEER, elements, ours, rival));
  }
}
