package dev.tigris.bench.disks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.bench.sort.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The benchmark of disks in C, with the engine, depth and files of ours.
///
/// @param folder for what it says
/// @param files that are there
record Fio(Path folder, List<Path> files) {
  /// The outcome of a load.
  ///
  /// @param cpuMicros the processor's time for each operation
  record Result(double operationsPerSecond, double cpuMicros) {}

  /// Returns whether it is on the path.
  static boolean isAvailable() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .anyMatch(each -> Files.isExecutable(Path.of(each, "fio")));
  }

  Result run(Load load, boolean isWrite, String engine, long millis)
      throws IOException, InterruptedException {
    String pattern = (load.isRandom() ? "rand" : "") + (isWrite ? "write" : "read");
    // All names together have 4,096 characters at most.
    String names =
        files.stream()
            .map(file -> String.valueOf(file.getFileName()))
            .collect(Collectors.joining(":"));
    boolean isRing = engine.equals("io_uring");
    Command.Outcome outcome =
        Command.shell(
                "fio --name=peer --directory='%s' --filename='%s' --rw=%s --bs=%d --direct=1 --ioengine=%s --iodepth=%d --runtime=%dms --time_based --file_service_type=%s --output-format=json%s"
                    .formatted(
                        folder,
                        names,
                        pattern,
                        load.blockBytes(),
                        engine,
                        load.depth(),
                        millis,
                        load.isRandom() ? "random" : "roundrobin",
                        isRing ? " --fixedbufs --registerfiles" : ""))
            .run(folder);
    if (outcome.exit() != 0) {
      throw new IOException("fio has failed: " + outcome.output());
    }
    String text = outcome.output();
    JsonNode job =
        new ObjectMapper().readTree(text.substring(text.indexOf('{'))).path("jobs").path(0);
    double rate = job.path(isWrite ? "write" : "read").path("iops").asDouble();
    double percent = job.path("usr_cpu").asDouble() + job.path("sys_cpu").asDouble();
    return new Result(rate, percent / 100 * 1e6 / rate);
  }
}
