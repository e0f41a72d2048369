package dev.tigris.spark;

import org.jspecify.annotations.Nullable;

/// Tells what is wrong when Spark could not run the workers.
final class SparkFailure {
  private static final int MOST_CHARACTERS = 500;

  private SparkFailure() {}

  /// Returns what to tell the user.
  static String words(Throwable thrown) {
    String text = String.valueOf(thrown.getMessage());
    String refusal = refusal(text);
    return refusal == null ? firstLine(text) : refusal;
  }

  /// Returns whether executors cannot run the workers in another attempt either.
  static boolean isFinal(Throwable thrown) {
    return refusal(String.valueOf(thrown.getMessage())) != null;
  }

  private static @Nullable String refusal(String text) {
    if (text.contains("UnsupportedClassVersionError")) {
      return "an executor runs a Java older than 25: let spark.executorEnv.JAVA_HOME name a JDK 25 on the executors' hosts (on YARN spark.yarn.appMasterEnv.JAVA_HOME, too; on Kubernetes take an image that has one)";
    }
    if (text.contains("ClassNotFoundException: dev.tigris")
        || text.contains("NoClassDefFoundError: dev/tigris")) {
      return "an executor does not have the jars of Tigris: give them to spark-submit by --jars, or put them into the program's jar";
    }
    if (text.contains("InvalidClassException")) {
      return "an executor has another version of Spark or of Tigris than the driver: use the cluster's own spark-submit, and one set of jars ("
          + firstLine(text)
          + ")";
    }
    return null;
  }

  private static String firstLine(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "...";
  }
}
