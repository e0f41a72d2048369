package dev.tigris.bench.matrix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Jbuf;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/// Products of matrices whose columns lie apart: as arrays, as Jbufs, or in C.
///
/// @param operands what is multiplied
record Columns(Operands operands) {
  /// A product, C += A B, of columns.
  ///
  /// @param <C> a column
  interface Product<C> {
    void add(C[] a, C[] b, C[] c);
  }

  Trial byArrays(Product<double[]> product) {
    double[][] a = operands.columns(0);
    double[][] b = operands.columns(1);
    double[][] c = new double[operands.size][operands.size];
    return operands.trial(
        "arrays",
        () -> Arrays.stream(c).forEach(column -> Arrays.fill(column, 0)),
        () -> product.add(a, b, c),
        () -> Arrays.stream(c).flatMapToDouble(Arrays::stream).sum());
  }

  Trial byJbufs(Product<Doubles> product) {
    Doubles[] a = jbufs(operands.columns(0));
    Doubles[] b = jbufs(operands.columns(1));
    Doubles[] c = jbufs(new double[operands.size][operands.size]);
    return operands.trial(
        "Jbufs",
        () -> Arrays.stream(c).forEach(column -> column.fill(0)),
        () -> product.add(a, b, c),
        () -> Arrays.stream(c).flatMapToDouble(column -> Arrays.stream(column.detach())).sum());
  }

  private static Doubles[] jbufs(double[][] columns) {
    return Arrays.stream(columns).map(Columns::jbuf).toArray(Doubles[]::new);
  }

  private static Doubles jbuf(double[] column) {
    Doubles doubles = Jbuf.allocate((long) column.length * Double.BYTES).asDoubles();
    doubles.copyFrom(0, column, 0, column.length);
    return doubles;
  }

  /// @param function of `multiply.c`
  Trial byC(CTwin twin, String function) {
    MethodHandle multiply =
        twin.function(function, FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));
    MemorySegment[] c = segments(new double[operands.size][operands.size]);
    MemorySegment left = table(segments(operands.columns(0)));
    MemorySegment right = table(segments(operands.columns(1)));
    MemorySegment sums = table(c);
    return operands.trial(
        function,
        () ->
            Arrays.stream(c).forEach(column -> column.asSlice(JAVA_LONG.byteSize()).fill((byte) 0)),
        () -> {
          try {
            multiply.invokeExact((long) operands.size, left, right, sums);
          } catch (Throwable e) {
            throw new IllegalStateException(e);
          }
        },
        () ->
            Arrays.stream(c)
                .flatMapToDouble(
                    column ->
                        Arrays.stream(column.asSlice(JAVA_LONG.byteSize()).toArray(JAVA_DOUBLE)))
                .sum());
  }

  /// Returns columns with their length before their elements.
  private static MemorySegment[] segments(double[][] columns) {
    return Arrays.stream(columns).map(Columns::segment).toArray(MemorySegment[]::new);
  }

  private static MemorySegment segment(double[] column) {
    MemorySegment segment =
        Arena.global().allocate(JAVA_LONG.byteSize() + JAVA_DOUBLE.byteSize() * column.length, 16);
    segment.set(JAVA_LONG, 0, column.length);
    MemorySegment.copy(column, 0, segment, JAVA_DOUBLE, JAVA_LONG.byteSize(), column.length);
    return segment;
  }

  private static MemorySegment table(MemorySegment[] columns) {
    MemorySegment table = Arena.global().allocate(ADDRESS, columns.length);
    for (int i = 0; i < columns.length; i++) {
      table.setAtIndex(ADDRESS, i, columns[i]);
    }
    return table;
  }
}
