package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Flow;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.net.Fabric;
import dev.tigris.os.ClassPlace;
import dev.tigris.os.Folders;
import dev.tigris.sort.SortJob;
import dev.tigris.specializer.NotWrittenException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// The jars of this process that Spark brings to its driver and executors.
final class SparkJars {
  /// One class of each module that executors need.
  private static final List<Class<?>> NEEDED =
      List.of(Folders.class, Jbuf.class, Fabric.class, Bundle.class, Flow.class, Cluster.class);

  /// One class of each jar that a sort needs besides, but for what Spark has.
  private static final List<Class<?>> OF_A_SORT =
      List.of(SortJob.class, NotWrittenException.class, CommandLine.class, ProgressBar.class);

  private SparkJars() {}

  /// Returns the jars of a sort, that of this command first.
  static List<Path> ofSort() throws CommandException {
    List<Path> jars = new ArrayList<>(List.of(jarOf(SparkJars.class)));
    for (Class<?> each : OF_A_SORT) {
      jars.add(jarOf(each));
    }
    return jars;
  }

  /// Returns the jars of what runs flows.
  static List<Path> ofFlows() throws CommandException {
    List<Path> jars = new ArrayList<>();
    for (Class<?> each : NEEDED) {
      jars.add(jarOf(each));
    }
    jars.add(sparkJar(jars.getLast()));
    return jars;
  }

  private static Path jarOf(Class<?> type) throws CommandException {
    try {
      Path place = ClassPlace.of(type);
      if (!Files.isDirectory(place)) {
        return place;
      }
    } catch (IOException e) {
      // told below
    }
    throw new CommandException(
        ExitCode.CANNOT_START,
        "%s is in no jar, and Spark brings jars to its executors: start the command by ./tigris"
            .formatted(type.getName()));
  }

  /// Module spark lies beside the others, or in the checkout that they are of: it is built apart,
  /// since that needs the jars of Spark.
  private static Path sparkJar(Path cluster) throws CommandException {
    try {
      for (Path at = cluster.getParent(); at != null; at = at.getParent()) {
        for (Path folder : List.of(at, at.resolve("spark/target"))) {
          Path found = Files.isDirectory(folder) ? sparkJarIn(folder) : null;
          if (found != null) {
            return found;
          }
        }
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.CANNOT_START, Reason.of(e), e);
    }
    throw new CommandException(
        ExitCode.CANNOT_START,
        "there is no tigris-spark-*.jar beside %s: build it by './tigris mvn -pl spark -am package -DskipTests'"
            .formatted(cluster));
  }

  private static @Nullable Path sparkJarIn(Path folder) throws IOException {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(folder, "tigris-spark-*[!s].jar")) { // no sources
      var each = jars.iterator();
      return each.hasNext() ? each.next() : null;
    }
  }
}
