package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Scale;
import dev.tigris.bench.c.OpenBlas;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Products of square matrices of doubles, C += A B, on one thread. An operation is one element of
/// C.
public final class MultiplySuite implements Suite {
  /// The sizes of the plain loop: it is slow.
  private static final int PLAIN_AT_MOST = 256;

  /// The sizes of EJML: beyond them it takes seconds for a product.
  private static final int EJML_AT_MOST = 1024;

  private static final int[] SIZES = {64, 256, 1024, 2048, 4096};

  static final List<String> FIGURES =
      List.of(
          "multiply.kernel.64",
          "multiply.kernel.256",
          "multiply.kernel.1024",
          "multiply.kernel.2048",
          "multiply.kernel.4096");

  /// Makes a suite; the measuring process calls this.
  public MultiplySuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    Optional<OpenBlas> blas = OpenBlas.load();
    for (int i = 0; i < SIZES.length; i++) {
      int size = scale.pick(16 << i, SIZES[i], SIZES[i]);
      Operands ours = new Operands(size);
      String figure = FIGURES.get(i);
      blas.ifPresent(
          library ->
              contests.add(
                  Contest.timed(
                      figure,
                      Bar.OPENBLAS,
                      size * size,
                      ours.byTigris(),
                      new Operands(size).by(library))));
      if (SIZES[i] <= EJML_AT_MOST) {
        contests.add(
            Contest.timed(
                figure, Bar.EJML, size * size, ours.byTigris(), new Operands(size).byEjml()));
      }
      if (SIZES[i] <= PLAIN_AT_MOST) {
        contests.add(
            Contest.timed(
                figure, "plain loop", size * size, ours.byTigris(), new Operands(size).byLoop()));
      }
    }
    return contests;
  }
}
