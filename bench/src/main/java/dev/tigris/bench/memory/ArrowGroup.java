package dev.tigris.bench.memory;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.Command;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.arrow.ArrowReader;
import dev.tigris.memory.arrow.ArrowRows;
import dev.tigris.memory.arrow.ArrowWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// A table of objects written to an Arrow file in the page cache, and read from it, in bytes of the
/// file a second.
///
/// The peers are PyArrow, where Python has it, and the writing or reading of as many bytes that
/// mean nothing. PyArrow has its values in columns already, and leaves them there; Tigris turns
/// objects into columns, and columns into objects.
///
/// Python is `python3`, or what `TIGRIS_BENCH_PYTHON` names.
final class ArrowGroup implements Group {
  private static final String WRITE = "memory.arrow.write";
  private static final String READ = "memory.arrow.read";
  private static final String BYTES = "bytes alone";
  private static final String PYARROW = "PyArrow";
  private static final int PIECE_BYTES = 256 << 10;
  private static final int OBJECT_BYTES = 80;
  private static final ArrowRows<ArrowTrade> ROWS = ArrowRows.of(ArrowTrade.class);

  @Override
  public String name() {
    return "memory.arrow";
  }

  @Override
  public List<String> figures() {
    return List.of(WRITE, READ);
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "arrow-");
    try {
      new Match(run, folder).play();
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  /// One run of the group in its folder.
  private static final class Match {
    private final Run run;
    private final Path folder;
    private final Path file;
    private final Path other;
    private final int rows;
    private final Jbuf written;
    private final Jbuf read;
    private final PsoTable<ArrowTrade> table;
    private final Map<String, List<Double>> rates = new TreeMap<>();
    private long sum;

    Match(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.file = folder.resolve("trades.arrow");
      this.other = folder.resolve("other");
      this.rows = run.scale().pick(2_000, 1_000_000, 4_000_000);
      long bytes = (long) rows * OBJECT_BYTES + PIECE_BYTES;
      this.written = Jbuf.allocate(bytes);
      this.read = Jbuf.allocate(bytes);
      this.table = new PsoTable<>(written.asContainer(), ArrowTrade.class, rows);
    }

    void play() throws IOException, InterruptedException {
      try {
        race();
      } finally {
        written.unreference(Jbuf::free);
        read.unreference(Jbuf::free);
      }
    }

    private void race() throws IOException, InterruptedException {
      for (int i = 0; i < rows; i++) {
        ArrowTrade trade = table.add();
        trade.fill(i);
        sum += trade.quantity;
      }
      String python = System.getenv().getOrDefault("TIGRIS_BENCH_PYTHON", "python3");
      boolean hasPeer = Command.of(python, "-c", "import pyarrow").run(folder).exit() == 0;
      if (!hasPeer) {
        run.say("memory.arrow: " + python + " has no pyarrow, which is left out");
      }
      Path program = folder.resolve("arrow.py");
      try (InputStream source = ArrowGroup.class.getResourceAsStream("arrow.py")) {
        Files.write(program, Objects.requireNonNull(source).readAllBytes());
      }
      Command peer = Command.of(python, program.toString(), file.toString(), other.toString());
      int rounds = run.scale().pick(1, 5, 15);
      for (int round = -run.scale().pick(0, 2, 3); round < rounds; round++) {
        run.say("memory.arrow: round %d of %d".formatted(round + 1, rounds));
        boolean isCounted = round >= 0;
        rate(WRITE, isCounted, write());
        rate(READ, isCounted, read());
        rate(WRITE + BYTES, isCounted, writeBytes(Files.size(file)));
        rate(READ + BYTES, isCounted, readBytes());
        if (hasPeer && isCounted) {
          String[] words = peer.run(folder).orThrow(peer).output().strip().split(" ", -1);
          WrongResultException.check("the sum of PyArrow", sum, Long.parseLong(words[2]));
          rate(WRITE + PYARROW, true, Double.parseDouble(words[0]));
          rate(READ + PYARROW, true, Double.parseDouble(words[1]));
        }
      }
      for (String figure : List.of(WRITE, READ)) {
        for (String rival : hasPeer ? List.of(BYTES, PYARROW) : List.of(BYTES)) {
          Pairs pairs = new Pairs(array(figure), array(figure + rival));
          run.emit(
              Figure.of(figure, "MB/s", Better.HIGHER, rival, List.of(pairs))
                  .withNote("%,d rows, %d MB".formatted(rows, Files.size(file) / 1_000_000)));
        }
      }
    }

    private void rate(String name, boolean isCounted, double seconds) throws IOException {
      if (isCounted) {
        rates.computeIfAbsent(name, _ -> new ArrayList<>()).add(Files.size(file) / 1e6 / seconds);
      }
    }

    private double[] array(String name) {
      return rates.getOrDefault(name, List.of()).stream()
          .mapToDouble(Double::doubleValue)
          .toArray();
    }

    private double write() throws IOException {
      long start = System.nanoTime();
      try (OutputStream out = Files.newOutputStream(file);
          ArrowWriter<ArrowTrade> writer = ROWS.fileWriter(out)) {
        writer.write(table);
        writer.complete();
      }
      return (System.nanoTime() - start) / 1e9;
    }

    private double read() throws IOException {
      var container = read.asContainer();
      container.clear();
      PsoTable<ArrowTrade> into = new PsoTable<>(container, ArrowTrade.class, rows);
      long start = System.nanoTime();
      try (ArrowReader<ArrowTrade> reader = ROWS.reader(file)) {
        long _ = reader.read(into);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      long found = 0;
      for (PsoCursor<ArrowTrade> at = into.cursor(); at.next(); ) {
        found += at.element().quantity;
      }
      WrongResultException.check("the sum of what was read", sum, found);
      return seconds;
    }

    private double writeBytes(long size) throws IOException {
      byte[] piece = new byte[PIECE_BYTES];
      long start = System.nanoTime();
      try (OutputStream out = Files.newOutputStream(other)) {
        for (long left = size; left > 0; left -= PIECE_BYTES) {
          out.write(piece, 0, (int) Math.min(PIECE_BYTES, left));
        }
      }
      return (System.nanoTime() - start) / 1e9;
    }

    private double readBytes() throws IOException {
      byte[] piece = new byte[PIECE_BYTES];
      long left = Files.size(file);
      long start = System.nanoTime();
      try (InputStream in = Files.newInputStream(file)) {
        for (int got = in.read(piece); got >= 0; got = in.read(piece)) {
          left -= got;
        }
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      WrongResultException.check("the bytes that are left", 0, left);
      return seconds;
    }
  }
}
