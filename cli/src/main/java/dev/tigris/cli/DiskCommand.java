package dev.tigris.cli;

import dev.tigris.os.DiskCalls;
import dev.tigris.os.SystemException;
import dev.tigris.os.disk.DiskFacts;
import dev.tigris.os.disk.DiskLoad;
import dev.tigris.os.disk.DiskQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris disk`: shows what works on a disk, and measures it.
final class DiskCommand implements Command {
  private static final String SIZE = "--size";
  private static final String MILLIS = "--millis";
  private static final String JSON = "--json";
  private static final long USUAL_BYTES = 256L << 20;
  private static final long LEAST_BYTES = 1L << 20;
  private static final long USUAL_MILLIS = 1000;
  private static final long MOST_MILLIS = 60_000;
  private static final int DEPTH = 64;

  /// The file that is written takes no more of what is free than the part that this divides.
  private static final long SHARE = 4;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(String.class)
            .paramLabel("MODE")
            .description("info, or bench.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("1")
            .type(Path.class)
            .converters(SortCommand::file)
            .paramLabel("PATH")
            .description(
                "A folder, a file, or a block device.",
                "bench writes a file of its own in a folder, and deletes it.",
                "It reads a file or device, and never writes to one.")
            .build());
    spec.addOption(
        OptionSpec.builder(SIZE)
            .type(Long.class)
            .converters(Quantity.BYTES)
            .paramLabel("N")
            .description(
                "bench: the bytes of that file, or how much is read",
                "(default: 256m; at most a quarter of what is free).")
            .build());
    spec.addOption(
        OptionSpec.builder(MILLIS)
            .type(Long.class)
            .converters(Quantity.COUNT)
            .paramLabel("N")
            .description("bench: how long each load runs (default: 1000).")
            .build());
    spec.addOption(Options.flag(JSON, "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Show what works on a disk, and measure it.")
        .footer(
            "",
            "Examples:",
            "  tigris disk info /data            file system, direct I/O, io_uring",
            "  tigris disk info /dev/nvme0n1     sectors and alignment of a device",
            "  tigris disk bench /data           some ten seconds of reads and writes",
            "  tigris disk bench /dev/nvme0n1    reads only");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    String mode = options.matchedPositionalValue(0, "");
    Path path = options.matchedPositionalValue(1, Path.of("."));
    try {
      switch (mode) {
        case "info" -> {
          if (options.hasMatchedOption(SIZE) || options.hasMatchedOption(MILLIS)) {
            throw misuse(options, "disk info measures nothing: use --size and --millis with bench");
          }
          info(path, options, console);
        }
        case "bench" -> bench(path, options, console);
        default ->
            throw misuse(options, "there is no mode '%s': use info or bench".formatted(mode));
      }
    } catch (IOException | UnsupportedOperationException e) {
      ExitCode code = Files.exists(path) ? ExitCode.FAILED : ExitCode.BAD_INPUT;
      throw new CommandException(code, Reason.of(e), e);
    }
    return ExitCode.OK;
  }

  private static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }

  private static void info(Path path, ParseResult options, Console console) throws IOException {
    DiskFacts facts = DiskFacts.of(path);
    String way;
    String obstacle;
    try (DiskQueue queue = DiskQueue.open(1)) {
      way = queue.way();
      obstacle = queue.obstacle();
    }
    var members = new LinkedHashMap<String, Object>();
    members.put("path", path.toString());
    members.put("kind", kind(facts));
    members.put("fileSystem", facts.fileSystem());
    members.put(isFolder(facts) ? "freeBytes" : "bytes", facts.bytes());
    members.put("blockBytes", facts.blockBytes());
    members.put("directIo", facts.isDirect());
    if (facts.isDirect()) {
      members.put("directMemoryAlignment", facts.memoryAlignment());
      members.put("directPositionAlignment", facts.positionAlignment());
    }
    members.put("untornWriteBytes", facts.untornBytes());
    if (facts.sectorBytes() > 0) {
      members.put("sectorBytes", facts.sectorBytes());
    }
    members.put("cacheCanBeAsked", facts.cachedPages() >= 0);
    if (facts.sharesBlocks() != null) {
      members.put("copiesShareBlocks", facts.sharesBlocks());
    }
    members.put("way", way);
    if (obstacle != null) {
      members.put("obstacle", obstacle);
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> all = Json.success("disk info");
      all.putAll(members);
      console.out().println(Json.object(all));
    } else {
      tell(facts, path, way, obstacle, console);
    }
  }

  private static boolean isFolder(DiskFacts facts) {
    return facts.kind() == DiskCalls.Kind.OTHER;
  }

  private static String kind(DiskFacts facts) {
    return switch (facts.kind()) {
      case REGULAR -> "file";
      case BLOCK_DEVICE -> "block device";
      case CHARACTER_DEVICE, OTHER -> "folder";
    };
  }

  private static void tell(
      DiskFacts facts, Path path, String way, @Nullable String obstacle, Console console) {
    line(console, path.toString(), kind(facts) + ", file system " + facts.fileSystem());
    line(console, isFolder(facts) ? "free" : "size", bytes(facts.bytes()));
    line(console, "preferred transfer", bytes(facts.blockBytes()));
    line(
        console,
        "direct I/O",
        facts.isDirect()
            ? "works; positions and sizes are multiples of %d bytes, addresses of %d"
                .formatted(facts.positionAlignment(), facts.memoryAlignment())
            : "is refused: all goes through the page cache");
    line(
        console,
        "untorn writes",
        facts.untornBytes() > 0 ? "up to " + bytes(facts.untornBytes()) : "none are promised");
    if (facts.sectorBytes() > 0) {
      line(console, "sectors", "of " + bytes(facts.sectorBytes()));
    }
    line(
        console,
        "page cache",
        facts.cachedPages() >= 0 ? "can be asked what it holds" : "cannot be asked what it holds");
    if (facts.sharesBlocks() != null) {
      line(
          console,
          "copies",
          facts.sharesBlocks() ? "can share blocks (cp --reflink)" : "cannot share blocks");
    }
    line(console, "operations", "by " + way + (obstacle == null ? "" : ", because " + obstacle));
  }

  private static void line(Console console, String name, String text) {
    console.out().printf(Locale.ROOT, "%-20s %s%n", name, text);
  }

  private static String bytes(long count) {
    return String.format(Locale.ROOT, "%,d bytes", count);
  }

  private static void bench(Path path, ParseResult options, Console console) throws IOException {
    DiskFacts facts = DiskFacts.of(path);
    long millis = options.matchedOptionValue(MILLIS, USUAL_MILLIS);
    if (millis < 1 || millis > MOST_MILLIS) {
      throw misuse(
          options, "%s %d: a load runs for 1 to %d".formatted(MILLIS, millis, MOST_MILLIS));
    }
    long bytes = size(facts, path, options);
    var bench = new DiskBench(path, bytes, millis * 1_000_000);
    var measured = new ArrayList<Map<String, Object>>();
    boolean isJson = options.hasMatchedOption(JSON);
    if (!isJson) {
      console
          .out()
          .printf(
              Locale.ROOT,
              "%s: %s %,d bytes, %s%n",
              path,
              isFolder(facts) ? "a file of" : "reads of the first",
              bytes,
              facts.isDirect() ? "around the page cache" : "through the page cache");
    }
    var queues = new ArrayList<DiskQueue>();
    try {
      for (DiskQueue.Way way : DiskQueue.Way.values()) {
        try {
          queues.add(DiskQueue.open(way, DEPTH));
        } catch (SystemException e) {
          console.err().println("not by io_uring: " + e.getMessage());
        }
      }
      List<List<DiskBench.Row>> rows = bench.measure(queues);
      for (int i = 0; i < queues.size(); i++) {
        measured.add(members(queues.get(i).way(), rows.get(i)));
        if (!isJson) {
          tell(queues.get(i).way(), rows.get(i), console);
        }
      }
    } finally {
      queues.forEach(DiskQueue::close);
    }
    if (isJson) {
      Map<String, Object> all = Json.success("disk bench");
      all.put("path", path.toString());
      all.put("bytes", bytes);
      all.put("direct", facts.isDirect());
      all.put("ways", measured);
      console.out().println(Json.object(all));
    }
  }

  private static long size(DiskFacts facts, Path path, ParseResult options) throws IOException {
    boolean isFolder = isFolder(facts);
    long most = isFolder ? facts.bytes() / SHARE : facts.bytes();
    Long asked = options.matchedOptionValue(SIZE, null);
    long bytes = asked == null ? Math.min(USUAL_BYTES, most) : asked;
    if (bytes < LEAST_BYTES && asked != null) {
      throw misuse(options, "%s %d: at least 1m is measured".formatted(SIZE, bytes));
    }
    if (bytes > most || bytes < LEAST_BYTES) {
      throw new IOException(
          isFolder
              ? "%s has %d bytes free, and a bench takes a quarter of that at most and 1m at least: give a smaller %s or another folder"
                  .formatted(path, facts.bytes(), SIZE)
              : "%s has %d bytes only, and at least 1m is measured: give a smaller %s or another file"
                  .formatted(path, facts.bytes(), SIZE));
    }
    return bytes & -LEAST_BYTES;
  }

  private static void tell(String way, List<DiskBench.Row> rows, Console console) {
    console.out().printf(Locale.ROOT, "by %s%n", way);
    for (DiskBench.Row row : rows) {
      DiskLoad.Result result = row.result();
      boolean hasBytes = result.blockBytes() > 0;
      String sizes =
          hasBytes ? "%,d x %,d bytes".formatted(result.depth(), result.blockBytes()) : "";
      String rate =
          hasBytes ? String.format(Locale.ROOT, "%,.1f MB/s", result.megabytesPerSecond()) : "";
      console
          .out()
          .printf(
              Locale.ROOT,
              "  %-16s %-20s %,12.0f a second %15s %,12.1f us each%n",
              row.name(),
              sizes,
              result.operationsPerSecond(),
              rate,
              result.meanMicros());
    }
  }

  private static Map<String, Object> members(String way, List<DiskBench.Row> rows) {
    var loads = new ArrayList<Map<String, Object>>();
    for (DiskBench.Row row : rows) {
      DiskLoad.Result result = row.result();
      var load = new LinkedHashMap<String, Object>();
      load.put("load", row.name());
      load.put("blockBytes", result.blockBytes());
      load.put("depth", result.depth());
      load.put("operationsPerSecond", result.operationsPerSecond());
      load.put("megabytesPerSecond", result.megabytesPerSecond());
      load.put("meanMicros", result.meanMicros());
      loads.add(load);
    }
    var members = new LinkedHashMap<String, Object>();
    members.put("way", way);
    members.put("loads", loads);
    return members;
  }
}
