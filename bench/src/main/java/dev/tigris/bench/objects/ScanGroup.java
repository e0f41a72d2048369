package dev.tigris.bench.objects;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;

/// [ScanSuite] over a file of random ints, as rates: of a gibibyte, or of less where time is short.
final class ScanGroup implements Group {
  private static final int BUFFER_BYTES = 1 << 20;

  @Override
  public String name() {
    return "objects.scan";
  }

  @Override
  public List<String> missing() {
    return CTwin.obstacle().stream()
        .map(
            why ->
                "%s, and C beside %s, is left out: %s"
                    .formatted(ScanSuite.FIELD, ScanSuite.INTS, why))
        .toList();
  }

  @Override
  public List<String> figures() {
    return CTwin.isAvailable() ? List.of(ScanSuite.INTS, ScanSuite.FIELD) : List.of(ScanSuite.INTS);
  }

  @Override
  public void measure(Run run) throws Exception {
    int bytes = run.scale().pick(2 << 20, 64 << 20, 1 << 30);
    Path folder = Files.createTempDirectory(run.workFolder(), "scan-");
    Path file = folder.resolve("ints");
    try {
      run.say(name() + ": writing " + (bytes >> 20) + " MiB");
      write(file, bytes).write(file);
      Plan plan =
          new Plan(
              run.scale().pick(1, 2, 4),
              List.of("-D" + ScanSuite.PROPERTY + "=" + file),
              run.scale().pick(1, 250, 1_000),
              1,
              run.scale().pick(2, 7, 9));
      Forks.run(ScanSuite.class, run, plan, run.wanted(figures()))
          .orThrow()
          .forEach(
              (key, forks) -> {
                List<Pairs> rates = forks.stream().map(ScanGroup::rates).toList();
                run.emit(
                    Figure.of(key.figure(), "MB/s", Better.HIGHER, key.peer(), rates)
                        .withNote((bytes >> 20) + " MiB in the page cache"));
              });
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(ScanSuite.Expected.beside(file));
      Files.delete(folder);
    }
  }

  /// Nanoseconds a byte as megabytes a second.
  private static Pairs rates(Pairs nanos) {
    double[] subjects = new double[nanos.count()];
    double[] peers = new double[nanos.count()];
    for (int i = 0; i < subjects.length; i++) {
      subjects[i] = 1000 / nanos.subject(i);
      peers[i] = 1000 / nanos.peer(i);
    }
    return new Pairs(subjects, peers);
  }

  private static ScanSuite.Expected write(Path file, int bytes) throws IOException {
    ScanSuite.Largest largest = new ScanSuite.Largest();
    SplittableRandom random = new SplittableRandom(1);
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long position = 0; position < bytes; ) {
        buffer.clear();
        while (buffer.hasRemaining()) {
          int value = random.nextInt();
          largest.add(position, value);
          buffer.putInt(value);
          position += Integer.BYTES;
        }
        buffer.flip();
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
      }
      channel.force(false); // writing back must not go on while others read
    }
    return largest.result();
  }
}
