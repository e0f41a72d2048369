package dev.tigris.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/// The Maven that `.mvn/wrapper/maven-wrapper.properties` pins by its SHA-256, for a system without
/// one. It goes to `build/maven`.
///
/// The file has the form that Maven's own wrapper and development environments read. As for the
/// wrapper, `MVNW_REPOURL` in the environment names a mirror of the repository.
final class MavenDownload {
  private static final String MAVEN_PATH = "/org/apache/maven/apache-maven/";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private final Context context;
  private final Path folder;

  MavenDownload(Context context) {
    this.context = context;
    this.folder = context.checkout().build().resolve("maven");
  }

  /// Returns the program `mvn`, and fetches it first if that is not done.
  Path program() throws IOException, InterruptedException {
    Properties pinned = pinned();
    String url = mirrored(property(pinned, "distributionUrl"));
    String name = url.substring(url.lastIndexOf('/') + 1).replaceFirst("-bin\\.zip$", "");
    Path program = folder.resolve(name).resolve("bin/mvn");
    if (!Files.isExecutable(program)) {
      context.say("there is no mvn on the PATH: fetching " + url + " (9 MB) into " + folder);
      fetch(url, property(pinned, "distributionSha256Sum"), name);
      if (!Files.isExecutable(program)) {
        throw Refusal.cannotRun(url + " has no " + name + "/bin/mvn in it: correct " + file());
      }
    }
    return program;
  }

  private Path file() {
    return context.checkout().root().resolve(".mvn/wrapper/maven-wrapper.properties");
  }

  private Properties pinned() throws IOException {
    var properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file())) {
      properties.load(reader);
    }
    return properties;
  }

  private String property(Properties pinned, String name) {
    String value = pinned.getProperty(name, "").strip();
    if (value.isEmpty()) {
      throw Refusal.cannotRun("there is no " + name + " in " + file() + ": restore that file");
    }
    return value;
  }

  private String mirrored(String url) {
    String mirror = context.environment().getOrDefault("MVNW_REPOURL", "");
    int path = url.indexOf(MAVEN_PATH);
    return mirror.isEmpty() || path < 0
        ? url
        : mirror.replaceFirst("/+$", "") + url.substring(path);
  }

  private void fetch(String url, String sha256, String name)
      throws IOException, InterruptedException {
    Checkout.delete(folder);
    Files.createDirectories(folder);
    Path archive = folder.resolve("archive.zip");
    String found = download(url, archive, SILENCE);
    if (!found.equalsIgnoreCase(sha256)) {
      Checkout.delete(folder);
      throw Refusal.cannotRun(
          "%s has the wrong SHA-256, and was deleted: expected %s, but got %s. Try again, or install Maven"
              .formatted(url, sha256, found));
    }
    Path unpacked = folder.resolve("new");
    unpack(archive, unpacked);
    Files.move(unpacked.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    Checkout.delete(unpacked);
    Files.delete(archive);
  }

  /// Downloads a file, and returns its SHA-256. Gives up when the server sends nothing for
  /// `silence`.
  static String download(String url, Path file, Duration silence) throws InterruptedException {
    try (HttpClient client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NORMAL)
            .connectTimeout(Duration.ofSeconds(20))
            .build()) {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (InputStream body = new DigestInputStream(response.body(), digest)) {
        if (response.statusCode() != 200) {
          throw new IOException("the answer is " + response.statusCode());
        }
        receive(body, file, silence);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw Refusal.cannotRun(
          """
          Maven could not be fetched from %s: %s
          Look at the network, name a mirror in MVNW_REPOURL, or install Maven with
            apt-get install maven     brew install maven     sdk install maven"""
              .formatted(url, e));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JDK has it
    }
  }

  private static void receive(InputStream body, Path file, Duration silence)
      throws IOException, InterruptedException {
    var received = new AtomicLong();
    var silent = new AtomicBoolean();
    Thread watch =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    long before = -1;
                    while (received.get() != before) {
                      before = received.get();
                      Thread.sleep(silence);
                    }
                    silent.set(true);
                    body.close(); // which ends the read
                  } catch (InterruptedException | IOException e) {
                    // All has come.
                  }
                });
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] bytes = new byte[1 << 16];
      for (int read = body.read(bytes); read >= 0; read = body.read(bytes)) {
        out.write(bytes, 0, read);
        received.addAndGet(read);
      }
    } catch (IOException e) {
      throw silent.get() ? new IOException("it sent nothing for " + silence, e) : e;
    } finally {
      watch.interrupt();
      watch.join();
    }
    if (silent.get()) { // closing may look like the end
      throw new IOException("it sent nothing for " + silence);
    }
  }

  private static void unpack(Path archive, Path folder) throws IOException {
    try (var zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path path = folder.resolve(entry.getName()).normalize();
        if (!path.startsWith(folder)) {
          throw new IOException("the name " + entry.getName() + " leads out of its folder");
        }
        if (entry.isDirectory()) {
          Files.createDirectories(path);
        } else {
          Files.createDirectories(path.resolveSibling("."));
          Files.copy(zip, path);
        }
      }
    }
    // Zip files of Maven carry no permissions that Java reads.
    try (var walk = Files.walk(folder)) {
      for (Path path : (Iterable<Path>) walk::iterator) {
        if (path.endsWith("bin/mvn") && !path.toFile().setExecutable(true)) {
          throw new IOException(path + " cannot be made executable");
        }
      }
    }
  }
}
