package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A sort in a process of its own, which prints a line for each step that it makes: for tests that
/// kill it, and for those that look at its memory.
final class SortProcess {
  private static final String REFUSED = "refused: ";
  private static final String HELD = "held";
  private static final String VIEWED = "viewed";
  private static final String ENDING = "ending";

  private final Child process;

  private SortProcess(Child process) {
    this.process = process;
  }

  static SortProcess start(Path input, Path output, long memoryBytes) {
    return start(List.of(), input, output, memoryBytes, RecordFormat.GENSORT, 2);
  }

  /// Sorts with as many processors as if the machine had them.
  static SortProcess startParallel(int parallel, Path input, Path output, long memoryBytes) {
    return start(List.of(), input, output, memoryBytes, RecordFormat.GENSORT, parallel);
  }

  /// Sorts records whose keys begin where they do.
  static SortProcess start(Path input, Path output, long memoryBytes, RecordFormat format) {
    return start(List.of(), input, output, memoryBytes, format, 2);
  }

  /// Sorts without the right to read what it likes, as root may.
  static SortProcess startWithoutPrivileges(Path input, Path output) {
    String dropped = "-dac_override,-dac_read_search,-fowner";
    return start(
        List.of("setpriv", "--bounding-set=" + dropped, "--inh-caps=" + dropped, "--"),
        input,
        output);
  }

  /// What a sort is refused with that may open so many files only; null if it is not.
  static @Nullable String refusalWithFewFiles(int files, Path input, Path output) {
    return refusal(List.of("prlimit", "--nofile=" + files, "--"), input, output);
  }

  /// What a sort is refused with that may not make a file of so many bytes; null if it is not.
  static @Nullable String refusalWithSmallFiles(int bytes, Path input, Path output) {
    return refusal(List.of("prlimit", "--fsize=" + bytes, "--"), input, output);
  }

  /// What a sort is refused with whose process may not use so much memory, of which it holds a part
  /// for others; null if it is not.
  static @Nullable String refusalWithBudget(long bytes, long held, Path input, Path output) {
    String option =
        "JAVA_TOOL_OPTIONS=-Dtigris.memory.budget=%d -D%s=%d".formatted(bytes, HELD, held);
    return refusal(List.of("env", option), input, output);
  }

  /// The same where the others have given their part back, but still hold a view of it.
  static @Nullable String refusalWithViews(long bytes, long viewed, Path input, Path output) {
    String option =
        "JAVA_TOOL_OPTIONS=-Dtigris.memory.budget=%d -D%s=%d".formatted(bytes, VIEWED, viewed);
    return refusal(List.of("env", option), input, output);
  }

  /// What a sort is refused with that begins when its process is ending; null if it is not.
  static @Nullable String refusalAtTheEnd(Path input, Path output) {
    String option = "JAVA_TOOL_OPTIONS=-D%s=true".formatted(ENDING);
    return refusal(List.of("env", option), input, output);
  }

  private static @Nullable String refusal(List<String> prefix, Path input, Path output) {
    return start(prefix, input, output).refusal();
  }

  /// What it is refused with in the end; null if it is not.
  @Nullable String refusal() {
    String last = null;
    for (String line = nextLine(); line != null; line = nextLine()) {
      last = line;
    }
    int _ = finish();
    return last != null && last.startsWith(REFUSED) ? last.substring(REFUSED.length()) : null;
  }

  private static SortProcess start(List<String> prefix, Path input, Path output) {
    return start(prefix, input, output, 256 << 20, RecordFormat.GENSORT, 2);
  }

  private static SortProcess start(
      List<String> prefix,
      Path input,
      Path output,
      long memoryBytes,
      RecordFormat format,
      int parallel) {
    Command command =
        Jvm.of(SortProcess.class)
            .options("-Xmx64m", "-XX:+UseSerialGC")
            .command(
                input.toString(),
                output.toString(),
                Long.toString(memoryBytes),
                Integer.toString(format.recordSize()),
                Integer.toString(format.keySize()),
                Integer.toString(parallel));
    return new SortProcess(command.behind(prefix).errorsApart().start());
  }

  /// The next line that it prints; null when it has ended.
  @Nullable String nextLine() {
    return process.nextLine();
  }

  /// Waits until it has made so many steps, or has ended; returns whether it still runs.
  boolean awaitSteps(int steps) {
    for (int i = 0; i < steps; i++) {
      if (nextLine() == null) {
        return false;
      }
    }
    return true;
  }

  /// Ends it without a chance to clean up, when some time has passed. What it has printed can still
  /// be read.
  void killAfter(Duration pause) {
    boolean _ = process.endsWithin(pause);
    process.kill();
  }

  /// Asks it to end.
  int terminate() {
    process.terminate();
    return process.exitCode();
  }

  /// Waits until it ends.
  int finish() {
    return process.exitCode();
  }

  /// The memory that is its own and not a file's, in bytes; 0 when it has ended.
  long ownMemoryBytes() {
    try {
      long sum = 0;
      for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
        if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:")) {
          sum += Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
      return sum;
    } catch (IOException e) {
      return 0;
    }
  }

  /// The files in a folder; or the one file.
  private static List<Path> inputs(Path input) throws IOException {
    if (!Files.isDirectory(input)) {
      return List.of(input);
    }
    try (var files = Files.list(input)) {
      return files.toList();
    }
  }

  /// The process itself.
  public static void main(String[] arguments) throws Exception {
    if (Boolean.getBoolean(ENDING)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> sortAtTheEnd(arguments)));
    } else {
      sort(arguments);
    }
  }

  private static void sortAtTheEnd(String[] arguments) {
    try {
      sort(arguments);
    } catch (Throwable e) {
      System.out.println(REFUSED + e);
    }
  }

  private static void sort(String[] arguments) throws Exception {
    AtomicInteger steps = new AtomicInteger();
    Jbuf held = Jbuf.allocate(Long.getLong(HELD, 1), "others");
    Jbuf givenBack = Jbuf.allocate(Long.getLong(VIEWED, 1), "others");
    Bytes view = givenBack.asBytes();
    givenBack.unreference(Jbuf::free);
    SortJob job =
        SortJob.of(inputs(Path.of(arguments[0])), Path.of(arguments[1]))
            .memory(Long.parseLong(arguments[2]))
            .format(
                new RecordFormat(Integer.parseInt(arguments[3]), 0, Integer.parseInt(arguments[4])))
            .parallel(Integer.parseInt(arguments[5]))
            .progress(
                (phase, done, total) ->
                    System.out.printf(
                        Locale.ROOT, "%d %s %d/%d%n", steps.incrementAndGet(), phase, done, total));
    try {
      job.run();
    } catch (SortException e) {
      System.out.println(REFUSED + e.kind() + ": " + e.getMessage());
      throw e;
    } finally {
      held.free();
      Reference.reachabilityFence(view);
    }
  }
}
