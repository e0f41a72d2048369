// Over 400 lines: all that can be wrong with folders and jars, made in the same few ways.
package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.constant.ClassDesc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassFilesTest {
  private static final Delivery REWRITTEN = new Delivery.Rewritten();
  private static final Delivery FLAT = new Delivery.Patched(PatchKind.FLAT, Optional.empty());
  private static final Delivery DIFF = new Delivery.Patched(PatchKind.DIFF, Optional.empty());
  private static final String USER =
      "package app; class User { long use(Trade trade) { return trade.id; } }";
  private static final String STRANGER =
      "package app; class Stranger { int id; int use() { return id; } }";

  @TempDir private Path temporary;
  private Workshop shop;

  @BeforeEach
  void openShop() throws IOException {
    shop = new Workshop(temporary);
    shop.javac.compile(Workshop.TRADE, USER, STRANGER);
  }

  @AfterEach
  void closeShop() {
    shop.close();
  }

  private Path file(String name) {
    return shop.javac.folder().resolve(name + ".class");
  }

  private Report specialize(Path input, Delivery delivery) throws IOException {
    return ClassFiles.specialize(List.of(input), shop.specializer, delivery);
  }

  private static void add(ZipOutputStream jar, String name, byte[] bytes, boolean stored)
      throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(LocalDateTime.of(2001, 2, 3, 4, 6));
    if (stored) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      entry.setMethod(ZipEntry.STORED);
      entry.setCrc(crc.getValue());
      entry.setSize(bytes.length);
    }
    jar.putNextEntry(entry);
    jar.write(bytes);
    jar.closeEntry();
  }

  private Path jar(String name, String... more) throws IOException {
    Path path = temporary.resolve(name);
    try (OutputStream out = Files.newOutputStream(path);
        ZipOutputStream jar = new ZipOutputStream(out)) {
      jar.setComment("made by hand");
      add(jar, "notes.txt", "as they were".getBytes(StandardCharsets.UTF_8), false);
      add(jar, "app/Stranger.class", shop.bytes("app/Stranger"), true);
      add(jar, "META-INF/versions/9/app/User.class", shop.bytes("app/User"), false);
      add(jar, "app/User.class", shop.bytes("app/User"), true);
      for (String extra : more) {
        add(jar, extra, new byte[] {1, 2, 3}, false);
      }
    }
    return path;
  }

  @Test
  void deliversPatchesAndChangesThemNotAgain() throws IOException {
    byte[] original = shop.bytes("app/User");
    byte[] stranger = shop.bytes("app/Stranger");
    assertEquals(List.of(), shop.specializeAll(DIFF).problems());
    byte[] patched = shop.bytes("app/User");
    assertArrayEquals(
        CodePatch.attach(
            original,
            shop.specializer.specialize(original).bytes(),
            PatchKind.DIFF,
            Optional.empty()),
        patched);
    assertArrayEquals(stranger, shop.bytes("app/Stranger"));
    assertEquals(0, shop.specializeAll(DIFF).classesChanged());
    assertArrayEquals(patched, shop.bytes("app/User"));
  }

  @Test
  void turnsOneDeliveryIntoAnother() throws IOException {
    byte[] original = shop.bytes("app/User");
    shop.specializeAll(FLAT);
    shop.specializeAll(DIFF);
    assertArrayEquals(
        CodePatch.attach(
            original,
            shop.specializer.specialize(original).bytes(),
            PatchKind.DIFF,
            Optional.empty()),
        shop.bytes("app/User"));
    shop.specializeAll(REWRITTEN);
    assertArrayEquals(shop.specializer.specialize(original).bytes(), shop.bytes("app/User"));
  }

  @Test
  void saysWhichClassesCanCarryNoPatch() throws IOException {
    shop.specializeAll();
    Report report = shop.specializeAll(DIFF);
    assertEquals(List.of("app.Trade", "app.User"), unpatched(report).sorted().toList());
    assertTrue(report.patchWarning().orElseThrow().contains(" and 2 more cannot carry a patch"));
    shop.javac.compile(USER);
    assertEquals(List.of("app.Trade"), unpatched(shop.specializeAll(FLAT)).toList());
    assertTrue(CodePatch.isIn(Files.readAllBytes(file("app/User"))));
    shop.javac.compile(Workshop.TRADE);
    for (Delivery delivery : List.of(DIFF, DIFF, FLAT, REWRITTEN)) { // patches are made anew
      assertEquals(Optional.empty(), shop.specializeAll(delivery).patchWarning());
    }
    assertEquals(Optional.empty(), shop.specializeAll().patchWarning()); // asked for none
  }

  /// Those that are no part of another class.
  private static Stream<String> unpatched(Report report) {
    return report.withoutPatch().stream().filter(name -> !name.contains("$"));
  }

  @Test
  void countsAPatchedClassAsSpecialized() throws IOException {
    List<Path> path = List.of(shop.javac.folder());
    assertTrue(ClassFiles.check(path, shop.specializer).problems().size() >= 2);
    shop.specializeAll(DIFF);
    assertEquals(List.of(), ClassFiles.check(path, shop.specializer).problems());
  }

  @Test
  void reportsAPatchThatNoLongerFits() throws IOException {
    shop.specializeAll(DIFF);
    byte[] patched = shop.bytes("app/User");
    patched[patched.length - 40] ^= 1;
    Files.write(file("app/User"), patched);
    List<Problem> problems =
        ClassFiles.check(List.of(shop.javac.folder()), shop.specializer).problems();
    assertEquals(1, problems.size());
    assertTrue(problems.getFirst().message().contains("does not fit"), problems.toString());
    // Its original is still there, so the next run repairs it.
    assertEquals(1, shop.specializeAll(DIFF).classesChanged());
    assertEquals(
        List.of(), ClassFiles.check(List.of(shop.javac.folder()), shop.specializer).problems());
  }

  @Test
  void specializesASingleClassFile() throws IOException {
    Report report = specialize(file("app/User"), REWRITTEN);
    assertEquals(1, report.classesSeen());
    assertEquals(1, report.classesChanged());
    assertEquals(0, specialize(file("app/Stranger"), REWRITTEN).classesChanged());
  }

  @Test
  void specializesTheClassesInAJarAndKeepsTheRest() throws Exception {
    byte[] specialized = shop.specialize("app/User").bytes();
    for (Delivery delivery : List.of(REWRITTEN, FLAT)) {
      Path path = jar("app.jar");
      assertEquals(2, specialize(path, delivery).classesChanged());
      try (JarFile jar = new JarFile(path.toFile())) {
        assertEquals("made by hand", jar.getComment());
        assertEquals(
            List.of(
                "notes.txt",
                "app/Stranger.class",
                "META-INF/versions/9/app/User.class",
                "app/User.class"),
            jar.stream().map(ZipEntry::getName).toList());
        for (ZipEntry entry : jar.stream().toList()) {
          assertEquals(LocalDateTime.of(2001, 2, 3, 4, 6), entry.getTimeLocal());
          byte[] bytes = jar.getInputStream(entry).readAllBytes();
          if (entry.getName().endsWith("User.class")) {
            assertArrayEquals(specialized, CodePatch.apply(bytes, TrustedKeys.ANY).orElse(bytes));
          } else if (entry.getName().endsWith("Stranger.class")) {
            assertArrayEquals(shop.bytes("app/Stranger"), bytes);
            assertEquals(ZipEntry.STORED, entry.getMethod());
          } else {
            assertEquals("as they were", new String(bytes, StandardCharsets.UTF_8));
          }
        }
      }
      byte[] before = Files.readAllBytes(path);
      assertEquals(0, specialize(path, delivery).classesChanged());
      assertArrayEquals(before, Files.readAllBytes(path));
    }
  }

  /// A specializer that finds no class by its name in what is to be specialized: the folder of its
  /// package lies in another one, as in the jar of a web application.
  private static Specializer stranger() {
    return new Specializer(new ClassHierarchy(new ClassPath(List.of())), Rule.standard());
  }

  @Test
  void rewritesWhoComesBeforeTheObjectsThatItUsesWhereverTheyLie() throws IOException {
    shop.javac.compile("package app; class Before { long use(Trade trade) { return trade.id; } }");
    byte[] specialized = shop.specialize("app/Before").bytes();
    List<Path> folder = List.of(temporary);
    List<Problem> problems = ClassFiles.check(folder, stranger()).problems();
    assertTrue(
        problems.stream().anyMatch(problem -> problem.toString().startsWith("app.Before.use")),
        problems.toString());
    List<byte[]> told = new ArrayList<>();
    Report preview = ClassFiles.preview(folder, stranger(), (original, result) -> told.add(result));
    Report report = ClassFiles.specialize(folder, stranger(), REWRITTEN);
    assertEquals(report.classesSeen(), preview.classesSeen());
    assertEquals(report.classesChanged(), told.size());
    assertArrayEquals(specialized, shop.bytes("app/Before"));
    assertEquals(List.of(), ClassFiles.check(folder, stranger()).problems());
  }

  private Path jarOf(String name, Path inner) throws IOException {
    Path path = temporary.resolve(name);
    try (OutputStream out = Files.newOutputStream(path);
        ZipOutputStream jar = new ZipOutputStream(out)) {
      add(jar, "lib/" + inner.getFileName(), Files.readAllBytes(inner), true);
    }
    return path;
  }

  @Test
  void looksIntoJarsInJarsAndChangesNothingInThem() throws IOException {
    Path inner = jar("inner.jar");
    Path path = jarOf("outer.jar", jarOf("middle.jar", inner));
    byte[] before = Files.readAllBytes(path);
    List<Problem> forgotten = ClassFiles.check(List.of(path), shop.specializer).problems();
    assertEquals(2, forgotten.size());
    assertTrue(forgotten.getFirst().message().contains("was not rewritten"));
    Report report = specialize(path, REWRITTEN);
    assertEquals(2, report.problems().size());
    String message = report.problems().getFirst().message();
    assertTrue(message.startsWith("lies in lib/middle.jar, a jar inside " + path), message);
    assertArrayEquals(before, Files.readAllBytes(path));
    specialize(inner, REWRITTEN);
    Path packed = jarOf("packed.jar", inner);
    assertEquals(List.of(), specialize(packed, REWRITTEN).problems());
    Report checked = ClassFiles.check(List.of(packed), shop.specializer);
    assertEquals(List.of(), checked.problems());
    assertEquals(3, checked.classesSeen());
  }

  @Test
  void passesOverAFolderThatIsCalledLikeAClass() throws IOException {
    Files.createDirectories(file("app/Folder"));
    assertEquals(List.of(), specialize(shop.javac.folder(), REWRITTEN).problems());
    assertEquals(
        List.of(), ClassFiles.check(List.of(shop.javac.folder()), shop.specializer).problems());
  }

  @Test
  void checksTheJarsInAFolderToo() throws IOException {
    Path lib = Files.createDirectories(temporary.resolve("app/lib"));
    Files.write(lib.resolve("resource.jar"), new byte[] {1, 2, 3});
    List<Path> all = List.of(temporary.resolve("app"));
    assertEquals(0, ClassFiles.check(all, shop.specializer).classesSeen());
    Path jar = Files.move(jar("user.jar"), lib.resolve("user.jar"));
    Report alone = ClassFiles.check(List.of(jar), shop.specializer);
    assertFalse(alone.problems().isEmpty());
    assertEquals(alone.problems(), ClassFiles.check(all, shop.specializer).problems());
  }

  @Test
  void looksForAClassElsewhereWhereAFileHasTheNameOfItsPackage() throws IOException {
    Path scripts = Files.createDirectories(temporary.resolve("scripts"));
    Files.createFile(scripts.resolve("app"));
    try (ClassPath path = new ClassPath(List.of(scripts, shop.javac.folder()))) {
      assertArrayEquals(shop.bytes("app/Trade"), path.find(ClassDesc.of("app.Trade")));
    }
  }

  @Test
  void readsAJarInAJarAsFarAsThatIsOne() throws IOException {
    Path inner = jar("cut.jar");
    byte[] bytes = Files.readAllBytes(inner);
    Files.write(inner, Arrays.copyOf(bytes, bytes.length / 2));
    Path path = jarOf("outer.jar", inner);
    assertTrue(ClassFiles.check(List.of(path), shop.specializer).classesSeen() < 3);
  }

  @Test
  void refusesAJarThatAScriptBeginsThatWouldBeLost() throws IOException {
    Path path = jar("started.jar");
    byte[] script = "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8);
    byte[] jar = Files.readAllBytes(path);
    Files.write(path, script);
    Files.write(path, jar, StandardOpenOption.APPEND);
    Report report = specialize(path, REWRITTEN);
    assertEquals(1, report.problems().size());
    assertTrue(report.problems().getFirst().message().contains("a script"));
    assertEquals(script.length + jar.length, Files.size(path));
  }

  @Test
  void namesTheJarAndTheEntryThatAreDamaged() throws IOException {
    Path path = jar("damaged.jar");
    byte[] bytes = Files.readAllBytes(path);
    int compressed = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("app/User.class");
    Arrays.fill(bytes, compressed + 40, compressed + 80, (byte) 0xff);
    Files.write(path, bytes);
    IOException damaged = assertThrows(IOException.class, () -> specialize(path, REWRITTEN));
    assertTrue(damaged.getMessage().contains("damaged.jar"), damaged.getMessage());
    assertTrue(damaged.getMessage().contains("app/User.class"), damaged.getMessage());
  }

  @Test
  void replacesWhatALinkLeadsTo() throws IOException {
    Path path = jar("app.jar");
    Path link = Files.createSymbolicLink(path.resolveSibling("link.jar"), path);
    byte[] before = Files.readAllBytes(path);
    assertEquals(2, specialize(link, REWRITTEN).classesChanged());
    assertTrue(Files.isSymbolicLink(link));
    assertFalse(Arrays.equals(before, Files.readAllBytes(path)));
  }

  @Test
  void refusesASignedJar() throws IOException {
    Path path = jar("signed.jar", "META-INF/ME.SF");
    byte[] before = Files.readAllBytes(path);
    Report report = specialize(path, REWRITTEN);
    assertEquals(1, report.problems().size());
    assertTrue(report.problems().getFirst().message().contains("before signing it"));
    assertArrayEquals(before, Files.readAllBytes(path));
  }

  @Test
  void changesNothingWhenThereIsAProblemAnywhere() throws IOException {
    shop.javac.compile(
        """
        package app;
        class Bad extends dev.tigris.memory.Pso {
          Object anything;
          Bad(dev.tigris.memory.Container container) { super(container); }
        }
        """);
    byte[] before = shop.bytes("app/User");
    Path jar = jar("app.jar");
    Report report =
        ClassFiles.specialize(List.of(jar, shop.javac.folder()), shop.specializer, DIFF);
    assertEquals(0, report.classesChanged());
    assertEquals(1, report.problems().size());
    assertArrayEquals(before, shop.bytes("app/User"));
    try (JarFile file = new JarFile(jar.toFile())) {
      assertArrayEquals(
          before, file.getInputStream(file.getEntry("app/User.class")).readAllBytes());
    }
  }

  @Test
  void saysWhichInputIsWrong() throws IOException {
    Path text = Files.writeString(temporary.resolve("text.class"), "no class");
    assertTrue(
        assertThrows(IOException.class, () -> specialize(text, REWRITTEN))
            .getMessage()
            .contains("text.class is no class file"));
    Path jar = Files.writeString(temporary.resolve("text.jar"), "no jar");
    assertTrue(
        assertThrows(IOException.class, () -> specialize(jar, REWRITTEN))
            .getMessage()
            .contains("text.jar as a jar"));
    assertThrows(
        IOException.class, () -> specialize(temporary.resolve("nowhere.class"), REWRITTEN));
  }

  @Test
  void keepsThePermissionsOfWhatItReplaces() throws IOException {
    Path jar = jar("app.jar");
    var owners = PosixFilePermissions.fromString("rwx------");
    Files.setPosixFilePermissions(jar, owners);
    Files.setPosixFilePermissions(file("app/User"), owners);
    specialize(jar, REWRITTEN);
    shop.specializeAll(REWRITTEN);
    assertEquals(owners, Files.getPosixFilePermissions(jar));
    assertEquals(owners, Files.getPosixFilePermissions(file("app/User")));
  }

  @Test
  void touchesNoFileBesideWhatItReplaces() throws IOException {
    Path jar = jar("app.jar");
    Path neighbour = Files.writeString(temporary.resolve("app.jar.specialized"), "of the user");
    assertEquals(2, specialize(jar, REWRITTEN).classesChanged());
    assertEquals("of the user", Files.readString(neighbour));
  }

  @Test
  void specializesAFolderThatALinkLeadsTo() throws IOException {
    Path link =
        Files.createSymbolicLink(temporary.resolve("link"), shop.javac.folder().toAbsolutePath());
    assertTrue(specialize(link, REWRITTEN).classesChanged() > 0);
    assertTrue(Files.isSymbolicLink(link));
  }

  @Test
  void findsThatAClassOfAJarIsDamaged() throws IOException {
    Path path = jar("app.jar");
    byte[] bytes = Files.readAllBytes(path);
    byte[] stored = shop.bytes("app/Stranger"); // as it is, since the entry isn't compressed
    int at = 0;
    while (!Arrays.equals(stored, Arrays.copyOfRange(bytes, at, at + stored.length))) {
      at++;
    }
    bytes[at + stored.length - 1] ^= 1;
    Files.write(path, bytes);
    IOException e = assertThrows(IOException.class, () -> specialize(path, REWRITTEN));
    assertTrue(
        String.valueOf(e.getMessage()).contains("app/Stranger.class of " + path), e::toString);
    assertArrayEquals(bytes, Files.readAllBytes(path));
  }

  @Test
  void saysWhichFileItCannotReplace() throws IOException {
    List<Path> before = neighbours();
    // A path through a file leads nowhere, for whoever asks; permissions don't hold for all.
    Path nowhere = file("app/User").resolve("x");
    var e =
        assertThrows(NotWrittenException.class, () -> Jars.replace(nowhere, out -> out.write(1)));
    assertTrue(
        String.valueOf(e.getMessage()).startsWith("cannot write to " + nowhere), e::toString);
    var full = new IOException("No space left on device");
    e =
        assertThrows(
            NotWrittenException.class,
            () ->
                Jars.replace(
                    file("app/User"),
                    out -> {
                      throw full;
                    }));
    assertEquals(
        "cannot write to %s: No space left on device".formatted(file("app/User")), e.getMessage());
    assertEquals(before, neighbours());
  }

  private List<Path> neighbours() throws IOException {
    try (Stream<Path> files = Files.list(shop.javac.folder().resolve("app"))) {
      return files.sorted().toList();
    }
  }

  @Test
  void rewritesAUserOfADamagedClassInAJar() throws IOException {
    shop.javac.compile("package app; public class Broken { public static int n; }");
    shop.javac.compile(
        """
        package app;
        public class Both { long use(Trade trade) { return trade.id + Broken.n; } }
        """);
    byte[] damaged = Arrays.copyOf(shop.bytes("app/Broken"), 40);
    Files.write(file("app/Broken"), damaged);
    Path path = temporary.resolve("both.jar");
    try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(path))) {
      for (String name : List.of("app/Broken", "app/Both")) {
        jar.putNextEntry(new ZipEntry(name + ".class"));
        jar.write(shop.bytes(name));
      }
    }
    assertEquals(1, specialize(path, REWRITTEN).classesChanged());
  }

  /// Compilers make names from those of classes, methods and lambdas around.
  @Test
  void replacesAFileWhoseNameIsAsLongAsCanBe() throws IOException {
    String name = "L".repeat(255 - ".class".length());
    shop.javac.compile(USER.replace("User", name));
    Report report = shop.specializeAll();
    assertEquals(List.of(), report.problems());
    assertEquals(List.of(), shop.specializer.check(Files.readAllBytes(file("app/" + name))));
  }
}
