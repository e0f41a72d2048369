package dev.tigris.cluster.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// The cache of a program's classes, loaded and linked ahead of time, from which its workers start
/// faster. Where there is none, or it is older than the code, worker 0 of a run notes which classes
/// it uses, and the cache is made of that when the run is over.
///
/// Java uses no cache that does not fit the class path, and starts as without one.
///
/// Thread rule: the coordinator's thread.
///
/// @param file the cache
/// @param isFresh whether it is there, and newer than the code
/// @param mark in the names of temporary files beside it: two runs may make one cache at once
record AotCache(Path file, boolean isFresh, String mark) {
  private static final System.Logger LOG = System.getLogger(AotCache.class.getName());
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /// Looks for the cache.
  static AotCache of(Path file, CodePath code) throws IOException {
    boolean isFresh = Files.exists(file) && isNewer(Files.getLastModifiedTime(file), code);
    return new AotCache(file, isFresh, UUID.randomUUID().toString());
  }

  private static boolean isNewer(FileTime made, CodePath code) throws IOException {
    for (String entry : code.classPath().split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      if (!entry.isEmpty()
          && Files.exists(jar)
          && Files.getLastModifiedTime(jar).compareTo(made) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Returns the options that a worker has because of it.
  List<String> options(int worker) {
    if (isFresh) {
      return List.of("-XX:AOTCache=" + file);
    }
    return worker == 0
        ? List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + configuration())
        : List.of();
  }

  /// What worker 0 notes.
  private Path configuration() {
    return temporary("classes");
  }

  private Path temporary(String what) {
    return file.resolveSibling("%s.%s.%s".formatted(file.getFileName(), mark, what));
  }

  /// Makes the cache of what worker 0 has noted, if it has. A run is well without one.
  ///
  /// @param command that of the workers
  void make(JavaCommand command, Path log) {
    Path configuration = configuration();
    if (isFresh || Files.notExists(configuration)) {
      return;
    }
    Path made = temporary("partial");
    try {
      Path options = Files.createTempFile("tigris", ".options"); // for this user alone
      try {
        Files.writeString(options, command.optionsFile());
        create(command.words(options), configuration, made, log);
      } finally {
        Files.deleteIfExists(options);
      }
      Files.move(made, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the AOT cache %s is not made, and the run is well without it: %s"
              .formatted(file, e.getMessage()));
    } finally {
      delete(configuration);
      delete(made);
    }
  }

  private static void create(List<String> command, Path configuration, Path made, Path log)
      throws IOException {
    List<String> words = new ArrayList<>(command.subList(0, 2)); // no main class runs
    words.addAll(
        List.of(
            "-XX:AOTMode=create", "-XX:AOTConfiguration=" + configuration, "-XX:AOTCache=" + made));
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    JavaCommand.clean(builder.environment());
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      if (!ended || process.exitValue() != 0 || Files.notExists(made)) {
        throw new IOException(
            "Java has made none%s: see %s"
                .formatted(
                    ended
                        ? ", and ended with exit code %d (%s)"
                            .formatted(process.exitValue(), lastLine(log))
                        : " within " + PATIENCE,
                    log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the run was interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String lastLine(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    return lines.isEmpty() ? "it printed nothing" : lines.getLast();
  }

  private static void delete(Path leftover) {
    try {
      Files.deleteIfExists(leftover);
    } catch (IOException e) {
      // it is of no use, and does no harm
    }
  }
}
