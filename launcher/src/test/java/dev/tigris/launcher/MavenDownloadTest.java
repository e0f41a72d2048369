package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A build where there is no `mvn` on the PATH.
class MavenDownloadTest {
  private static final String PATH =
      "/org/apache/maven/apache-maven/9.9.9/apache-maven-9.9.9-bin.zip";

  @TempDir Path folder;
  private FakeCheckout checkout;
  private FileServer server;

  @BeforeEach
  void makeACheckoutAndAMirror() throws Exception {
    checkout = new FakeCheckout(folder);
    server = new FileServer();
    checkout.environment.put("MVNW_REPOURL", server.url() + "/mirror/");
    String script = Files.readString(checkout.bin.resolve("mvn"));
    Files.delete(checkout.bin.resolve("mvn"));
    serve(zip("apache-maven-9.9.9/bin/mvn", script));
  }

  @AfterEach
  void stopTheMirror() {
    server.close();
  }

  private static byte[] zip(String name, String text) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry("apache-maven-9.9.9/"));
      zip.putNextEntry(new ZipEntry("apache-maven-9.9.9/bin/"));
      zip.putNextEntry(new ZipEntry(name));
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  private void serve(byte[] zip) throws Exception {
    server.put("/mirror" + PATH, zip);
    pin(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(zip)));
  }

  private void pin(String sha256) throws IOException {
    Path wrapper = Files.createDirectories(checkout.root.resolve(".mvn/wrapper"));
    Files.writeString(
        wrapper.resolve("maven-wrapper.properties"),
        "distributionUrl=https://repository.example%s\ndistributionSha256Sum=%s\n"
            .formatted(PATH, sha256));
  }

  @Test
  void fetchesMavenOnceAndSaysSo() throws Exception {
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(0, result.exitCode(), result.err());
    String url = server.url() + "/mirror" + PATH;
    assertTrue(result.err().contains("fetching " + url), result.err());
    assertTrue(checkout.calls().getFirst().startsWith("mvn -B"), checkout.calls().toString());
    FakeCheckout.newer(checkout.root.resolve("cli/src/main/Main.java"));
    assertEquals(0, checkout.launcher("prepare", "cli").exitCode());
    assertEquals(List.of("/mirror" + PATH), server.requests());
  }

  @Test
  void usesNoArchiveOfAnotherChecksum() throws Exception {
    pin("0".repeat(64));
    assertRefused("wrong SHA-256");
  }

  @Test
  void usesNoArchiveThatWasCutShort() throws Exception {
    server.cut("/mirror" + PATH);
    assertRefused("could not be fetched");
  }

  @Test
  void givesUpWhenTheServerSendsNothingMore() throws Exception {
    server.stall("/mirror" + PATH);
    String url = server.url() + "/mirror" + PATH;
    Refusal refusal =
        assertThrows(
            Refusal.class,
            () -> MavenDownload.download(url, folder.resolve("file"), Duration.ofMillis(200)));
    assertTrue(String.valueOf(refusal.getMessage()).contains("it sent nothing"), refusal::toString);
  }

  @Test
  void saysThatTheRepositoryHasNoSuchFile() throws Exception {
    checkout.environment.put("MVNW_REPOURL", server.url() + "/elsewhere");
    assertRefused("the answer is 404");
  }

  @Test
  void saysHowToGetMavenWhereTheNetworkIsNotThere() throws Exception {
    server.close();
    assertRefused("apt-get install maven");
  }

  @Test
  void unpacksNothingOutsideItsFolder() throws Exception {
    serve(zip("apache-maven-9.9.9/../../../../stray", "stray"));
    assertRefused("leads out of its folder");
    assertFalse(Files.exists(checkout.root.resolve("stray")));
  }

  @Test
  void asksForThePinAndForTheProgram() throws Exception {
    pin("");
    assertRefused("there is no distributionSha256Sum");
    serve(zip("apache-maven-9.9.9/bin/other", ""));
    assertRefused("has no apache-maven-9.9.9/bin/mvn");
  }

  private void assertRefused(String why) throws Exception {
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains(why), result.err());
    assertEquals(List.of(), checkout.calls());
  }

  /// Development environments read it, too.
  @Test
  void theVersionOfThisCheckoutIsPinned() throws Exception {
    var pinned = new Properties();
    Path file = FakeCheckout.repository().resolve(".mvn/wrapper/maven-wrapper.properties");
    try (var reader = Files.newBufferedReader(file)) {
      pinned.load(reader);
    }
    assertTrue(
        pinned
            .getProperty("distributionUrl")
            .matches("https://.*/apache-maven/([0-9.]+)/apache-maven-\\1-bin\\.zip"));
    assertTrue(pinned.getProperty("distributionSha256Sum").matches("[0-9a-f]{64}"));
  }
}
