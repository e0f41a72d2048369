package dev.tigris.bench.disks;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskLoad;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Direct reads or writes of files by the disk layer, beside fio with the same engine and depth,
/// and beside the JDK's channels, which do one operation at a time.
///
/// Contenders take turns. Files are written and synced before, and their blocks are random.
final class LoadGroup implements Group {
  private static final List<Load> LOADS =
      List.of(
          new Load("4KiB.1", 4096, 32, true, 1),
          new Load("4KiB.64", 4096, 32, true, 64),
          new Load("1MiB.1", 1 << 20, 8, false, 1),
          new Load("1MiB.64", 1 << 20, 8, false, 64));
  private static final String CPU = ".cpu";
  private static final String OURS = "Tigris";
  private static final int MEGA = 1 << 20;

  private final String name;
  private final DiskOperation.Kind kind;

  LoadGroup(String name, DiskOperation.Kind kind) {
    this.name = name;
    this.kind = kind;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> figures() {
    return LOADS.stream()
        .map(load -> name + "." + load.label())
        .flatMap(figure -> List.of(figure, figure + CPU).stream())
        .toList();
  }

  /// One measurement.
  private record Sample(double rate, double cpuMicros) {}

  @Override
  public void measure(Run run) throws Exception {
    for (Load load : LOADS) {
      String figure = name + "." + load.label();
      if (run.wants(figure) || run.wants(figure + CPU)) {
        Path folder = Files.createTempDirectory(run.workFolder(), "disks-");
        try {
          measure(run, figure, load, folder);
        } finally {
          RunFolder.deleteAll(folder);
        }
      }
    }
  }

  private void measure(Run run, String figure, Load load, Path folder)
      throws IOException, InterruptedException {
    long all = run.scale().pick(16, 256, 1024) * (long) MEGA;
    long fileBytes = Math.max(load.blockBytes(), all / load.files() / MEGA * MEGA);
    List<Path> files = write(folder, load.files(), fileBytes);
    long millis = run.scale().pick(30, 500, 2000);
    int rounds = run.scale().pick(1, 3, 7);
    boolean hasFio = Fio.isAvailable();
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      run.say("%s: round %d of %d".formatted(figure, round + 1, rounds));
      for (int turn = 0; turn < 3; turn++) {
        switch ((turn + round) % 3) {
          case 0 -> add(samples, OURS, ours(load, files, fileBytes, millis));
          case 1 -> add(samples, Bar.CHANNEL, channels(load, files, fileBytes, millis));
          default -> {
            if (hasFio) {
              Fio.Result result =
                  new Fio(folder, files)
                      .run(load, kind == DiskOperation.Kind.WRITE, engine(), millis);
              add(samples, Bar.FIO, new Sample(result.operationsPerSecond(), result.cpuMicros()));
            }
          }
        }
      }
    }
    samples.forEach(
        (peer, theirs) -> {
          if (!peer.equals(OURS)) {
            report(run, figure, load, peer, samples.getOrDefault(OURS, List.of()), theirs);
          }
        });
  }

  private static void add(Map<String, List<Sample>> samples, String who, Sample sample) {
    samples.computeIfAbsent(who, key -> new ArrayList<>()).add(sample);
  }

  private static void report(
      Run run, String figure, Load load, String peer, List<Sample> ours, List<Sample> theirs) {
    String note =
        "%d under way, direct; the channel does one operation at a time".formatted(load.depth());
    double scale = load.blockBytes() / 1e6;
    boolean isSmall = load.isRandom();
    run.emit(
        Figure.of(
                figure,
                isSmall ? "op/s" : "MB/s",
                Better.HIGHER,
                peer,
                List.of(
                    new Pairs(
                        ours.stream().mapToDouble(s -> isSmall ? s.rate : s.rate * scale).toArray(),
                        theirs.stream()
                            .mapToDouble(s -> isSmall ? s.rate : s.rate * scale)
                            .toArray())))
            .withNote(note));
    run.emit(
        Figure.of(
                figure + CPU,
                "us",
                Better.LOWER,
                peer,
                List.of(
                    new Pairs(
                        ours.stream().mapToDouble(Sample::cpuMicros).toArray(),
                        theirs.stream().mapToDouble(Sample::cpuMicros).toArray())))
            .withNote("processor time of the calling thread for each operation"));
  }

  private static List<Path> write(Path folder, int count, long bytes) throws IOException {
    List<Path> files = new ArrayList<>();
    byte[] block = new byte[MEGA];
    new SplittableRandom(1).nextBytes(block);
    for (int i = 0; i < count; i++) {
      Path file = folder.resolve("file" + i);
      try (var out = Files.newOutputStream(file)) {
        for (long at = 0; at < bytes; at += block.length) {
          out.write(block, 0, (int) Math.min(block.length, bytes - at));
        }
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      files.add(file);
    }
    return files;
  }

  /// Returns the engine of fio that is like ours.
  private static String engine() {
    try (DiskQueue queue = DiskQueue.open(1)) {
      return queue.obstacle() == null ? "io_uring" : "posixaio";
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /// Opens all anew, so that the memory of the load is what the ring has registered. What it takes
  /// to open and to fill the memory is not the load's.
  private Sample ours(Load load, List<Path> files, long fileBytes, long millis) throws IOException {
    long cpu = cpuNanos();
    DiskLoad.Result _ = apply(load, files, fileBytes, 1, 1);
    long setUp = cpuNanos() - cpu;
    cpu = cpuNanos();
    DiskLoad.Result result = apply(load, files, fileBytes, millis * 1_000_000, Long.MAX_VALUE);
    double micros = Math.max(1, cpuNanos() - cpu - setUp) / 1e3 / result.operations();
    return new Sample(result.operationsPerSecond(), micros);
  }

  private DiskLoad.Result apply(Load load, List<Path> files, long fileBytes, long nanos, long most)
      throws IOException {
    DiskFile.Mode mode = kind == DiskOperation.Kind.READ ? DiskFile.Mode.READ : DiskFile.Mode.WRITE;
    try (DiskQueue queue = DiskQueue.open(load.depth())) {
      List<DiskFile> open = new ArrayList<>();
      for (Path file : files) {
        open.add(queue.open(file, mode, DiskFile.Caching.DIRECT));
      }
      return new DiskLoad(kind, load.blockBytes(), load.depth(), load.isRandom())
          .apply(queue, open, fileBytes, nanos, most, 57);
    }
  }

  private Sample channels(Load load, List<Path> files, long fileBytes, long millis)
      throws IOException {
    try (var channels = new ChannelLoad(files, kind == DiskOperation.Kind.WRITE)) {
      long cpu = cpuNanos();
      long start = System.nanoTime();
      long done = channels.apply(load, fileBytes, millis * 1_000_000);
      double seconds = (System.nanoTime() - start) / 1e9;
      if (done == 0) {
        throw new WrongResultException("no operation of a channel has ended");
      }
      return new Sample(done / seconds, (cpuNanos() - cpu) / 1e3 / done);
    }
  }
}
