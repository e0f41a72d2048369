package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Scale;
import dev.tigris.bench.c.OpenBlas;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The papers' loops over Jbufs, and the kernel of this project, beside loops over arrays and
/// OpenBLAS. An operation is one element of C.
public final class ColumnSuite implements Suite {
  static final List<Integer> SIZES = List.of(64, 256);
  static final String INDEXED = "indexed";
  static final String UNROLLED = "unroll4";
  static final String KERNEL = "kernel";
  static final List<String> LOOPS = List.of(INDEXED, UNROLLED, KERNEL);

  /// Makes a suite; the measuring process calls this.
  public ColumnSuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    for (int size : SIZES) {
      Columns columns = new Columns(new Operands(scale.pick(size / 8, size, size)));
      add(
          contests,
          figure(INDEXED, size),
          Bar.ARRAY,
          columns,
          columns.byJbufs(ColumnLoops::indexed),
          columns.byArrays(ColumnLoops::indexed));
      Trial unrolled = columns.byJbufs(ColumnLoops::unrolled);
      Trial arrays = columns.byArrays(ColumnLoops::unrolled);
      Trial kernel = columns.operands().byTigris();
      Optional<Trial> library = OpenBlas.load().map(blas -> columns.operands().by(blas));
      String loop = figure(UNROLLED, size);
      add(contests, loop, Bar.ARRAY, columns, unrolled, arrays);
      library.ifPresent(rival -> add(contests, loop, Bar.OPENBLAS, columns, unrolled, rival));
      String figure = figure(KERNEL, size);
      add(contests, figure, Bar.ARRAY, columns, kernel, arrays);
      library.ifPresent(rival -> add(contests, figure, Bar.OPENBLAS, columns, kernel, rival));
    }
    return contests;
  }

  static String figure(String loop, int size) {
    return loop + "." + size;
  }

  static int size(String figure) {
    return Integer.parseInt(figure.substring(figure.lastIndexOf('.') + 1));
  }

  private static void add(
      List<Contest> contests,
      String figure,
      String peer,
      Columns columns,
      Trial ours,
      Trial rival) {
    int size = columns.operands().size;
    contests.add(Contest.timed(figure, peer, size * size, ours, rival));
  }
}
