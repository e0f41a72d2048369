// Over 400 lines: one command, and everything that it can be asked for.
package dev.tigris.cli;

import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.memory.Pso;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.TrustedKeys;
import dev.tigris.testing.process.Command;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class SpecializeCommandTest {
  private static final String TRADE =
      """
      package app;
      public class Trade extends dev.tigris.memory.Pso {
        public long id;
        public int quantity;
        @dev.tigris.memory.HeapOnly public String note;
        public Trade(dev.tigris.memory.Container container) { super(container); }
      }
      """;
  private static final String USER =
      """
      package app;
      public class User {
        public long use(Trade trade) {
          trade.note = "";
          return trade.id;
        }
      }
      """;

  @TempDir private Path folder;
  private Shell shell;
  private Path classes;

  @BeforeEach
  void compile() throws Exception {
    shell = new Shell(folder);
    classes = folder.resolve("classes");
    compile("Trade", TRADE);
    compile("User", USER);
  }

  private void compile(String name, String source) throws Exception {
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    Path memory = Path.of(Pso.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> arguments = new ArrayList<>(List.of("-g", "-d", classes.toString(), "-cp"));
    arguments.add(memory + java.io.File.pathSeparator + classes);
    arguments.add(file.toString());
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(System.out, System.err, arguments.toArray(String[]::new));
    assertEquals(0, result);
  }

  private byte[] user() throws Exception {
    return Files.readAllBytes(classes.resolve("app/User.class"));
  }

  private static void assertMentions(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), part + " in " + text);
    }
  }

  @Test
  void rewritesAFolderInPlaceAndOnlyOnce() throws Exception {
    byte[] before = user();
    Result result = shell.run("specialize @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals(
        "2 classes: 2 rewritten (1 declared), 1 accesses replaced, 0 before, 1 left alone\n",
        result.out());
    assertEquals("", result.err());
    byte[] after = user();
    assertFalse(java.util.Arrays.equals(before, after));
    Result again = shell.run("specialize @/classes");
    assertMentions(again.out(), "2 classes: 0 rewritten");
    assertArrayEquals(after, user());
  }

  @Test
  void writesCopiesAndLeavesTheInputsAlone() throws Exception {
    byte[] before = user();
    Path jar = folder.resolve("app.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      entries.putNextEntry(new ZipEntry("app/User.class"));
      entries.write(before);
    }
    byte[] jarBefore = Files.readAllBytes(jar);
    Result result =
        shell.run("specialize @/app.jar @/classes/app/User.class -cp @/classes -o @/out");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertArrayEquals(before, user());
    assertArrayEquals(jarBefore, Files.readAllBytes(jar));
    assertFalse(
        java.util.Arrays.equals(before, Files.readAllBytes(folder.resolve("out/app/User.class"))));
    assertTrue(Files.size(folder.resolve("out/app.jar")) > jarBefore.length);
    Result there = shell.run("specialize @/classes -o @/out");
    assertEquals(ExitCode.BAD_OUTPUT, there.code());
    assertMentions(there.err(), "name a new folder");
  }

  /// A name is bytes, and some are no text: all are where the locale has no accents.
  @Test
  @EnabledOnOs(OS.LINUX)
  void copiesFilesUnderTheirNamesWhateverThoseAre() throws Exception {
    String _ = Command.shell("touch \"$(printf 'classes/text\\377')\"").in(folder).output();
    assertEquals(ExitCode.OK, shell.run("specialize @/classes -o @/out").code());
    assertEquals(names(classes), names(folder.resolve("out")));
  }

  private static Set<Path> names(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(Path::getFileName).collect(Collectors.toSet());
    }
  }

  @Test
  void findsForCopiesWhatItFindsInPlace() throws Exception {
    Result result = shell.run("specialize @/classes/app/User.class -o @/out");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertMentions(result.out(), "1 classes: 1 rewritten");
    assertEquals("", result.err());
    Files.createSymbolicLink(folder.resolve("link"), classes);
    assertMentions(shell.run("specialize @/link -o @/linked").out(), "2 classes: 2 rewritten");
  }

  @Test
  void refusesCopiesThatWouldCollide() throws Exception {
    Result inside = shell.run("specialize @/classes -o @/classes/out");
    assertEquals(ExitCode.BAD_OUTPUT, inside.code());
    assertMentions(inside.err(), "name a folder outside of it");
    assertFalse(Files.exists(folder.resolve("classes/out")));
    Result twice = shell.run("specialize @/classes @/classes -o @/out");
    assertEquals(ExitCode.BAD_INPUT, twice.code());
    assertMentions(twice.err(), "two inputs would be copied to", "User.class");
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void doesNotWaitForPipes() throws Exception {
    String _ = Command.of("mkfifo", folder + "/pipe").output();
    for (String line : List.of("specialize @/pipe", "layout app.Trade -cp @/pipe")) {
      Result result = shell.run(line);
      assertEquals(ExitCode.BAD_INPUT, result.code());
      assertMentions(result.err(), "is a pipe or a device");
    }
  }

  @Test
  void refusesAReportThatMayNotBeWrittenBeforeItSpecializes() throws Exception {
    byte[] before = user();
    Path closed = Files.createDirectory(folder.resolve("closed"));
    Path kept = Files.createFile(folder.resolve("kept"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-x------"));
    Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("r--------"));
    for (String report : List.of("closed/report", "kept")) {
      String[] line = {"specialize", "classes", "--report", report};
      int code =
          OwnProcess.command(folder, "-Dtigris.test=true", DISCARD, line)
              .behind(OwnProcess.bound(Files.isWritable(kept)))
              .run()
              .exitCode();
      assertArrayEquals(before, user());
      String said = Files.readString(folder.resolve("err"));
      assertEquals(ExitCode.BAD_OUTPUT.number(), code, said);
      assertMentions(said, report + "'", "name a writable file");
    }
  }

  @Test
  void namesWhatCannotBeWrittenAndStops() throws Exception {
    byte[] before = user();
    for (String place : List.of("/none/report", "/classes")) {
      Result report = shell.run("specialize @/classes --report @" + place);
      assertEquals(ExitCode.BAD_OUTPUT, report.code());
      assertMentions(report.err(), place + "'", "folder that exists");
      assertArrayEquals(before, user());
    }
    Thread.currentThread().interrupt();
    Result stopped = shell.run("specialize @/classes");
    assertTrue(Thread.interrupted());
    assertEquals(ExitCode.INTERRUPTED, stopped.code());
    assertArrayEquals(before, user());
  }

  @Test
  void leavesNothingOfInputsThatAreDamaged() throws Exception {
    Path classes = Files.createDirectory(folder.resolve("damaged"));
    Files.write(classes.resolve("Cut.class"), new byte[] {(byte) 0xCA, (byte) 0xFE, 0, 1});
    Files.write(folder.resolve("cut.jar"), new byte[] {'P', 'K', 3, 4});
    for (String input : List.of("@/damaged/Cut.class", "@/cut.jar", "@/damaged")) {
      Result result = shell.run("specialize %s -o @/out".formatted(input));
      assertEquals(ExitCode.BAD_INPUT, result.code(), result.err());
      assertFalse(Files.exists(folder.resolve("out")), input);
      assertMentions(result.err(), input.replace("@", folder.toString()));
      assertFalse(result.err().contains(folder.resolve("out").toString()), result.err());
    }
  }

  @Test
  void findsWhatWasForgottenInAllThatAProgramRunsWith() throws Exception {
    assertEquals(ExitCode.OK, shell.run("specialize @/classes").code());
    byte[] user = user();
    assertEquals(
        "2 classes: every access is specialized that has to be\n",
        shell.run("specialize --check @/classes").out());

    compile("User", USER); // somebody else's module, whose build knows nothing
    byte[] forgotten = user();
    Path jar = folder.resolve("user.jar");
    String home = classes.toString();
    assertEquals(
        0,
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "cf", jar.toString(), "-C", home, "app/User.class"));
    Files.write(classes.resolve("app/User.class"), user);
    for (String where : List.of("@/classes @/user.jar", "@/user.jar -cp @/classes")) {
      Result result = shell.run("specialize --check " + where);
      assertEquals(ExitCode.FAILED, result.code(), result.out());
      assertMentions(
          result.err(),
          "app.User.use(User.java:5): getfield app.Trade.id was not rewritten",
          "there is 1 problem");
    }
    Files.write(classes.resolve("app/User.class"), forgotten);
    assertEquals(
        ExitCode.FAILED,
        shell.run("specialize --check @/classes/app/User.class @/classes/app/Trade.class").code());
    assertArrayEquals(forgotten, user());
    assertEquals(ExitCode.OK, shell.run("specialize @/classes --patch diff").code());
    assertEquals(ExitCode.OK, shell.run("specialize --check @/classes").code());
    assertEquals(ExitCode.BAD_INPUT, shell.run("specialize --check @/user.txt").code());
    assertEquals(ExitCode.USAGE, shell.run("specialize --check @/classes --print").code());
    assertEquals(ExitCode.USAGE, shell.run("specialize @/classes --print --json").code());
  }

  @Test
  void saysWhatIsWrongWithTheFileOfTheRules() throws Exception {
    Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
    Result binary = shell.run("specialize @/ --rules @/binary");
    assertEquals(ExitCode.BAD_INPUT, binary.code());
    assertMentions(binary.err(), "binary", "no text in UTF-8");
    assertMentions(shell.run("specialize @/ --rules @/none").err(), "does not exist", "none");
  }

  /// Some tools write such a time, for the same jar each time.
  @Test
  void takesAJarWhoseEntriesSayATimeThatIsNone() throws Exception {
    Path jar = folder.resolve("timeless.jar");
    var bytes = new ByteArrayOutputStream();
    try (ZipOutputStream entries = new ZipOutputStream(bytes)) {
      entries.putNextEntry(new ZipEntry("app/User.class"));
      entries.write(user());
      entries.closeEntry();
    }
    byte[] timeless = bytes.toByteArray();
    ByteBuffer buffer = ByteBuffer.wrap(timeless).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < timeless.length - 4; at++) {
      if (buffer.getInt(at) == ZipEntry.LOCSIG) {
        buffer.putInt(at + ZipEntry.LOCTIM, 0);
      } else if (buffer.getInt(at) == ZipEntry.CENSIG) {
        buffer.putInt(at + ZipEntry.CENTIM, 0);
      }
    }
    Files.write(jar, timeless);
    Result result = shell.run("specialize @/timeless.jar -cp @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());
    try (JarFile specialized = new JarFile(jar.toFile())) {
      JarEntry entry = specialized.getJarEntry("app/User.class");
      assertEquals(LocalDateTime.of(1980, 1, 1, 0, 0), entry.getTimeLocal());
      assertFalse(Arrays.equals(user(), specialized.getInputStream(entry).readAllBytes()));
    }
  }

  @Test
  void tellsAClassForANewerJavaFromADamagedOne() throws Exception {
    Path newer = classes.resolve("app/User.class");
    byte[] bytes = user();
    bytes[7]++;
    Files.write(newer, bytes);
    Result result = shell.run("specialize @/classes");
    assertEquals(ExitCode.BAD_INPUT, result.code());
    assertMentions(result.err(), "User.class", "is for Java 26, and this is Java 25");
  }

  @Test
  void refusesInputsThatHaveNoClass() throws Exception {
    Path sources = Files.createDirectory(folder.resolve("sources"));
    Files.writeString(sources.resolve("Trade.java"), TRADE);
    Path jar = folder.resolve("resources.jar");
    try (ZipOutputStream entries = new ZipOutputStream(Files.newOutputStream(jar))) {
      entries.putNextEntry(new ZipEntry("message.txt"));
    }
    for (String how : List.of("", " --print", " -o @/out")) {
      Result result = shell.run("specialize @/sources @/resources.jar" + how);
      assertEquals(ExitCode.BAD_INPUT, result.code(), result.err());
      assertMentions(result.err(), "there is no class in", sources.toString(), jar.toString());
      assertEquals("", result.out());
    }
    assertFalse(Files.exists(folder.resolve("out")));
    // A jar without classes among others is nobody's mistake.
    assertEquals(ExitCode.OK, shell.run("specialize @/resources.jar @/classes").code());
  }

  @Test
  void addsSignedPatches() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    pem("key.pem", "PRIVATE KEY", pair.getPrivate().getEncoded());
    Path open = pem("key.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
    byte[] original = user();
    for (String kind : List.of("flat", "diff")) {
      Result result = shell.run("specialize @/classes --patch " + kind + " --sign @/key.pem");
      assertEquals(ExitCode.OK, result.code(), result.err());
      assertArrayEquals(original, CodePatch.strip(user()));
      assertTrue(CodePatch.apply(user(), TrustedKeys.of(List.of(open))).isPresent());
    }
  }

  private Path pem(String name, String label, byte[] key) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    return Files.writeString(
        folder.resolve(name),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, text));
  }

  @Test
  void showsTheRecipeBehindEachCallSiteAndWritesNothing() throws Exception {
    byte[] before = user();
    Result result = shell.run("specialize @/classes/app/User.class --print");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertMentions(
        result.out(),
        "app.User.use(Trade)long",
        "getfield app.Trade.id                       invokedynamic get(Trade)long [app.Trade, id]",
        "id.get (Pso)long, 16 bytes: peek long @0");
    assertArrayEquals(before, user());
  }

  @Test
  void showsHowMuchMachineCodeACallSiteComesTo() throws Exception {
    String printed =
        OwnProcess.command(
                folder,
                "-XX:TieredStopAtLevel=4", // C2 makes it
                Redirect.PIPE,
                "specialize",
                folder.resolve("classes/app/User.class").toString(),
                "--print",
                "--machine-code")
            .output();
    Matcher size =
        Pattern.compile("peek long @0\\n +(\\d+) bytes of machine code").matcher(printed);
    assertTrue(size.find(), printed);
    int bytes = Integer.parseInt(size.group(1));
    // A few instructions when it is inlined, and a call with all that belongs to it if it is not.
    assertTrue(bytes > 0 && bytes < 200, printed);
    assertEquals(ExitCode.USAGE, shell.run("specialize @/classes --machine-code").code());
    for (String option : List.of("--trust some.module", "--rule-path @/classes")) {
      Result alone = shell.run("specialize @/classes " + option);
      assertEquals(ExitCode.USAGE, alone.code());
      assertTrue(alone.err().contains("needs --rules, whose rules it is about"), alone.err());
    }
  }

  @Test
  void reportsByMethodAndAsJson() throws Exception {
    Result result = shell.run("specialize @/classes --report @/report --json");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertMentions(result.out(), "\"command\":\"specialize\"", "\"changed\":2", "\"rewritten\":1");
    assertMentions(
        Files.readString(folder.resolve("report")),
        "line 5  getfield app.Trade.id  by pso-field",
        "line 4  putfield app.Trade.note  left: @HeapOnly");
    Result failed = shell.run("specialize @/none --json");
    assertMentions(failed.out(), "\"status\":\"failed\"", "\"exitCode\":3");
  }

  @Test
  void writesNothingWhenThereIsAProblem() throws Exception {
    compile(
        "Bad",
        """
        package app;
        public class Bad extends dev.tigris.memory.Pso {
          Object anything;
          public Bad(dev.tigris.memory.Container container) { super(container); }
        }
        """);
    byte[] before = user();
    Result result = shell.run("specialize @/classes");
    assertEquals(ExitCode.FAILED, result.code());
    assertMentions(
        result.err(),
        "app.Bad.anything(Bad.java): ",
        "@HeapOnly",
        "Nothing was written: there is 1");
    assertArrayEquals(before, user());
    assertEquals(ExitCode.FAILED, shell.run("specialize @/classes -o @/out").code());
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void warnsOfClassesThatItCannotFind() throws Exception {
    Files.delete(classes.resolve("app/Trade.class"));
    Result result = shell.run("specialize @/classes");
    assertEquals(ExitCode.OK, result.code());
    assertMentions(
        result.err(),
        "not found: app.Trade. ",
        "name the class path of the compilation with --classpath");
  }

  @Test
  void refusesWhatLooksLikeAClassOfObjectsOfAClassThatItCannotFind() throws Exception {
    compile(
        "Swap",
        """
        package app;
        public class Swap extends Trade {
          public Swap(dev.tigris.memory.Container container) { super(container); }
        }
        """);
    Files.delete(classes.resolve("app/Trade.class"));
    Result result = shell.run("specialize @/classes");
    assertEquals(ExitCode.FAILED, result.code());
    assertMentions(result.err(), "app.Swap.*(Swap.java): ", "app.Trade is not found", "class path");
  }

  @Test
  void warnsOfClassesThatCanCarryNoPatch() throws Exception {
    shell.run("specialize @/classes");
    Result result = shell.run("specialize @/classes --patch diff");
    assertEquals(ExitCode.OK, result.code());
    assertMentions(result.err(), "and 1 more cannot carry a patch", "Compile it again");
  }

  @Test
  void saysWhatIsWrongWithTheCommandLine() throws Exception {
    assertEquals(ExitCode.USAGE, shell.run("specialize").code());
    Result unsigned = shell.run("specialize @/classes --sign @/key.pem");
    assertEquals(ExitCode.USAGE, unsigned.code());
    assertMentions(unsigned.err(), "add --patch diff");
    Result round = shell.run("specialize @/classes --patch round");
    assertEquals(ExitCode.USAGE, round.code());
    assertMentions(round.err(), "use flat or diff");
    Result none = shell.run("specialize @/none");
    assertEquals(ExitCode.BAD_INPUT, none.code());
    assertMentions(none.err(), "/none' does not exist or cannot be read");
    Result noKey = shell.run("specialize @/classes --patch diff --sign @/User.java");
    assertEquals(ExitCode.BAD_INPUT, noKey.code());
    assertMentions(noKey.err(), "openssl genpkey -algorithm ed25519");
    Result noJar = shell.run("specialize @/User.java");
    assertEquals(ExitCode.BAD_INPUT, noJar.code());
    assertMentions(noJar.err(), "User.java as a jar");
  }

  @Test
  void readsTheRulesFromAFile() throws Exception {
    Files.writeString(folder.resolve("rules"), "pso-field\n");
    assertEquals(ExitCode.OK, shell.run("specialize @/classes --rules @/rules").code());
    Files.writeString(folder.resolve("wrong"), "pso-field\n  evil.rules/all\n");
    Result untrusted = shell.run("specialize @/classes --rules @/wrong");
    assertEquals(ExitCode.BAD_INPUT, untrusted.code());
    assertMentions(untrusted.err(), "/wrong:2:3: the module evil.rules is not trusted");
    Result absent = shell.run("specialize @/classes --rules @/wrong --trust evil.rules");
    assertEquals(ExitCode.BAD_INPUT, absent.code());
    assertMentions(absent.err(), "/wrong:2:3: the module evil.rules is not on the path");
  }

  @Test
  void appliesARestrictedRuleOfAFile() throws Exception {
    compile(
        "Header",
        """
        package app;
        import dev.tigris.memory.*;
        public class Header extends Pso {
          @Capacity(8) Bytes bytes;
          public Header(Container container) { super(container); }
          public native int length();
        }
        """);
    Files.writeString(folder.resolve("rules"), "pso-field\nrestricted header.rules\n");
    Files.writeString(
        folder.resolve("header.rules"),
        "structure app.Header of 8 bytes {\n  int length() = big char @2;\n}\n");
    Result result = shell.run("specialize @/classes/app/Header.class --rules @/rules --print");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertMentions(
        result.out(),
        "invokedynamic length(Header)int",
        "[peek char @2; reverse char; convert char int]");
    Files.writeString(
        folder.resolve("header.rules"),
        "structure app.Header of 8 bytes {\n  int length() = big char @7;\n}\n");
    Result wrong = shell.run("specialize @/classes --rules @/rules");
    assertEquals(ExitCode.BAD_INPUT, wrong.code());
    assertMentions(
        wrong.err(),
        "/header.rules:2:28: char @7 reaches out of the structure's 8 bytes\n",
        "    int length() = big char @7;\n                             ^");
  }
}
