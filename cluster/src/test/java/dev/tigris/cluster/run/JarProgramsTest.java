package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.loader.launch.JarLauncher;

/// Programs in jars, as users have them: of Spring Boot, and with an AOT cache.
@Slow("starts many JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JarProgramsTest {
  private static final String SUM = String.valueOf(Sums.expected(3000));

  @TempDir private Path folder;

  /// Makes a jar, whose entries are stored as they are: a launcher reads jars in a jar in place.
  private static byte[] jar(Map<String, String> attributes, Map<String, byte[]> files)
      throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
    var bytes = new ByteArrayOutputStream();
    Set<String> folders = new HashSet<>();
    try (JarOutputStream to = new JarOutputStream(bytes, manifest)) {
      for (var file : new TreeMap<>(files).entrySet()) {
        for (int at = file.getKey().indexOf('/'); at > 0; at = file.getKey().indexOf('/', at + 1)) {
          String its = file.getKey().substring(0, at + 1);
          if (folders.add(its)) {
            store(to, its, new byte[0]);
          }
        }
        store(to, file.getKey(), file.getValue());
      }
    }
    return bytes.toByteArray();
  }

  private static void store(JarOutputStream to, String name, byte[] content) throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(content);
    ZipEntry entry = new ZipEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(checksum.getValue());
    to.putNextEntry(entry);
    to.write(content);
    to.closeEntry();
  }

  private static Map<String, byte[]> filesOf(Path place) throws IOException {
    Map<String, byte[]> files = new HashMap<>();
    if (Files.isDirectory(place)) {
      try (Stream<Path> all = Files.walk(place)) {
        for (Path each : all.filter(Files::isRegularFile).toList()) {
          files.put(place.relativize(each).toString(), Files.readAllBytes(each));
        }
      }
      return files;
    }
    try (JarFile opened = new JarFile(place.toFile())) {
      for (var entry : Collections.list(opened.entries())) {
        if (!entry.isDirectory() && !entry.getName().startsWith("META-INF/MANIFEST")) {
          files.put(entry.getName(), opened.getInputStream(entry).readAllBytes());
        }
      }
    }
    return files;
  }

  /// Returns jars of the modules that a program needs, by their names.
  private static Map<String, byte[]> libraries() throws IOException {
    Map<String, byte[]> jars = new HashMap<>();
    int number = 0;
    Path own = Jvm.location(JarProgramsTest.class);
    for (Path each : Jvm.classPath()) {
      if (each.toString().contains("tigris") || Files.isDirectory(each)) {
        if (!each.equals(own)) {
          jars.put("library-" + number++ + ".jar", jar(Map.of(), filesOf(each)));
        }
      }
    }
    return jars;
  }

  private void expectSum(Command command) {
    Child coordinator = command.start();
    String _ = Objects.requireNonNull(coordinator.nextLine());
    coordinator.expectLine(SUM).outcome().expect(0);
  }

  @Test
  void aJarOfSpringBootRunsItsWorkersByItsLauncher() throws Exception {
    Map<String, byte[]> files = filesOf(Jvm.location(JarLauncher.class));
    filesOf(Jvm.location(JarProgramsTest.class))
        .forEach((name, bytes) -> files.put("BOOT-INF/classes/" + name, bytes));
    libraries().forEach((name, bytes) -> files.put("BOOT-INF/lib/" + name, bytes));
    Map<String, String> attributes =
        Map.of(
            "Main-Class", JarLauncher.class.getName(),
            "Start-Class", RunsSums.class.getName(),
            "Spring-Boot-Classes", "BOOT-INF/classes/",
            "Spring-Boot-Lib", "BOOT-INF/lib/",
            "Enable-Native-Access", "ALL-UNNAMED");
    Path boot = Files.write(folder.resolve("app.jar"), jar(attributes, files));
    expectSum(
        Command.of(Jvm.tool("java"), "-XX:TieredStopAtLevel=1", "-jar", boot.toString())
            .with(folder.resolve("runs").toString(), "2", "1", "3000"));
  }

  @Test
  void anAotCacheIsMadeByARunAndUsedByTheNext() throws Exception {
    List<Path> path = new ArrayList<>();
    for (var library : libraries().entrySet()) {
      path.add(Files.write(folder.resolve(library.getKey()), library.getValue()));
    }
    Path own = folder.resolve("program.jar");
    path.add(Files.write(own, jar(Map.of(), filesOf(Jvm.location(JarProgramsTest.class)))));
    Path cache = folder.resolve("program.aot");
    Jvm jvm =
        Jvm.onClassPath(RunsSums.class.getName(), path.toArray(Path[]::new))
            .quick()
            .options("-D" + RunsSums.CACHE + "=" + cache);
    String[] arguments = {folder.resolve("runs").toString(), "2", "1", "3000"};
    expectSum(jvm.command(arguments));
    assertTrue(Files.exists(cache), cache::toString);
    FileTime made = Files.getLastModifiedTime(cache);
    expectSum(jvm.options("-Xlog:aot=info:stderr").command(arguments).errorsApart());
    assertEquals(made, Files.getLastModifiedTime(cache));
    assertTrue(logs().contains("Opened AOT cache"), this::logs);
  }

  private String logs() {
    try (Stream<Path> all = Files.walk(folder.resolve("runs"))) {
      StringBuilder text = new StringBuilder();
      for (Path each : all.filter(file -> file.toString().endsWith(".log")).toList()) {
        text.append(Files.readString(each));
      }
      return text.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
