package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A start where there is no JDK, with a server that answers as Adoptium's API does. No test asks
/// the real one.
class FetchJdkTest {
  private static final String API = "/v3/assets/latest/25/hotspot";

  private static final List<String> TOOLS =
      List.of("cat", "curl", "gzip", "id", "sed", "sha256sum", "tar", "tr");

  @TempDir Path folder;
  private FakeCheckout checkout;
  private FileServer server;
  private String sha256;

  @BeforeEach
  void makeACheckoutWithoutAJdkAndAServerThatHasOne() throws Exception {
    checkout = new FakeCheckout(folder);
    server = new FileServer();
    FakeCheckout.jdk("17.0.9", folder.resolve("old"));
    checkout.environment.put("JAVA_HOME", folder.resolve("old").toString());
    checkout.environment.put("TIGRIS_JDK_API", server.url());
    TOOLS.forEach(checkout::link);
    FakeCheckout.executable(
        checkout.bin.resolve("uname"),
        "#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo x86_64 ;; esac\n");
    Path packed = Files.createDirectory(folder.resolve("packed"));
    FakeCheckout.jdk("25.0.1", packed.resolve("jdk-25.0.1+8"));
    Command.of("tar", "-czf", "../jdk.tar.gz", "jdk-25.0.1+8").in(packed).output();
    byte[] archive = Files.readAllBytes(folder.resolve("jdk.tar.gz"));
    sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
    server.put("/jdk-25.0.1+8/jdk.tar.gz", archive);
    answer(sha256);
  }

  @AfterEach
  void stopTheServer() {
    server.close();
  }

  /// As the API answers for Linux, which has no installer.
  private void answer(String checksum) {
    server.put(
        API,
        """
      [
          {
              "binary": {
                  "architecture": "x64",
                  "download_count": 1234,
                  "heap_size": "normal",
                  "image_type": "jdk",
                  "jvm_impl": "hotspot",
                  "os": "linux",
                  "package": {
                      "checksum": "%2$s",
                      "checksum_link": "%1$s/jdk.tar.gz.sha256.txt",
                      "download_count": 1234,
                      "link": "%1$s/jdk-25.0.1%%2B8/jdk.tar.gz",
                      "metadata_link": "%1$s/jdk.tar.gz.json",
                      "name": "jdk.tar.gz",
                      "signature_link": "%1$s/jdk.tar.gz.sig",
                      "size": 4321
                  },
                  "project": "jdk",
                  "scm_ref": "jdk-25.0.1+8_adopt",
                  "updated_at": "2025-10-21T00:00:00Z"
              },
              "release_link": "%1$s/releases/jdk-25.0.1+8",
              "release_name": "jdk-25.0.1+8",
              "vendor": "eclipse",
              "version": {
                  "build": 8,
                  "major": 25,
                  "minor": 0,
                  "openjdk_version": "25.0.1+8-LTS",
                  "security": 1,
                  "semver": "25.0.1+8.0.LTS"
              }
          }
      ]"""
            .formatted(server.url(), checksum)
            .getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void fetchesAJdkOnceAndSaysWhatFromWhere() throws Exception {
    checkout.environment.put("TIGRIS_FETCH_JDK", "1");
    Result result = checkout.tigris("help");
    assertEquals(0, result.exitCode(), result.err());
    Path jdk = checkout.root.resolve("build/jdk/jdk-25.0.1+8");
    assertTrue(result.out().startsWith(jdk + "/bin/java\n"), result.out());
    assertEquals(
        List.of(
            API + "?architecture=x64&image_type=jdk&os=linux&vendor=eclipse",
            "/jdk-25.0.1%2B8/jdk.tar.gz"),
        server.requests());
    for (String said :
        List.of(
            "17.0.9 in " + folder.resolve("old"),
            "asking " + server.url(),
            "fetching " + server.url() + "/jdk-25.0.1%2B8/jdk.tar.gz (4321 bytes)")) {
      assertTrue(result.err().contains(said), result.err());
    }
    assertEquals(List.of("jdk-25.0.1+8"), fetched());
    assertEquals("", checkout.tigris("help").err());
    assertEquals(2, server.requests().size());
  }

  @Test
  void fetchesWithWgetAndShasumToo() throws Exception {
    Files.delete(checkout.bin.resolve("curl"));
    Files.delete(checkout.bin.resolve("sha256sum"));
    checkout.link("wget");
    FakeCheckout.executable(
        checkout.bin.resolve("shasum"),
        "#!/bin/sh\n[ \"$*\" = '-a 256' ] && exec %s\n".formatted(FakeCheckout.which("sha256sum")));
    checkout.environment.put("TIGRIS_FETCH_JDK", "1");
    assertEquals(0, checkout.tigris("help").exitCode());
    server.cut("/jdk-25.0.1+8/jdk.tar.gz");
    Checkout.delete(checkout.root.resolve("build/jdk"));
    assertRefused("the wrong SHA-256", "cannot fetch");
  }

  @Test
  void usesNoJdkOfAnotherChecksum() throws Exception {
    answer("0".repeat(64));
    assertRefused("wrong SHA-256, and was deleted: expected 000");
  }

  @Test
  void usesNoJdkThatWasCutShort() throws Exception {
    server.cut("/jdk-25.0.1+8/jdk.tar.gz");
    assertRefused("cannot fetch " + server.url());
  }

  @Test
  void usesNoAnswerThatWasCutShortOrNamesNoJdkOrNoChecksum() throws Exception {
    server.cut(API);
    assertRefused("cannot fetch " + server.url());
    server.cut("");
    server.put(API, "[]".getBytes(StandardCharsets.UTF_8));
    assertRefused("named no JDK 25 for linux-x64");
    answer("none");
    assertRefused("gave no SHA-256");
  }

  @Test
  void saysThatTheNetworkIsNotThere() throws Exception {
    server.close();
    assertRefused("Look at the network");
  }

  @Test
  void saysWhichToolsItNeeds() throws Exception {
    Files.delete(checkout.bin.resolve("curl"));
    assertRefused("tigris needs curl or wget, and sha256sum or shasum");
    checkout.link("curl");
    Files.delete(checkout.bin.resolve("sha256sum"));
    assertRefused("tigris needs curl or wget, and sha256sum or shasum");
    assertEquals(List.of(), server.requests());
  }

  @Test
  void saysThatThereIsNoneForThisSystem() throws Exception {
    FakeCheckout.executable(checkout.bin.resolve("uname"), "#!/bin/sh\necho Plan9\n");
    assertRefused("Temurin has no JDK for Plan9");
  }

  @Test
  void fetchesNothingThatIsNoJdk() throws Exception {
    Files.delete(folder.resolve("packed/jdk-25.0.1+8/bin/javac"));
    Command.of("tar", "-czf", "../jdk.tar.gz", "jdk-25.0.1+8")
        .in(folder.resolve("packed"))
        .output();
    byte[] archive = Files.readAllBytes(folder.resolve("jdk.tar.gz"));
    server.put("/jdk-25.0.1+8/jdk.tar.gz", archive);
    answer(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive)));
    assertRefused("holds no JDK");
  }

  private void assertRefused(String... eitherReason) throws Exception {
    checkout.environment.put("TIGRIS_FETCH_JDK", "1");
    Result result = checkout.tigris("help");
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(Stream.of(eitherReason).anyMatch(result.err()::contains), result.err());
    assertEquals(List.of(), fetched());
  }

  private List<String> fetched() throws IOException {
    Path jdks = checkout.root.resolve("build/jdk");
    if (!Files.exists(jdks)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(jdks)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Test
  void fetchesNothingThatTheCallerWasNotAskedFor() throws Exception {
    Result result = checkout.tigris("help");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("a JDK 25 or newer is needed"), result.err());
    assertTrue(result.err().contains("TIGRIS_FETCH_JDK=1 tigris"), result.err());
    assertFalse(result.err().contains("[y/N]"), result.err());
    assertEquals(List.of(), server.requests());
  }

  @Test
  void asksAtTheTerminal() throws Exception {
    Needs.program("script", "bsdutils");
    checkout.link("script");
    Result no = answering("n");
    assertEquals(126, no.exitCode(), no.out());
    assertTrue(no.out().contains("[y/N]"), no.out());
    assertEquals(List.of(), server.requests());
    Result yes = answering("y");
    assertEquals(0, yes.exitCode(), yes.out());
    assertEquals(List.of("jdk-25.0.1+8"), fetched());
  }

  private Result answering(String answer) throws Exception {
    return checkout.run(
        folder,
        "/bin/sh",
        "-c",
        "echo %s | script -qec \"'%s' help\" /dev/null"
            .formatted(answer, checkout.root.resolve("tigris")));
  }

  @Test
  void namesTheOneCommandOfThisSystem() throws Exception {
    assertFalse(checkout.tigris("help").err().contains("Install one with"));
    FakeCheckout.executable(checkout.bin.resolve("brew"), "#!/bin/sh\n");
    assertNames("brew install openjdk");
    FakeCheckout.executable(checkout.bin.resolve("dnf"), "#!/bin/sh\n");
    assertNames("dnf install java-25-openjdk-devel");
    FakeCheckout.executable(checkout.bin.resolve("apt-get"), "#!/bin/sh\n");
    FakeCheckout.executable(checkout.bin.resolve("apt-cache"), "#!/bin/sh\nexit 100\n");
    assertNames("dnf install java-25-openjdk-devel");
    FakeCheckout.executable(checkout.bin.resolve("apt-cache"), "#!/bin/sh\n");
    assertNames("apt-get install openjdk-25-jdk-headless");
    Files.createDirectories(folder.resolve("user/.sdkman/bin"));
    assertNames("sdk install java 25-tem");
  }

  private void assertNames(String command) throws Exception {
    String err = checkout.tigris("help").err();
    assertTrue(err.contains("Install one with\n"), err);
    assertTrue(err.contains(command + "\n"), err);
  }
}
