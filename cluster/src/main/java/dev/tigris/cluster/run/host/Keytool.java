package dev.tigris.cluster.run.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The JDK's keytool, in a process of its own.
final class Keytool {
  /// How often the password of a store is hashed to make the keys that it is enciphered with. That
  /// protects a secret password, which ours is not: it would only keep each process that loads a
  /// key from its start, for a third of a second.
  private static final List<String> ITERATIONS =
      List.of(
          "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
          "-J-Dkeystore.pkcs12.keyPbeIterationCount=1",
          "-J-Dkeystore.pkcs12.macIterationCount=1");

  private Keytool() {}

  /// Makes a pair of keys in a store.
  ///
  /// @param owner options that say whose it is, and which key signs it
  /// @param start from when it is valid, such as `-1d`
  /// @param days for how long
  /// @param extensions of its certificate
  static void generate(
      Path store, List<String> owner, String start, int days, List<String> extensions)
      throws IOException {
    List<String> words =
        new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1"));
    words.addAll(owner);
    words.addAll(List.of("-startdate", start, "-validity", String.valueOf(days)));
    for (String each : extensions) {
      words.add("-ext");
      words.add(each);
    }
    run(store, words);
  }

  /// Runs it on a store.
  ///
  /// @throws IOException with what it has printed, if it fails
  static void run(Path store, List<String> words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-J-Duser.language=en"));
    command.addAll(ITERATIONS);
    command.addAll(words);
    command.addAll(
        List.of(
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            new String(HostKey.PASSWORD)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().remove("JDK_JAVA_OPTIONS");
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(
            "keytool has ended with exit code %d: %s".formatted(code, printed.strip()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool was at work", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
