package dev.tigris.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The machine, system and commit of a group's figures: the first line of its file.
///
/// @param group the group's name
/// @param scale how thorough the run was
/// @param machine processor, its number of CPUs, and memory
/// @param system operating system and kernel
/// @param jdk the JVM
/// @param commit the commit, with `+` when the tree had changes
/// @param started when, in UTC
/// @param seconds how long it took
/// @param missing what could not be measured, as [Group#missing] says
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonPropertyOrder({
  "group", "scale", "machine", "system", "jdk", "commit", "started", "seconds", "missing"
})
public record Header(
    String group,
    Scale scale,
    String machine,
    String system,
    String jdk,
    String commit,
    String started,
    long seconds,
    @Nullable List<String> missing) {

  static Header of(Group group, Scale scale, Path home, Instant started, Instant ended) {
    return new Header(
        group.name(),
        scale,
        processor(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        commit(home),
        started.truncatedTo(ChronoUnit.SECONDS).toString(),
        started.until(ended, ChronoUnit.SECONDS),
        group.missing().isEmpty() ? null : group.missing());
  }

  private static String processor() {
    return field(Path.of("/proc/cpuinfo"), "model name", System.getProperty("os.arch"))
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " CPUs, memory "
        + field(Path.of("/proc/meminfo"), "MemTotal", "unknown");
  }

  private static String field(Path file, String name, String otherwise) {
    try (var lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise; // not Linux: the file does not exist
    }
  }

  private static String commit(Path home) {
    String hash = git(home, "rev-parse", "--short=12", "HEAD");
    // Writing results changes the tree, one group after the other.
    String changes =
        git(home, "status", "--porcelain", "--untracked-files=no", "--", ":/", ":!bench/results");
    boolean changed = !changes.isEmpty();
    return hash.isEmpty() ? "unknown" : changed ? hash + "+" : hash;
  }

  /// What git says, or nothing where there is no git or no repository.
  private static String git(Path home, String command, String... arguments) {
    try {
      ProcessBuilder builder = new ProcessBuilder("git", "-C", home.toString(), command);
      builder.command().addAll(List.of(arguments));
      Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String answer =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 ? answer : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
