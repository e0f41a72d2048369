package dev.tigris.bench.runs;

import dev.tigris.bench.engine.PeerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A JVM that runs [FirstWater] on threads or on processes: a command of the user.
///
/// @param processes how many; 0 for threads
/// @param options of the JVM
/// @param more arguments of the program
record TigrisContender(int processes, List<String> options, List<String> more)
    implements Contender {
  /// Returns one whose JVMs start from AOT caches, for which a first run trains them. Java takes
  /// caches for class paths of jars only.
  static TigrisContender cached(int processes, Path work) throws IOException, InterruptedException {
    List<String> workers = List.of(work.resolve("workers.aot").toString());
    Path command = work.resolve("command.aot");
    Path notes = Files.createTempDirectory(work, "training-");
    var training =
        new TigrisContender(processes, List.of("-XX:AOTCacheOutput=" + command), workers);
    long _ = training.start(work, notes);
    return new TigrisContender(processes, List.of("-XX:AOTCache=" + command), workers);
  }

  @Override
  public String name() {
    return "Tigris";
  }

  @Override
  public long start(Path work, Path notes) throws IOException, InterruptedException {
    Path runs = Files.createTempDirectory(work, "runs-");
    List<String> words = new ArrayList<>();
    words.add(PeerProgram.tool("java"));
    words.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(options);
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), StartMain.class.getName()));
    words.addAll(List.of(String.valueOf(processes), runs.toString(), notes.toString()));
    words.addAll(more);
    return Commands.timed(words, work);
  }
}
