package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a program has asked of a disk, call by call: the program runs in a JVM of its own, with a
/// few functions of libc replaced by ones that log (`calls.c`). That needs Linux and gcc, and a
/// test is skipped, and says so, where they are not there.
final class CallLog {
  private static final String SOURCE = "calls.c";

  /// One call; `second` is the new name of a file. The offset is where bytes are written to, or a
  /// size.
  record Call(String name, Path path, Path second, long offset, ByteBuffer bytes) {
    @Override
    public String toString() {
      return name + " " + path.getFileName() + (second == null ? "" : " " + second.getFileName());
    }
  }

  private CallLog() {}

  /// The calls that a main class makes for what is below a folder.
  ///
  /// @param aside where to put what is needed for that
  /// @param withBytes whether to log what is written
  static List<Call> of(
      Class<?> main, Path folder, Path aside, boolean withBytes, String... arguments)
      throws IOException, InterruptedException {
    return of(main, folder, aside, withBytes, Map.of(), arguments);
  }

  /// As `of`, with what is written; what is stored through a mapping of a file counts as written
  /// when the file is synced or renamed.
  static List<Call> ofMapped(Class<?> main, Path folder, Path aside, String... arguments)
      throws IOException, InterruptedException {
    return of(main, folder, aside, true, Map.of("CALLS_MAPPED", "1"), arguments);
  }

  /// As `of`, without what is written; reads and writes are interrupted or cut short now and then,
  /// for which there is a `cut` each.
  ///
  /// @param seed of their choice, above 0
  static List<Call> ofCut(Class<?> main, Path folder, Path aside, int seed, String... arguments)
      throws IOException, InterruptedException {
    return of(main, folder, aside, false, Map.of("CALLS_FAULTS", "" + seed), arguments);
  }

  private static List<Call> of(
      Class<?> main,
      Path folder,
      Path aside,
      boolean withBytes,
      Map<String, String> more,
      String... arguments)
      throws IOException, InterruptedException {
    Path library = compiled(aside);
    Path log = Files.createTempFile(aside, "calls", ".log");
    Path bytes = Files.createTempFile(aside, "calls", ".bytes");
    Command command =
        Jvm.of(main)
            .quick()
            .options("-Xmx128m", "-Dtigris.disk=plain") // io_uring makes no calls
            .command(arguments)
            .environment("LD_PRELOAD", library.toString())
            .environment("CALLS_UNDER", folder.toString())
            .environment("CALLS_LOG", log.toString())
            .environment("CALLS_BYTES", withBytes ? bytes.toString() : null);
    for (Map.Entry<String, String> each : more.entrySet()) {
      command = command.environment(each.getKey(), each.getValue());
    }
    String _ = command.output();
    return read(log, withBytes ? bytes : null);
  }

  private static Path compiled(Path aside) throws IOException {
    boolean isLinux = System.getProperty("os.name").equals("Linux");
    assumeTrue(isLinux, "it needs Linux");
    Needs.program("gcc", "gcc libc6-dev");
    Path source = aside.resolve(SOURCE);
    Path library = aside.resolve("calls.so");
    if (Files.exists(library)) {
      return library;
    }
    try (InputStream text = CallLog.class.getResourceAsStream(SOURCE)) {
      Files.copy(text, source);
    }
    String _ =
        Command.of("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
            .with("-o", library.toString(), source.toString(), "-ldl")
            .output();
    return library;
  }

  private static List<Call> read(Path log, Path written) throws IOException {
    ByteBuffer all = ByteBuffer.wrap(written == null ? new byte[0] : Files.readAllBytes(written));
    int at = 0;
    List<Call> calls = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      String[] fields = line.split("\t", -1);
      Path path = Path.of(fields[1]);
      switch (fields[0]) {
        case "write" -> {
          int count = Integer.parseInt(fields[3]);
          ByteBuffer bytes = all.slice(at, written == null ? 0 : count);
          at += bytes.limit();
          calls.add(new Call("write", path, null, Long.parseLong(fields[2]), bytes));
        }
        case "size" -> calls.add(new Call("size", path, null, Long.parseLong(fields[2]), null));
        case "rename", "link" -> calls.add(new Call(fields[0], path, Path.of(fields[2]), 0, null));
        default -> calls.add(new Call(fields[0], path, null, 0, null));
      }
    }
    return calls;
  }
}
