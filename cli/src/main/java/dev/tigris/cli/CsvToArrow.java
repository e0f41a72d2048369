package dev.tigris.cli;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.arrow.RowTypes;
import dev.tigris.flow.arrow.RowsToArrow;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.TextException;
import dev.tigris.flow.text.TextFeed;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.arrow.ArrowColumnType;
import dev.tigris.memory.arrow.ArrowCompression;
import dev.tigris.memory.arrow.ArrowSummary;
import dev.tigris.os.NamedPipe;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// `tigris arrow from-csv`: finds the types of the columns of CSV, and writes an Arrow file.
final class CsvToArrow {
  /// The types that a user can name.
  static final Map<String, ArrowColumnType> TYPES = types();

  private static final int BUFFER_BYTES = 256 << 10;

  private final ParseResult options;

  CsvToArrow(ParseResult options) {
    this.options = options;
  }

  private static Map<String, ArrowColumnType> types() {
    Map<String, ArrowColumnType> types = new LinkedHashMap<>();
    types.put("string", ArrowColumnType.TEXT);
    types.put("int64", ArrowColumnType.WHOLE);
    types.put("double", ArrowColumnType.REAL);
    types.put("bool", ArrowColumnType.FLAG);
    types.put("date", ArrowColumnType.DATE);
    types.put("timestamp", ArrowColumnType.MICROS);
    types.put("timestamp-ns", ArrowColumnType.NANOS);
    types.put("timestamp-utc", ArrowColumnType.UTC_MICROS);
    types.put("timestamp-utc-ns", ArrowColumnType.UTC_NANOS);
    return types;
  }

  ExitCode run(Path input, Path output, Console console)
      throws CommandException, InterruptedException {
    String written = options.matchedPositional(1).originalStringValues().getLast();
    if (output.equals(TextOptions.STANDARD)) {
      throw TextOptions.misuse(options, Tigris.misspelling("-").orElseThrow());
    }
    Options.refuseFolder(options, written);
    Options.requirePlace("Arrow file", output);
    long begun = System.nanoTime();
    Path copy = copyIfNeeded(input);
    try {
      convert(copy == null ? input : copy, output);
    } catch (TextException e) {
      throw new CommandException(
          ExitCode.BAD_INPUT, named(String.valueOf(e.getMessage()), copy, input), e);
    } catch (IOException e) {
      throw ArrowCommand.unreadable(input, e);
    } catch (FlowException e) {
      throw failed(e, copy, input, output);
    } finally {
      delete(copy);
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
    long rows;
    try {
      rows = ArrowSummary.of(output).rows();
    } catch (IOException e) {
      throw ArrowCommand.unreadable(output, e);
    }
    new ResultLine("arrow from-csv", "wrote", "rows", rows, ArrowCommand.size(output), elapsed)
        .print(options, console, output, Map.of());
    return ExitCode.OK;
  }

  /// Copies a pipe or another file without positions to a temporary file, since the rows are read
  /// twice. Returns null for a regular file.
  private static @Nullable Path copyIfNeeded(Path input)
      throws CommandException, InterruptedException {
    boolean isStandard = input.equals(TextOptions.STANDARD);
    if (!isStandard && (Files.isRegularFile(input) || !Files.exists(input))) {
      return null;
    }
    Path copy = null;
    boolean isWhole = false;
    try {
      String name = String.valueOf(input.getFileName());
      int dot = name.lastIndexOf('.');
      copy = Files.createTempFile("tigris-", dot < 0 ? ".csv" : name.substring(dot));
      try (FileChannel from =
              isStandard
                  ? new FileInputStream(FileDescriptor.in).getChannel()
                  : NamedPipe.open(input, StandardOpenOption.READ);
          FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
        var buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        while (from.read(buffer.clear()) >= 0) {
          buffer.flip();
          while (buffer.hasRemaining()) {
            int _ = to.write(buffer);
          }
        }
      }
      isWhole = true;
      return copy;
    } catch (ClosedByInterruptException e) {
      throw new InterruptedException();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "cannot copy '%s' to a temporary file (in %s): %s"
              .formatted(input, System.getProperty("java.io.tmpdir"), Reason.of(e)),
          e);
    } finally {
      if (!isWhole) {
        delete(copy);
      }
    }
  }

  private static void delete(@Nullable Path file) {
    if (file != null) {
      boolean _ = file.toFile().delete();
    }
  }

  private void convert(Path input, Path output)
      throws IOException, FlowException, InterruptedException {
    TextFeed feed;
    try {
      feed = Csv.reading(input).withSeparator(ArrowCommand.separator(options));
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
    ArrowCompression compression = compression();
    int processors =
        options.matchedOptionValue(
            ArrowCommand.PARALLEL, Runtime.getRuntime().availableProcessors());
    List<String> columns = feed.columns();
    if (columns.isEmpty()) {
      throw new TextException("%s is empty: its first row names the columns".formatted(input));
    }
    Map<String, ArrowColumnType> named = namedTypes(columns);
    RowTypes found = RowTypes.of(feed, processors);
    for (var each : named.entrySet()) {
      found = found.with(each.getKey(), each.getValue());
    }
    RowTypes types = found;
    FlowRun run =
        Flow.named("arrow from-csv")
            .stage("convert", () -> new RowsToArrow(types, compression))
            .feed("convert", feed)
            .drain("convert", FileStream.writing(output))
            .build()
            .start();
    try {
      run.await();
    } catch (InterruptedException e) {
      run.cancel();
      throw stopped(run, e);
    }
  }

  /// Waits until a flow that was stopped has cleaned up.
  private static InterruptedException stopped(FlowRun run, InterruptedException cause)
      throws InterruptedException {
    try {
      run.await();
    } catch (CancellationException | FlowException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }

  private @Nullable ArrowCompression compression() {
    String name = options.matchedOptionValue(ArrowCommand.COMPRESS, "none");
    return switch (name) {
      case "none" -> null;
      case "lz4" -> ArrowCompression.LZ4;
      case "zstd" -> {
        if (!ArrowCompression.ZSTD.isAvailable()) {
          throw TextOptions.misuse(
              options, "this system has no libzstd.so.1 (libzstd1): install it, or take lz4");
        }
        yield ArrowCompression.ZSTD;
      }
      default ->
          throw TextOptions.misuse(
              options, "'%s' is no compression: use lz4, zstd or none".formatted(name));
    };
  }

  /// Returns the types that were named, by column.
  private Map<String, ArrowColumnType> namedTypes(List<String> columns) {
    Map<String, ArrowColumnType> types = new LinkedHashMap<>();
    List<String> named = options.matchedOptionValue(ArrowCommand.TYPE, List.of());
    for (String each : named) {
      int colon = each.lastIndexOf(':');
      ArrowColumnType type = TYPES.get(each.substring(colon + 1));
      if (colon < 0 || type == null) {
        throw TextOptions.misuse(
            options,
            "'%s' is no column and type, such as zip:string. The types are %s"
                .formatted(each, String.join(", ", TYPES.keySet())));
      }
      String column = each.substring(0, colon);
      if (!columns.contains(column)) {
        throw TextOptions.misuse(
            options,
            "there is no column '%s'. The columns are %s"
                .formatted(column, String.join(", ", columns)));
      }
      types.put(column, type);
    }
    return types;
  }

  private static CommandException failed(
      FlowException e, @Nullable Path copy, Path input, Path output) {
    Throwable cause = e.getCause();
    String why = named(cause == null ? "" : String.valueOf(cause.getMessage()), copy, input);
    return switch (cause) {
      case MemoryBudgetException known -> throw known;
      case OutOfMemoryError known -> throw known;
      case TextException known -> new CommandException(ExitCode.BAD_INPUT, why, known);
      case StreamException known when why.contains("cannot read") ->
          new CommandException(ExitCode.BAD_INPUT, why, known);
      case StreamException known ->
          new CommandException(
              ExitCode.BAD_OUTPUT, "cannot write '%s': %s".formatted(output, why), known);
      case null, default ->
          new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    };
  }

  /// Returns a message with the name that the user gave, in place of that of a copy.
  private static String named(String message, @Nullable Path copy, Path input) {
    return copy == null ? message : message.replace(copy.toString(), input.toString());
  }
}
