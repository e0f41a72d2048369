package dev.tigris.bench.group;

import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupThreads;
import dev.tigris.matrix.GroupProduct;
import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Precision;
import dev.tigris.net.Fabric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The program of each member of a group that is measured. Arguments: its number, how many members
/// there are, and a provider. Lines of its input and output:
///
/// ```text
///   prints  where it listens
///   reads   where each member listens, one a line
///   reads   multiply SIZE COUNT
///   prints  the nanoseconds of COUNT products, and those of communication
///   reads   OPERATION BYTES COUNT, where the operation is a [Collective]
///   prints  the nanoseconds of COUNT operations
/// ```
///
/// The last four go on until its input ends. While it waits for a line, it takes no processor.
public final class MemberMain {
  /// The word of a product.
  static final String MULTIPLY = "multiply";

  private MemberMain() {}

  /// Runs operations; any exception ends the process with an error.
  public static void main(String[] arguments) throws Exception {
    int self = Integer.parseInt(arguments[0]);
    int size = Integer.parseInt(arguments[1]);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Fabric fabric = Fabric.open(arguments[2]);
        Exchange exchange = new Exchange(1, 0, StreamOptions.DEFAULT)) {
      String _ = exchange.listen(fabric, arguments[2].equals("shm") ? "*" : "127.0.0.1:0");
      System.out.println(exchange.reach());
      List<Reach> members = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        String line = input.readLine();
        if (line == null) {
          throw new IOException("the bench has ended");
        }
        members.add(Reach.of(line));
      }
      try (GroupThreads group = new GroupThreads(exchange, members)) {
        group.member(self, null, each -> serve(each, input));
      }
    }
  }

  private static void serve(Group group, BufferedReader input)
      throws IOException, InterruptedException {
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      String operation = words.get(0);
      int size = Integer.parseInt(words.get(1));
      int count = Integer.parseInt(words.get(2));
      System.out.println(
          operation.equals(MULTIPLY)
              ? multiply(group, size, count)
              : Collective.of(operation).nanos(group, size, count));
    }
  }

  /// Multiplies square matrices, on one thread in each member.
  private static String multiply(Group group, int size, int count) throws InterruptedException {
    int columns = GroupProduct.columnCount(size, group.size(), group.rank());
    int from = GroupProduct.firstColumn(size, group.size(), group.rank());
    Matrix a = Matrix.zeros(Precision.DOUBLE, size, columns);
    Matrix b = Matrix.zeros(Precision.DOUBLE, size, columns);
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < columns; column++) {
        a.set(row, column, row + 1.0);
        b.set(row, column, from + column + 1.0);
      }
    }
    Matrix c = Matrix.zeros(Precision.DOUBLE, size, columns);
    long nanos = 0;
    long communication = 0;
    for (int i = 0; i < count; i++) {
      group.barrier();
      GroupProduct.Times times = GroupProduct.addProduct(group, a, b, c, 1);
      nanos += times.nanos();
      communication += times.communicationNanos();
    }
    for (int row = 0; row < size; row += size / 3 + 1) {
      for (int column = 0; column < columns; column++) {
        long expected = (long) count * size * (row + 1) * (from + column + 1);
        WrongResultException.check("product", expected, Math.round(c.get(row, column)));
      }
    }
    return nanos + " " + communication;
  }
}
