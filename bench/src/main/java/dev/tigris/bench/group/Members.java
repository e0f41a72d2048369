package dev.tigris.bench.group;

import dev.tigris.bench.LineProcesses;
import dev.tigris.matrix.GroupProduct;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/// The processes of a group of ours ([MemberMain]).
final class Members implements Closeable {
  private final LineProcesses all;

  /// Starts all, and makes them meet.
  ///
  /// @param folder for what they say of errors
  Members(int size, String provider, Path folder) throws IOException {
    all =
        new LineProcesses(
            folder,
            List.of("--add-modules=jdk.incubator.vector"),
            MemberMain.class,
            IntStream.range(0, size)
                .mapToObj(self -> List.of(String.valueOf(self), String.valueOf(size), provider))
                .toList());
    all.say(String.join("\n", all.lines()));
  }

  /// Multiplies, and returns what member 0 took.
  GroupProduct.Times multiply(int size, int count) throws IOException {
    all.say("%s %d %d".formatted(MemberMain.MULTIPLY, size, count));
    String[] words = all.lines().getFirst().split(" ", 2);
    return new GroupProduct.Times(Long.parseLong(words[0]), Long.parseLong(words[1]));
  }

  /// Runs an operation so often, and returns the nanoseconds that member 0 took.
  long nanos(Collective operation, int bytes, int count) throws IOException {
    all.say("%s %d %d".formatted(operation.word(), bytes, count));
    return Long.parseLong(all.lines().getFirst());
  }

  @Override
  public void close() throws IOException {
    all.close();
  }
}
